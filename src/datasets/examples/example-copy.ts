import { encodeExamples, type NewRow } from './bulk-writes.store.ts';
import { asCopy, CopyMemory, rowsOnly } from './copy-parts.ts';
import { countedDigits, writePlace } from './example-ids.ts';
import type { Split } from './new-examples.ts';

const hashBytes = 32;
const lengthBytes = 4;

/** An example that an import adds; its hash stands somewhere else. */
export type CopiedExample = Omit<NewRow['example'], 'hash' | 'origin' | 'originId'>;

type Options = {
  datasetId: string;
  seq: bigint;
  importId: string;
  /** Of the first example; the others follow. */
  firstId: string;
  searched: boolean;
  bytes: number;
};
type Pattern = { row: Buffer; idEnd: number; hashAt: number; bytesAt: number; tokensAt: number };

/** So few that all of them are in the last page of the primary key, or in the one before it. */
const together = 64;
const togetherBytes = together * 256;

/**
 * Examples of an import as data of `copyExamples`. All rows of a split are alike but for a few numbers, so they are made from a
 * pattern. Those of a split stand together, some at a time: they come one behind the other in the index of live examples,
 * which begins with the split, and nearly so in the primary key, whose full pages would else be divided for those of the other.
 */
export class ExampleCopy {
  readonly #options: Options;
  readonly #memory: Record<Split, CopyMemory>;
  readonly #patterns: Record<Split, Pattern>;
  added = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#memory = { train: new CopyMemory(options.bytes), test: new CopyMemory(togetherBytes) };
    this.#patterns = { train: this.#patternOf('train'), test: this.#patternOf('test') };
  }

  get bytes(): number {
    return this.#memory.train.used + this.#memory.test.used;
  }

  /** Examples get ids that ascend in the order in which they are added. */
  add(from: Buffer, hashStart: number, example: CopiedExample): void {
    const { split, bytes, tokens, valid, issues } = example;
    if (this.added % together === 0) this.#gather();
    const place = this.added++;
    const memory = this.#memory[split];
    if (tokens === null || !valid || issues.length > 0) {
      const row = this.#encode(
        { ...example, hash: from.subarray(hashStart, hashStart + hashBytes) },
        this.#options.firstId.slice(0, -countedDigits) + '0'.repeat(countedDigits),
      );
      const { into, at } = memory.room(row.length);
      into.set(row, at);
      writePlace(into, at + this.#patterns[split].idEnd, place);
      return;
    }
    const { row, idEnd, hashAt, bytesAt, tokensAt } = this.#patterns[split];
    const { into, at } = memory.room(row.length);
    into.set(row, at);
    writePlace(into, at + idEnd, place);
    from.copy(into, at + hashAt, hashStart, hashStart + hashBytes);
    into.writeInt32BE(bytes, at + bytesAt);
    into.writeInt32BE(tokens, at + tokensAt);
  }

  /** The rows so far; valid until rows are added after the next `take`. */
  take(): Buffer[] {
    this.#gather();
    return asCopy([this.#memory.train.take()]);
  }

  #gather(): void {
    this.#memory.test.moveBehind(this.#memory.train);
  }

  #encode(example: CopiedExample & { hash: Buffer }, id: string): Buffer {
    const { datasetId, seq, importId, searched } = this.#options;
    const row = { id, searched, example: { ...example, origin: 'import', originId: importId } } as const;
    return rowsOnly(encodeExamples({ datasetId, seq }, [row]));
  }

  #patternOf(split: Split): Pattern {
    const { datasetId, importId, firstId } = this.#options;
    const example = { hash: Buffer.alloc(hashBytes), bytes: 0, split, tokens: 0, valid: true, issues: [] };
    const row = this.#encode(example, firstId);
    const field = (bytes: number) => lengthBytes + bytes;
    const idEnd = 2 + field(datasetId.length) + field(firstId.length);
    const hashAt = idEnd + field(8) + lengthBytes;
    const bytesAt = hashAt + hashBytes + lengthBytes;
    const tokensAt = bytesAt + 4 + field(split.length) + field('import'.length) + field(importId.length) + lengthBytes;
    return { row, idEnd, hashAt, bytesAt, tokensAt };
  }
}
