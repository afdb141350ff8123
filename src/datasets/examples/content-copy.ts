import { encodeContents } from './bulk-writes.store.ts';
import { asCopy, CopyMemory, rowsOnly } from './copy-parts.ts';

const hashBytes = 32;
const lengthBytes = 4;

/** Contents of a dataset as data of `copyContents`, put together from where they lie without a look at what they say. */
export class ContentCopy {
  readonly #memory: CopyMemory;
  /** What each row begins with, up to its hash. */
  readonly #head: Buffer;

  constructor(datasetId: string, bytes: number) {
    this.#memory = new CopyMemory(bytes);
    const row = rowsOnly(encodeContents(datasetId, [{ hash: Buffer.alloc(hashBytes), json: '' }]));
    this.#head = row.subarray(0, row.length - hashBytes - lengthBytes);
  }

  get bytes(): number {
    return this.#memory.used;
  }

  add(from: Buffer, hashAt: number, { start, end }: { start: number; end: number }): void {
    const jsonBytes = end - start;
    const { into, at } = this.#memory.room(this.#head.length + hashBytes + lengthBytes + jsonBytes);
    into.set(this.#head, at);
    const hash = at + this.#head.length;
    from.copy(into, hash, hashAt, hashAt + hashBytes);
    into.writeInt32BE(jsonBytes, hash + hashBytes);
    from.copy(into, hash + hashBytes + lengthBytes, start, end);
  }

  /** It holds until the next but one is taken. */
  take(): Buffer[] {
    return asCopy([this.#memory.take()]);
  }
}
