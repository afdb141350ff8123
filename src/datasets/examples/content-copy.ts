import { encodeContents } from './bulk-writes.store.ts';
import { asCopy, CopyMemory, rowsOnly } from './copy-parts.ts';
import { writePlace } from './example-ids.ts';

const hashBytes = 32;
const lengthBytes = 4;

/** Contents of a dataset as data of `copyContents`, put together from where they lie without a look at what they say. */
export class ContentCopy {
  readonly #memory: CopyMemory;
  /** What each row begins with, up to its hash. */
  readonly #head: Buffer;
  /** What it ends with: the id of its example, but for the place. */
  readonly #tail: Buffer;
  readonly #hasId: boolean;

  /** `firstId`: of the examples that contents come with, which each know their place; null: they come alone. */
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

  /** It holds until the next but one is taken. */
  take(): Buffer[] {
    return asCopy([this.#memory.take()]);
  }
}
