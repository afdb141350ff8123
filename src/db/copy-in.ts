import type pg from 'pg';

const copyDataMessage = 0x64;
const copyDoneMessage = 0x63;
/** Of a message its letter and its length, which counts itself. */
const headBytes = 5;
const lengthBytes = 4;

/**
 * One `copy ... from stdin` whose data is at hand, as a query of the driver. Large parts go to the socket as they are,
 * without being copied.
 */
export class CopyIn implements pg.Submittable {
  /** Read by the driver: longer than a statement may take, as the disk has its say. */
  readonly query_timeout = 120_000;
  readonly #text: string;
  readonly #data: readonly Buffer[];
  readonly #end = Promise.withResolvers<void>();

  constructor(text: string, data: readonly Buffer[]) {
    this.#text = text;
    this.#data = data;
  }

  /** Of the statement. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  /** The driver puts its own in this place when it watches the time. */
  callback(): void {}

  handleCopyInResponse({ stream }: pg.Connection): void {
    stream.cork();
    for (const data of this.#data) {
      stream.write(messageHead(copyDataMessage, data.length));
      stream.write(data);
    }
    stream.write(messageHead(copyDoneMessage, 0));
    stream.uncork();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback();
    this.#end.resolve();
  }

  handleError(error: Error): void {
    this.callback();
    this.#end.reject(error);
  }
}

function messageHead(letter: number, dataBytes: number): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(letter, 0);
  head.writeUInt32BE(dataBytes + lengthBytes, 1);
  return head;
}
