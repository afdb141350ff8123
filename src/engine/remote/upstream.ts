import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';

/** The HTTP client of one remote engine. Requests throw `TransportError`, or the signal's reason. */
export type Upstream = {
  post: (path: string, body: object, signal: AbortSignal) => Promise<UpstreamResponse>;
  get: (path: string, signal: AbortSignal) => Promise<UpstreamResponse>;
} & Omit<ConnectionPool, 'send'>;

export type UpstreamOptions = {
  url: string;
  secret: string | null;
  capacity: number;
  closesAfterStream: boolean | RegExp;
};

/** A call that got no response, or not all of it. */
export class TransportError extends Error {
  /** Nothing of the request was written: it may be sent elsewhere. */
  readonly neverSent: boolean;

  constructor(cause: unknown, { neverSent }: { neverSent: boolean }) {
    super(messageOf(cause), { cause });
    this.neverSent = neverSent;
  }
}

export type UpstreamResponse = { status: number; headers: IncomingHttpHeaders; body: Readable };

export type UpstreamRequest = {
  method: 'GET' | 'POST';
  path: string;
  body: string | null;
  /** The connection is closed after the response. */
  closes?: boolean;
};

export type ConnectionPool = {
  /** Throws `TransportError`, or the signal's reason. */
  send: (request: UpstreamRequest, signal: AbortSignal) => Promise<UpstreamResponse>;
  readonly received: number;
  /** Fails all requests in flight as if their connections had been lost. */
  failAll: (reason: string) => void;
  close: () => Promise<void>;
};

/** Longest wait for the rest of a response that nobody needs. */
const discardMs = 1_000;

const defaultLimits = {
  connectMs: 3_000,
  /** Long prompts on busy engines; a caller that gives up aborts earlier. */
  silenceMs: 10 * 60_000,
  /** Shorter than servers keep idle connections (vLLM: 5 s), so that none is used while the server closes it. */
  idleMs: 3_000,
  /** TCP keep-alive: a machine that acknowledges nothing for this long and ten seconds more has vanished. */
  keepAliveProbeMs: 15_000,
  maxResponseBytes: 64 * 1024 * 1024,
};

export type PoolLimits = typeof defaultLimits;
type PoolOptions = { maxConnections: number; secret: string | null; limits?: Partial<PoolLimits> };

/**
 * HTTP/1.1 connections to one engine. undici's timeouts count ticks of this process, so the time in which this process was blocked does
 * not count as silence of the engine. Requests go to `dispatch`: `request` does not tell whether anything was written.
 */
export function openConnectionPool(origin: string, { maxConnections, secret, limits }: PoolOptions): ConnectionPool {
  const { connectMs, silenceMs, idleMs, keepAliveProbeMs, maxResponseBytes } = { ...defaultLimits, ...limits };
  const opened = openPool(origin, {
    connections: maxConnections,
    pipelining: 1,
    connectTimeout: connectMs,
    connect: { keepAliveInitialDelay: keepAliveProbeMs },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: 1_000,
    maxResponseSize: maxResponseBytes,
  });
  const headers = {
    'user-agent': 'fanfold',
    accept: '*/*',
    ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
  };
  const jsonHeaders = { ...headers, 'content-type': 'application/json' };
  const inFlight = new Set<RequestHandler>();
  let received = 0;
  const onReceive = () => {
    received += 1;
  };
  return {
    send: async ({ method, path, body, closes = false }, signal) => {
      const pool = await opened;
      signal.throwIfAborted();
      return new Promise((resolve, reject) => {
        const request = { method, path, headers: body === null ? headers : jsonHeaders, body };
        const handler = new RequestHandler({ inFlight, onReceive, signal, resolve, reject });
        pool.dispatch(closes ? { ...request, reset: true } : request, handler);
      });
    },
    get received() {
      return received;
    },
    failAll: (reason) => {
      for (const handler of [...inFlight]) handler.fail(new Error(reason));
    },
    close: async () => (await opened).destroy(),
  };
}

/** undici is loaded with the first route: it takes a fifth of a second. */
async function openPool(origin: string, options: Pool.Options): Promise<Pool> {
  const { Pool } = await import('undici');
  return new Pool(origin, options);
}

