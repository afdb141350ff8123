import { asCopy, CopyMemory } from './copy-parts.ts';
import type { CopiedExample } from './example-copy.ts';
import { kindOf, type PackedPlaces } from './pack-format.ts';

const hashBytes = 32;
const fields = 10;
const integerType = 23;
const textType = 25;
const lengthBytes = 4;
const arrayHeadBytes = 20;
/** An element of an array has its length before it. */
const numberBytes = lengthBytes + 4;
const noField = -1;
const jsonbVersion = 1;
/** UTF-8 takes at most as many bytes for each unit of a string. */
const mostBytesPerUnit = 3;

/**
 * What a tuple may take (8,160 bytes) so that PostgreSQL keeps it in its page as it is, less what it takes whatever is in it: its
 * head, the name of the dataset, the first hash, and the heads of three arrays of numbers and one of texts.
 */
const roomBytes = 8_160 - 260;
/** Of each example, beside its content: hash, kind, three numbers, and the length of the content with its padding. */
const exampleBytes = hashBytes + 1 + 3 * 4 + 7;
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
    const from = this.#from;
    const issues = issuesOf(members);
    const row = new PackRow(this.#memory, sizeOf(members) + this.#dataset.length + (issues ? issues.length + 1 : 0));
    row.field(this.#dataset);
    row.integer(this.packs);
    row.field(from.subarray(first.hashAt, first.hashAt + hashBytes));
    row.length(members.length * hashBytes);
    for (const { hashAt } of members) row.bytes(from, hashAt, hashAt + hashBytes);
    row.integers(members.map(({ place }) => place));
    row.field(Uint8Array.from(members, ({ example }) => kindOf(example)));
    row.integers(members.map(({ example }) => example.tokens));
    row.integers(members.map(({ example }) => example.bytes));
    const bytes = members.reduce((sum, { start, end }) => sum + lengthBytes + end - start, 0);
    row.array(textType, { elements: members.length, bytes, hasNull: false });
    for (const { start, end } of members) {
      row.length(end - start);
      row.bytes(from, start, end);
    }
    row.jsonb(issues);
    for (const { place, example } of members) this.#places.set(place, this.packs, kindOf(example));
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

function issuesOf(members: readonly Member[]): Buffer | null {
  const issues = members.flatMap(({ example }, index) =>
    example.issues.length === 0 ? [] : [[index + 1, example.issues]],
  );
  return issues.length === 0 ? null : Buffer.from(JSON.stringify(Object.fromEntries(issues)));
}

/** Of a row in the format of `copy`, but for what the dataset's name and issues take. */
function sizeOf(members: readonly Member[]): number {
  const arrays = 4 * (lengthBytes + arrayHeadBytes);
  const fixed = 2 + 6 * lengthBytes + 4 + hashBytes + arrays;
  return members.reduce((sum, { start, end, example }) => {
    const unknown = example.tokens === null ? 4 : 0;
    return sum + hashBytes + 1 + 3 * numberBytes - unknown + lengthBytes + end - start;
  }, fixed);
}

/** One row, field by field, into memory that is exactly as large. */
class PackRow {
  readonly #into: Buffer;
  #at: number;

  constructor(memory: CopyMemory, bytes: number) {
    const { into, at } = memory.room(bytes);
    this.#into = into;
    this.#at = into.writeInt16BE(fields, at);
  }

  length(bytes: number): void {
    this.#at = this.#into.writeInt32BE(bytes, this.#at);
  }

  bytes(from: Buffer, start: number, end: number): void {
    this.#at += from.copy(this.#into, this.#at, start, end);
  }

  field(bytes: Uint8Array): void {
    this.length(bytes.length);
    this.#into.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  integer(value: number): void {
    this.length(4);
    this.length(value);
  }

  /** What follows are its elements. `bytes`: of all of them with their lengths. */
  array(type: number, { elements, bytes, hasNull }: { elements: number; bytes: number; hasNull: boolean }): void {
    for (const number of [arrayHeadBytes + bytes, 1, hasNull ? 1 : 0, type, elements, 1]) this.length(number);
  }

  integers(values: readonly (number | null)[]): void {
    const nulls = values.filter((value) => value === null).length;
    const bytes = values.length * numberBytes - nulls * 4;
    this.array(integerType, { elements: values.length, bytes, hasNull: nulls > 0 });
    for (const value of values) {
      if (value === null) this.length(noField);
      else this.integer(value);
    }
  }

  jsonb(json: Buffer | null): void {
    if (json === null) {
      this.length(noField);
      return;
    }
    this.length(json.length + 1);
    this.#into[this.#at++] = jsonbVersion;
    this.#at += json.copy(this.#into, this.#at);
  }
}
