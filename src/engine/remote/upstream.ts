import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import type { ServingRoute } from './serving-route.ts';

const connectMs = 3_000;
/** Long prompts on busy engines; a caller that waits no more aborts earlier. */
const answerMs = 10 * 60_000;
/** Shorter than servers keep idle connections (vLLM: 5 s), so that none is used while the other side closes it. */
const idleMs = 3_000;
const mostAnswerBytes = 64 * 1024 * 1024;

/** A call that did not get an answer with a status. */
export class TransportError extends Error {
  /** The request cannot have been read: it may go elsewhere. */
  readonly neverSent: boolean;

  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
    this.neverSent = isNeverSent(cause);
  }
}

export type Answer = { status: number; headers: IncomingHttpHeaders; body: Dispatcher.ResponseData['body'] };

/** The connections to one remote engine. */
export type Upstream = {
  /** POSTs JSON to a path under the base URL, or to one of the server itself. Throws `TransportError`, or the signal's reason. */
  post: (path: string, body: unknown, signal: AbortSignal) => Promise<Answer>;
  get: (path: string, signal: AbortSignal) => Promise<Answer>;
  close: () => Promise<void>;
};

/** Paths that begin with `//` are of the server, not under the base URL. */
export function openUpstream({ url, secret, capacity }: Pick<ServingRoute, 'url' | 'secret' | 'capacity'>): Upstream {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  const pool = new Pool(origin, {
    // One more than calls, for questions about health and tokens.
    connections: capacity + 1,
    pipelining: 1,
    connectTimeout: connectMs,
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    maxResponseSize: mostAnswerBytes,
  });
  const headers = {
    'user-agent': 'fanfold',
    accept: '*/*',
    ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
  };
  const send = async (options: Omit<Dispatcher.RequestOptions, 'origin'>, signal: AbortSignal): Promise<Answer> => {
    try {
      const answer = await pool.request({ ...options, signal });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new TransportError(error);
    }
  };
  const pathOf = (path: string) => (path.startsWith('//') ? path.slice(1) : base + path);
  return {
    post: (path, body, signal) =>
      send(
        {
          method: 'POST',
          path: pathOf(path),
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
        signal,
      ),
    get: (path, signal) => send({ method: 'GET', path: pathOf(path), headers }, signal),
    close: () => pool.destroy(),
  };
}

const neverSentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
]);

/** Only what failed before a byte was written counts: a server that closes early may have read the request. */
function isNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, socket, errors } = error as Error & {
    code?: string;
    socket?: { bytesWritten?: number };
    errors?: unknown[];
  };
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isNeverSent);
  return (code !== undefined && neverSentCodes.has(code)) || socket?.bytesWritten === 0;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as Error & { code?: string };
  return code === undefined ? error.message : `${code}: ${error.message}`;
}
