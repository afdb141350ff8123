import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { AnswerBody } from '../answer-body.ts';
import {
  type Connections,
  type ConnectionsOptions,
  fieldsOf,
  type Settle,
  TransportError,
  usualBounds,
} from './transport.ts';

/** Connections with TLS: undici knows it well, and beside it what undici costs does not show. */
export function openSecureConnections(origin: string, { most, secret, bounds }: ConnectionsOptions): Connections {
  const { connectMs, answerMs, idleMs, probeAfterMs, mostAnswerBytes } = { ...usualBounds, ...bounds };
  const opened = openPool(origin, {
    connections: most,
    pipelining: 1,
    connectTimeout: connectMs,
    connect: { keepAliveInitialDelay: probeAfterMs },
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    maxResponseSize: mostAnswerBytes,
  });
  const asked = fieldsOf(secret);
  const told = { ...asked, 'content-type': 'application/json' };
  const sent = new Set<Exchange>();
  return {
    send: async ({ method, path, body }, signal) => {
      const pool = await opened;
      return new Promise((resolve, reject) => {
        const headers = body === null ? asked : told;
        if (signal.aborted) reject(signal.reason);
        else pool.dispatch({ method, path, headers, body }, new Exchange(sent, signal, { resolve, reject }));
      });
    },
    giveUp: (why) => {
      for (const exchange of [...sent]) exchange.giveUp(why);
    },
    close: async () => (await opened).destroy(),
  };
}

/** Loaded where there is a route with TLS only. */
async function openPool(origin: string, options: Pool.Options): Promise<Pool> {
  const { Pool } = await import('undici');
  return new Pool(origin, options);
}

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
    else
      this.#settle.reject(
        this.#signal.aborted ? this.#signal.reason : new TransportError(error, { neverSent: isNeverSent(error) }),
      );
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
