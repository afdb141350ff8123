import { Numbers } from './numbers.ts';

/** Examples of a block at most: which of them have a word takes 4 KB. */
export const blockExamples = 32_768;
/** A block that has this many entries ends earlier, so that making it takes bounded memory. */
const manyEntries = 4_000_000;
/** Of a row, unless one word takes more: what is looked through for a word. */
const pageBytes = 3_000;
/** Words of the same row stand behind each other: the length of the word, its count, the word, its places. */
export const entryHead = 4;
/** In place of a count: the places are a bit for each example, or all of them. */
export const asBits = 0;
export const all = 0xffff;

/** A row of a block: some words and where they are. */
export type WordPage = { word: string; entries: Buffer };

/** Makes a block of the words of examples in the order of their places. */
export class WordBlock {
  readonly #numbers = new Map<string, number>();
  /** For each word its latest example, and how many it has. */
  readonly #latest = new Numbers();
  readonly #counts = new Numbers();
  /** For each entry its word; those of example n end where `ends` says. */
  readonly #entries = new Numbers();
  readonly #ends = new Numbers();

  get examples(): number {
    return this.#ends.length;
  }

  get isFull(): boolean {
    return this.examples >= blockExamples || this.#entries.length >= manyEntries;
  }

  /** The next example. */
  add(words: readonly string[]): void {
    const mark = this.examples + 1;
    for (const word of words) {
      if (word === '') continue;
      const number = this.#numberOf(word);
      if (this.#latest.at(number) === mark) continue;
      this.#latest.set(number, mark);
      this.#counts.set(number, this.#counts.at(number) + 1);
      this.#entries.push(number);
    }
    this.#ends.push(this.#entries.length);
  }

  #numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(word, number);
    this.#latest.push(0);
    this.#counts.push(0);
    return number;
  }

  /** Its rows, in the order of their words. */
  pages(): WordPage[] {
    const places = this.#placesByWord();
    const words = Array.from(this.#numbers, ([word, number]) => ({ word, bytes: Buffer.from(word), number }));
    words.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    const pages: WordPage[] = [];
    let page: { word: string; parts: Buffer[]; bytes: number } | null = null;
    for (const { word, bytes, number } of words) {
      const entry = this.#entryOf(bytes, places(number));
      if (page === null || page.bytes + entry.length > pageBytes) {
        if (page) pages.push({ word: page.word, entries: Buffer.concat(page.parts) });
        page = { word, parts: [], bytes: 0 };
      }
      page.parts.push(entry);
      page.bytes += entry.length;
    }
    if (page) pages.push({ word: page.word, entries: Buffer.concat(page.parts) });
    return pages;
  }

  /** Sorted by counting: where the places of each word begin is known. */
  #placesByWord(): (number: number) => Uint16Array {
    const next = new Uint32Array(this.#numbers.size + 1);
    for (let number = 0; number < this.#numbers.size; number++)
      next[number + 1] = (next[number] ?? 0) + this.#counts.at(number);
    const places = new Uint16Array(this.#entries.length);
    for (let place = 0, entry = 0; place < this.examples; place++)
      for (; entry < this.#ends.at(place); entry++) {
        const number = this.#entries.at(entry);
        const at = next[number] ?? 0;
        places[at] = place;
        next[number] = at + 1;
      }
    return (number) => places.subarray((next[number] ?? 0) - this.#counts.at(number), next[number]);
  }

  #entryOf(word: Buffer, places: Uint16Array): Buffer {
    const isAll = places.length === this.examples;
    const isBits = !isAll && places.length * 2 > bitBytes(this.examples);
    const data = isAll ? Buffer.alloc(0) : isBits ? bitsOf(places, this.examples) : littleEndian(places);
    const head = Buffer.alloc(entryHead);
    head.writeUInt16LE(word.length, 0);
    head.writeUInt16LE(isAll ? all : isBits ? asBits : places.length, 2);
    return Buffer.concat([head, word, data]);
  }
}

export const bitBytes = (examples: number) => Math.ceil(examples / 32) * 4;

function bitsOf(places: Uint16Array, examples: number): Buffer {
  const bits = Buffer.alloc(bitBytes(examples));
  for (const place of places) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7));
  return bits;
}

function littleEndian(places: Uint16Array): Buffer {
  const bytes = Buffer.allocUnsafe(places.length * 2);
  for (let index = 0; index < places.length; index++) bytes.writeUInt16LE(places[index] ?? 0, index * 2);
  return bytes;
}
