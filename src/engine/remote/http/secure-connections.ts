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

/**
 * Connections with TLS: undici knows it well, and beside it what undici costs does not show. It counts its waits for an answer in ticks of
 * this process, as plain connections do: time in which this process stood still is not the engine's silence.
 */
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
    send: async ({ method, path, body, isLast = false }, signal) => {
      const pool = await opened;
      return new Promise((resolve, reject) => {
        const headers = body === null ? asked : told;
        if (signal.aborted) reject(signal.reason);
        else {
          const request = { method, path, headers, body, ...(isLast ? { reset: true } : {}) };
          pool.dispatch(request, new Exchange(sent, signal, { resolve, reject }));
        }
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
    const { aborted, reason } = this.#signal;
    if (this.#body) this.#body.end(aborted ? error : new TransportError(error, { neverSent: false }));
    else if (aborted) this.#settle.reject(reason);
    else
      this.#settle.reject(new TransportError(explained(error), { neverSent: !this.#isStarted || isUnwritten(error) }));
  }

  /** It begins when it has a connection, certificate checked. */
  get #isStarted(): boolean {
    return this.#controller !== null;
  }

  #isOver(): void {
    this.#sent.delete(this);
    this.#signal.removeEventListener('abort', this.#abort);
  }
}

/** Only what failed before a byte was written counts: a server that closes early may have read the request. */
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

/** An operator is told what can be done about it. */
function explained(error: Error): Error {
  const { code = '' } = error as Error & { code?: string };
  if (!unknownAuthority.has(code)) return error;
  const help =
    'This server does not know who signed the certificate. NODE_EXTRA_CA_CERTS names a file of further authorities';
  return Object.assign(new Error(`${help} (${error.message}).`, { cause: error }), { code });
}
