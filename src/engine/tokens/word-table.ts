const slotBits = 17;
const slotCount = 1 << slotBits;
/** Half of the slots are free at least. */
const maxWords = slotCount / 2;
const slotBytes = 16;
/** The last byte of a slot is the length of its word. */
export const longestInTable = slotBytes - 1;
const maxTokens = 0xff;

/** Token counts of short words, found by their bytes: a string for each word would take five times as long. */
export class WordTable {
  readonly #words = new Uint8Array(slotCount * slotBytes);
  readonly #tokens = new Uint8Array(slotCount);
  #size = 0;

  /** Null: the word is not known. */
  get(text: Uint8Array, at: number, end: number, hash: number): number | null {
    const slot = this.#slotOf(text, at, end, hash);
    return this.#words[slot * slotBytes + longestInTable] === 0 ? null : (this.#tokens[slot] ?? 0);
  }

  set(text: Uint8Array, at: number, end: number, { hash, tokens }: { hash: number; tokens: number }): void {
    if (tokens > maxTokens) return;
    if (this.#size >= maxWords) {
      this.#words.fill(0);
      this.#size = 0;
    }
    this.#size++;
    const slot = this.#slotOf(text, at, end, hash);
    this.#words.set(text.subarray(at, end), slot * slotBytes);
    this.#words[slot * slotBytes + longestInTable] = end - at;
    this.#tokens[slot] = tokens;
  }

  /** The slot of the word, or the free one where it belongs. */
  #slotOf(text: Uint8Array, at: number, end: number, hash: number): number {
    const length = end - at;
    for (let slot = Math.imul(hash, 0x9e3779b1) >>> (32 - slotBits); ; slot = (slot + 1) % slotCount) {
      const start = slot * slotBytes;
      const found = this.#words[start + longestInTable];
      if (found === 0) return slot;
      if (found !== length) continue;
      let same = 0;
      while (same < length && this.#words[start + same] === text[at + same]) same++;
      if (same === length) return slot;
    }
  }
}