type HandlerOptions = {
  inFlight: Set<RequestHandler>;
  onReceive: () => void;
  signal: AbortSignal;
  resolve: (response: UpstreamResponse) => void;
  reject: (error: unknown) => void;
};

class RequestHandler implements Dispatcher.DispatchHandler {
  readonly #options: HandlerOptions;
  /** null until the request has a connection. */
  #controller: Dispatcher.DispatchController | null = null;
  #body: Readable | null = null;

  constructor(options: HandlerOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', this.#abort);
  }

  /** Also while it waits for a connection. */
  readonly #abort = (): void => {
    const { signal, reject } = this.#options;
    reject(signal.reason);
    this.#body?.destroy(errorOf(signal.reason));
    this.#controller?.abort(errorOf(signal.reason));
  };

  fail(error: Error): void {
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal, inFlight } = this.#options;
    this.#controller = controller;
    inFlight.add(this);
    if (signal.aborted) controller.abort(errorOf(signal.reason));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    const body = new Readable({
      read() {},
      destroy(error, done) {
        if (!body.readableEnded) controller.abort(error ?? new Error('The rest of the response is not needed.'));
        done(error);
      },
    });
    // Without a listener an error would end the process where nobody reads the body yet.
    body.on('error', () => {});
    this.#body = body;
    this.#options.resolve({ status, headers, body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#options.onReceive();
    this.#body?.push(piece);
  }

  onResponseEnd(): void {
    this.#end();
    this.#body?.push(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end();
    const { signal, reject } = this.#options;
    // Nothing to say to a caller that has left.
    if (signal.aborted) return;
    const neverSent = this.#controller === null || isUnwritten(error);
    const lost = new TransportError(explained(error), { neverSent });
    if (this.#body) this.#body.destroy(lost);
    else reject(lost);
  }

  #end(): void {
    this.#options.inFlight.delete(this);
    this.#options.signal.removeEventListener('abort', this.#abort);
  }
}

/** A server that closes early may have read the request. */
function isUnwritten(error: Error): boolean {
  const { socket } = error as Error & { socket?: { bytesWritten?: number } };
  return socket?.bytesWritten === 0;
}

const unknownAuthority = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/** Says what an operator can do about it. */
function explained(error: Error): Error {
  const { code = '' } = error as Error & { code?: string };
  if (!unknownAuthority.has(code)) return error;
  const help =
    'This server does not know who signed the certificate. NODE_EXTRA_CA_CERTS names a file of further authorities';
  return Object.assign(new Error(`${help} (${error.message}).`, { cause: error }), { code });
}

function messageOf(error: unknown): string {
  const { code, message } = errorOf(error) as Error & { code?: string };
  return code === undefined ? message : `${code}: ${message}`;
}

const errorOf = (value: unknown): Error => (value instanceof Error ? value : new Error(String(value)));

/** Reads the rest of a response, so that its connection can serve the next call; closes the connection where that takes too long. */
export function discard(body: Readable): void {
  const timer = setTimeout(() => body.destroy(), discardMs).unref();
  body.once('close', () => clearTimeout(timer)).resume();
}

/** The text of a response, or its beginning where it is longer than `maxBytes`. */
export async function readText(body: Readable, maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= maxBytes) break;
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

/** Paths that begin with `//` are of the server, not under the base URL. */
export function openUpstream({ url, secret, capacity, closesAfterStream }: UpstreamOptions): Upstream {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  const pathOf = (path: string) => (path.startsWith('//') ? path.slice(1) : base + path);
  // One more than calls, for health checks and token counts.
  const pool = openConnectionPool(origin, { maxConnections: capacity + 1, secret });
  let closes = true;

  const send = async (request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamResponse> => {
    const response = await pool.send(request, signal);
    const { server = '' } = response.headers;
    closes = typeof closesAfterStream === 'boolean' ? closesAfterStream : closesAfterStream.test(String(server));
    return response;
  };
  return {
    post: (path, body, signal) => {
      const isStream = 'stream' in body && body.stream === true;
      return send(
        { method: 'POST', path: pathOf(path), body: JSON.stringify(body), closes: closes && isStream },
        signal,
      );
    },
    get: (path, signal) => send({ method: 'GET', path: pathOf(path), body: null }, signal),
    get received() {
      return pool.received;
    },
    failAll: pool.failAll,
    close: pool.close,
  };
}
