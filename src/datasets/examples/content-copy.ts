import { encodeContents } from './bulk-writes.store.ts';
import { asCopy, CopyMemory, rowsOnly } from './copy-parts.ts';

const hashBytes = 32;
const lengthBytes = 4;

/** Contents of a dataset as data of `copyContents`, copied from memory without being parsed. */
export class ContentCopy {
  readonly #memory: CopyMemory;
  /** The bytes of each row before its hash. */
  readonly #head: Buffer;

  constructor({ datasetId, bytes }: { datasetId: string; bytes: number }) {
    this.#memory = new CopyMemory(bytes);
    const row = rowsOnly(encodeContents(datasetId, [{ hash: Buffer.alloc(hashBytes), json: '' }]));
    this.#head = row.subarray(0, row.length - hashBytes - lengthBytes);
  }

  get bytes(): number {
    return this.#memory.used;
  }

  /** The canonical JSON stands somewhere in the bytes. */
  add(from: Buffer, hashAt: number, { start, end }: { start: number; end: number }): void {
    const jsonBytes = end - start;
    const rowBytes = this.#head.length + hashBytes + lengthBytes + jsonBytes;
    const { into, at } = this.#memory.room(rowBytes);
    into.set(this.#head, at);
    const hash = at + this.#head.length;
    from.copy(into, hash, hashAt, hashAt + hashBytes);
    into.writeInt32BE(jsonBytes, hash + hashBytes);
    from.copy(into, hash + hashBytes + lengthBytes, start, end);
  }

  /** The rows so far; valid until rows are added after the next `take`. */
  take(): Buffer[] {
    return asCopy([this.#memory.take()]);
  }
}
