import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { AnswerBody } from './answer-body.ts';
import type { ServingRoute } from './serving-route.ts';

const connectMs = 3_000;
/** Long prompts on busy engines; a caller that waits no more aborts earlier. */
const answerMs = 10 * 60_000;
/** Shorter than servers keep idle connections (vLLM: 5 s), so that none is used while the other side closes it. */
const idleMs = 3_000;
/** A peer that acknowledges nothing for this long and ten seconds more has vanished, however idle the connection was. */
const probeAfterMs = 15_000;
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

export type Answer = { status: number; headers: IncomingHttpHeaders; body: AnswerBody };

/** The connections to one remote engine. */
export type Upstream = {
  /** POSTs JSON to a path under the base URL, or to one of the server itself. Throws `TransportError`, or the signal's reason. */
  post: (path: string, body: unknown, signal: AbortSignal) => Promise<Answer>;
  get: (path: string, signal: AbortSignal) => Promise<Answer>;
  /** Ends whatever was sent and has no answer, or not all of it, as if its connection had been lost. */
  giveUp: (why: string) => void;
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
    connect: { keepAliveInitialDelay: probeAfterMs },
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
  const sent = new Set<Exchange>();
  const send = (options: Omit<Dispatcher.DispatchOptions, 'origin'>, signal: AbortSignal): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      else pool.dispatch(options, new Exchange(sent, signal, { resolve, reject }));
    });
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
    giveUp: (why) => {
      for (const exchange of [...sent]) exchange.giveUp(why);
    },
    close: () => pool.destroy(),
  };
}

type Settle = { resolve: (answer: Answer) => void; reject: (error: unknown) => void };

/** One request and its answer, below the streams of undici's `request`: they cost more than all else here. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #sent: Set<Exchange>;
  readonly #signal: AbortSignal;
  readonly #settle: Settle;
  #controller: Dispatcher.DispatchController | null = null;
  #body: AnswerBody | null = null;

  constructor(sent: Set<Exchange>, signal: AbortSignal, settle: Settle) {
    this.#sent = sent;
    this.#signal = signal;
    this.#settle = settle;
    signal.addEventListener('abort', this.#abort);
  }

  /** Also while it waits for a connection. */
  readonly #abort = (): void => {
    this.#settle.reject(this.#signal.reason);
    this.#controller?.abort(this.#signal.reason);
  };

  giveUp(why: string): void {
    this.#controller?.abort(new Error(why));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#sent.add(this);
    if (this.#signal.aborted) controller.abort(this.#signal.reason);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#body = new AnswerBody(controller);
    this.#settle.resolve({ status, headers, body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#body?.add(piece);
  }

  onResponseEnd(): void {
    this.#isOver();
    this.#body?.end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#isOver();
    if (this.#body) this.#body.end(error);
    else this.#settle.reject(this.#signal.aborted ? this.#signal.reason : new TransportError(error));
  }

  #isOver(): void {
    this.#sent.delete(this);
    this.#signal.removeEventListener('abort', this.#abort);
  }
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
