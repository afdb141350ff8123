import type { IncomingHttpHeaders } from 'node:http';
import { AnswerBody } from '../answer-body.ts';
import { type Bounds, type Settle, TransportError } from './transport.ts';

type Asked = { isLast: boolean; signal: AbortSignal; settle: Settle; bounds: Pick<Bounds, 'mostAnswerBytes'> };

/** One request and its answer. */
export class Exchange {
  /** The whole request. */
  readonly text: string;
  /** Its connection carries nothing after it. */
  readonly isLast: boolean;
  readonly #signal: AbortSignal;
  readonly #settle: Settle;
  readonly #mostBytes: number;
  #connection: { destroy: (error: Error) => void } | null = null;
  #body: AnswerBody | null = null;
  #bytes = 0;
  #isWritten = false;
  #isOver = false;

  constructor(text: string, { isLast, signal, settle, bounds }: Asked) {
    this.text = text;
    this.isLast = isLast;
    this.#mostBytes = bounds.mostAnswerBytes;
    this.#signal = signal;
    this.#settle = settle;
    signal.addEventListener('abort', this.#leave);
  }

  /** Nobody waits for it, or it has failed, or its answer is whole. */
  get isOver(): boolean {
    return this.#isOver;
  }

  carriedBy(connection: { destroy: (error: Error) => void }): void {
    this.#connection = connection;
  }

  written(): void {
    this.#isWritten = true;
  }

  head(status: number, headers: IncomingHttpHeaders): void {
    if (this.#isOver) return;
    this.#body = new AnswerBody(this);
    this.#settle.resolve({ status, headers, body: this.#body });
  }

  piece(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += bytes.length;
    if (this.#bytes > this.#mostBytes) throw new Error('The answer is too long.');
    this.#body?.add(bytes);
  }

  end(): void {
    if (!this.#finish()) return;
    this.#body?.end(null);
  }

  fail(error: Error): void {
    if (!this.#finish()) return;
    const lost = new TransportError(error, { neverSent: !this.#isWritten });
    if (this.#body) this.#body.end(lost);
    else this.#settle.reject(lost);
  }

  /** Ends its connection, which may long carry another one when this one is over. */
  abort(reason: Error): void {
    if (!this.#isOver) this.#connection?.destroy(reason);
  }

  /** Also while it waits for a connection. */
  readonly #leave = (): void => {
    if (!this.#finish()) return;
    const { reason } = this.#signal;
    const error = reason instanceof Error ? reason : new Error('The call was given up.');
    if (this.#body) this.#body.end(error);
    else this.#settle.reject(reason);
    this.#connection?.destroy(error);
  };

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#signal.removeEventListener('abort', this.#leave);
    return true;
  }
}
