import type { IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Exchange } from './exchange.ts';
import { type ResponseListener, ResponseReader } from './response-reader.ts';
import type { Bounds } from './transport.ts';

export type Place = { host: string; port: number };

type Owner = {
  /** It can carry another exchange. */
  free: (connection: PlainConnection) => void;
  gone: (connection: PlainConnection) => void;
};

/** One connection, which carries one exchange at a time. */
export class PlainConnection implements ResponseListener {
  readonly #socket: Socket;
  readonly #owner: Owner;
  readonly #reader: ResponseReader;
  readonly #bounds: Bounds;
  #exchange: Exchange | null = null;
  #isConnected = false;
  #isGone = false;
  /** Looks since something last happened here. */
  #looks = 0;
  #reusableMs = 0;
  #restsUntilMs = 0;

  constructor({ host, port, bounds }: Place & { bounds: Bounds }, owner: Owner) {
    this.#owner = owner;
    this.#bounds = bounds;
    this.#reader = new ResponseReader(this, bounds.idleMs);
    const keeping = { noDelay: true, keepAlive: true, keepAliveInitialDelay: bounds.probeAfterMs };
    this.#socket = connect({ host, port, ...keeping })
      .on('connect', () => {
        this.#isConnected = true;
        this.#looks = 0;
        this.#write();
      })
      .on('data', (bytes) => this.#read(bytes))
      .on('end', () => this.#ended())
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy(new Error('The other side closed the connection.')));
  }

  /** To be called on a new connection, or one that is free. */
  carry(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.carriedBy(this);
    this.#looks = 0;
    this.#socket.ref();
    if (this.#isConnected) this.#write();
  }

  /** Whether it may carry another exchange now; it ends where not. */
  isGood(nowMs: number): boolean {
    if (nowMs < this.#restsUntilMs && !this.#isGone) return true;
    this.destroy(new Error('It has rested for too long.'));
    return false;
  }

  /**
   * To be called every `everyMs`. These looks are counted, and no clock is asked: while this process itself stood still, the other side
   * may have said what nobody has read.
   */
  endIfOld(everyMs: number): void {
    const { connectMs, answerMs } = this.#bounds;
    const silentMs = this.#looks * everyMs;
    this.#looks += 1;
    if (this.#exchange === null) this.isGood(performance.now());
    else if (!this.#isConnected && silentMs >= connectMs)
      this.destroy(new Error(`No connection was made within ${connectMs / 1_000} seconds.`));
    else if (silentMs >= answerMs) this.destroy(new Error('The engine has been silent for too long.'));
  }

  giveUp(why: string): void {
    if (this.#exchange) this.destroy(new Error(why));
  }

  /** Ends it and what it carries. */
  destroy(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#socket.destroy();
    const exchange = this.#exchange;
    this.#exchange = null;
    exchange?.fail(error);
    this.#owner.gone(this);
  }

  /** For the reader, as `piece` and `end` are. */
  head(status: number, headers: IncomingHttpHeaders): void {
    this.#exchange?.head(status, headers);
  }

  piece(bytes: Buffer): void {
    this.#exchange?.piece(bytes);
  }

  end(reusableMs: number): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    // A server that answers before it has the whole request may not have read the rest of it.
    const isWhole = this.#socket.writableLength === 0;
    this.#reusableMs = isWhole && exchange?.isLast !== true ? reusableMs : 0;
    exchange?.end();
  }

  #write(): void {
    if (this.#exchange === null) return;
    this.#reader.expect();
    this.#exchange.written();
    this.#socket.write(this.#exchange.text);
  }

  #read(bytes: Buffer): void {
    this.#looks = 0;
    try {
      this.#reader.feed(bytes);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
    // Not before all that came was read: what stands behind an answer must never be taken for the next one.
    if (this.#exchange !== null || this.#isGone) return;
    if (this.#reusableMs === 0) this.destroy(new Error('It may not be used again.'));
    else this.#rest();
  }

  #rest(): void {
    this.#restsUntilMs = performance.now() + this.#reusableMs;
    this.#socket.unref();
    this.#owner.free(this);
  }

  #ended(): void {
    if (this.#isGone) return;
    this.#reader.close();
    this.destroy(new Error('The other side closed the connection.'));
  }
}
