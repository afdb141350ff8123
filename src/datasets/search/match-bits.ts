import { all, asBits, bitBytes, entryHead } from './word-block.ts';

/** A word that must occur; `begins`: a word that begins so. */
type Term = { bytes: Buffer; begins: boolean };

/** A set of examples of a block, a bit for each. */
export class MatchBits {
  readonly examples: number;
  readonly #bits: Buffer;

  constructor(examples: number) {
    this.examples = examples;
    this.#bits = Buffer.alloc(bitBytes(examples));
  }

  has(place: number): boolean {
    return (((this.#bits[place >> 3] ?? 0) >> (place & 7)) & 1) === 1;
  }

  add(place: number): void {
    this.#bits[place >> 3] = (this.#bits[place >> 3] ?? 0) | (1 << (place & 7));
  }

  delete(place: number): void {
    this.#bits[place >> 3] = (this.#bits[place >> 3] ?? 0) & ~(1 << (place & 7));
  }

  /** Adds the examples that have the word, by a row of their block. */
  addWord(entries: Buffer, { bytes, begins }: Term): void {
    for (let at = 0; at < entries.length; ) {
      const wordEnd = at + entryHead + entries.readUInt16LE(at);
      const count = entries.readUInt16LE(at + 2);
      const end = wordEnd + this.#dataBytes(count);
      const compared = entries.compare(
        bytes,
        0,
        bytes.length,
        at + entryHead,
        Math.min(wordEnd, at + entryHead + bytes.length),
      );
      const isWanted = compared === 0 && (begins || wordEnd - at - entryHead === bytes.length);
      if (isWanted) this.#add(entries.subarray(wordEnd, end), count);
      if (compared > 0) return;
      at = end;
    }
  }

  #dataBytes(count: number): number {
    if (count === all) return 0;
    return count === asBits ? this.#bits.length : count * 2;
  }

  #add(data: Buffer, count: number): void {
    if (count === all) this.addAll();
    else if (count === asBits)
      for (let byte = 0; byte < data.length; byte++) this.#bits[byte] = (this.#bits[byte] ?? 0) | (data[byte] ?? 0);
    else
      for (let at = 0; at < data.length; at += 2) {
        const place = data.readUInt16LE(at);
        this.#bits[place >> 3] = (this.#bits[place >> 3] ?? 0) | (1 << (place & 7));
      }
  }

  addAll(): void {
    this.#bits.fill(0xff, 0, this.examples >> 3);
    if (this.examples & 7) this.#bits[this.examples >> 3] = (1 << (this.examples & 7)) - 1;
  }

  /** Leaves what both have. */
  keep(other: MatchBits): void {
    for (let byte = 0; byte < this.#bits.length; byte++)
      this.#bits[byte] = (this.#bits[byte] ?? 0) & (other.#bits[byte] ?? 0);
  }

  count(): number {
    let count = 0;
    for (const byte of this.#bits) count += bitsOfByte[byte] ?? 0;
    return count;
  }

  /** Its examples before a place, the last first. */
  *before(place: number): Generator<number> {
    for (let at = Math.min(place, this.examples) - 1; at >= 0; at--) if (this.has(at)) yield at;
  }
}

const bitsOfByte = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);
