import { encodeContents } from './bulk-writes.store.ts';
import { asCopy, CopyMemory, rowsOnly } from './copy-parts.ts';
import { writePlace } from './example-ids.ts';

const hashBytes = 32;
const lengthBytes = 4;

/** Contents of a dataset as data of `copyContents`, copied from memory without being parsed. */
export class ContentCopy {
  readonly #memory: CopyMemory;
  /** The bytes of each row before its hash. */
  readonly #head: Buffer;
  /** The bytes of each row after its JSON: the id of its example, whose last characters are its place. */
  readonly #tail: Buffer;
  readonly #hasId: boolean;

  /**
   * `firstId`: id of the first example that is added together with these contents; the others follow in order. Null:
   * no examples are added.
   */
  constructor({ datasetId, firstId, bytes }: { datasetId: string; firstId: string | null; bytes: number }) {
    this.#memory = new CopyMemory(bytes);
    const row = rowsOnly(encodeContents(datasetId, [{ hash: Buffer.alloc(hashBytes), json: '', cameWith: firstId }]));
    const tailBytes = lengthBytes + (firstId?.length ?? 0);
    this.#head = row.subarray(0, row.length - hashBytes - lengthBytes - tailBytes);
    this.#tail = row.subarray(row.length - tailBytes);
    this.#hasId = firstId !== null;
  }

  get bytes(): number {
    return this.#memory.used;
  }

  /** The canonical JSON stands somewhere in the bytes; `place`: of its example among those that come with contents. */
  add(from: Buffer, hashAt: number, { start, end }: { start: number; end: number }, place: number): void {
    const jsonBytes = end - start;
    const rowBytes = this.#head.length + hashBytes + lengthBytes + jsonBytes + this.#tail.length;
    const { into, at } = this.#memory.room(rowBytes);
    into.set(this.#head, at);
    const hash = at + this.#head.length;
    from.copy(into, hash, hashAt, hashAt + hashBytes);
    into.writeInt32BE(jsonBytes, hash + hashBytes);
    from.copy(into, hash + hashBytes + lengthBytes, start, end);
    into.set(this.#tail, at + rowBytes - this.#tail.length);
    if (this.#hasId) writePlace(into, at + rowBytes, place);
  }

  /** The rows so far; valid until rows are added after the next `take`. */
  take(): Buffer[] {
    return asCopy([this.#memory.take()]);
  }
}
