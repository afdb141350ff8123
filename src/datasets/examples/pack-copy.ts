import { asCopy, CopyMemory } from './copy-parts.ts';
import type { CopiedExample } from './example-copy.ts';
import { kindOf, type PackedPlaces } from './pack-format.ts';

const hashBytes = 32;
const numberBytes = 4;
const lengthBytes = 4;
const fields = 10;
const noField = -1;
const unknown = -1;
const jsonbVersion = 1;
/** UTF-8 takes at most as many bytes for each unit of a string. */
const mostBytesPerUnit = 3;

/**
 * What a tuple may take (8,160 bytes) so that PostgreSQL keeps it in its page as it is, less what it takes whatever is in it: its
 * head, the name of the dataset, the first hash, and the lengths of six columns with their padding.
 */
const roomBytes = 8_160 - 160;
/** Of each example, beside its content: hash, kind, and three numbers. */
const exampleBytes = hashBytes + 1 + 3 * numberBytes;
/** More are not needed to save rows, and each look for one of them goes through all. */
const mostExamples = 128;

type Member = { hashAt: number; start: number; end: number; place: number; example: CopiedExample };

/** Examples as data of `copyPacks`: `add` takes them in the order of their hashes. */
export class PackCopy {
  readonly #memory: CopyMemory;
  readonly #dataset: Buffer;
  readonly #places: PackedPlaces;
  #from: Buffer = Buffer.alloc(0);
  #members: Member[] = [];
  #used = 0;
  packs = 0;

  constructor({ datasetId, places, bytes }: { datasetId: string; places: PackedPlaces; bytes: number }) {
    this.#memory = new CopyMemory(bytes);
    this.#dataset = Buffer.from(datasetId);
    this.#places = places;
  }

  get bytes(): number {
    return this.#memory.used;
  }

  /** Hash and canonical JSON stand in the bytes until `endPack`. */
  add(from: Buffer, member: Member): void {
    const size = exampleBytes + member.end - member.start + issuesBytes(member);
    if (this.#members.length > 0 && (this.#used + size > roomBytes || this.#members.length === mostExamples))
      this.endPack();
    this.#from = from;
    this.#members.push(member);
    this.#used += size;
  }

  /** What is added next comes into another pack. */
  endPack(): void {
    const members = this.#members;
    const [first] = members;
    if (!first) return;
    const [from, issues] = [this.#from, issuesOf(members)];
    const contentBytes = members.reduce((sum, { start, end }) => sum + end - start, 0);
    const row = new PackRow(this.#memory, this.#dataset.length + sizeOf(members.length, contentBytes, issues));
    row.field(this.#dataset);
    row.number(numberBytes).number(this.packs);
    row.number(hashBytes).bytes(from, first.hashAt, first.hashAt + hashBytes);
    row.number(members.length * hashBytes);
    for (const { hashAt } of members) row.bytes(from, hashAt, hashAt + hashBytes);
    row.number(members.length * numberBytes);
    for (const { place } of members) row.number(place);
    row.field(Uint8Array.from(members, ({ example }) => kindOf(example)));
    row.number(members.length * numberBytes);
    for (const { example } of members) row.number(example.tokens ?? unknown);
    row.number(members.length * numberBytes);
    let contentEnd = 0;
    for (const { start, end } of members) {
      contentEnd += end - start;
      row.number(contentEnd);
    }
    row.number(contentBytes);
    for (const { start, end } of members) row.bytes(from, start, end);
    row.jsonb(issues);
    for (const [index, { place, example }] of members.entries())
      this.#places.set(place, { pack: this.packs, slot: index + 1, kind: kindOf(example) });
    this.packs++;
    this.#members = [];
    this.#used = 0;
  }

  /** The packs so far; valid until examples are added after the next `take`. */
  take(): Buffer[] {
    return asCopy([this.#memory.take()]);
  }
}

const issuesBytes = ({ example: { issues } }: Member) =>
  issues.length === 0 ? 0 : JSON.stringify(issues).length * mostBytesPerUnit;

/** By slot. */
function issuesOf(members: readonly Member[]): Buffer | null {
  const issues = members.flatMap(({ example }, index) =>
    example.issues.length === 0 ? [] : [[index + 1, example.issues]],
  );
  return issues.length === 0 ? null : Buffer.from(JSON.stringify(Object.fromEntries(issues)));
}

/** Of a row in the format of `copy`, but for the dataset's name. */
function sizeOf(members: number, contentBytes: number, issues: Buffer | null): number {
  const fixed = 2 + fields * lengthBytes + numberBytes + hashBytes;
  return fixed + members * exampleBytes + contentBytes + (issues ? issues.length + 1 : 0);
}

/** One row, field by field, into memory that is exactly as large. A field has its length before it. */
class PackRow {
  readonly #into: Buffer;
  #at: number;

  constructor(memory: CopyMemory, bytes: number) {
    const { into, at } = memory.room(bytes);
    this.#into = into;
    this.#at = into.writeInt16BE(fields, at);
  }

  number(value: number): this {
    this.#at = this.#into.writeInt32BE(value, this.#at);
    return this;
  }

  bytes(from: Buffer, start: number, end: number): void {
    this.#at += from.copy(this.#into, this.#at, start, end);
  }

  field(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.#into.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  jsonb(json: Buffer | null): void {
    if (json === null) {
      this.number(noField);
      return;
    }
    this.number(json.length + 1);
    this.#into[this.#at++] = jsonbVersion;
    this.#at += json.copy(this.#into, this.#at);
  }
}
