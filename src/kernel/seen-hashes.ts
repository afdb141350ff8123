const wordsPerHash = 4;
/** Few: many sets are small, and kept. */
const firstSlots = 1 << 6;

/**
 * A set of SHA-256 digests, of which it keeps the first 128 bits: at most 32 bytes each, so a million take 32 MB and
 * no time of the garbage collector. That two contents agree in 128 bits of a digest is practically impossible.
 */
export class SeenHashes {
  #slots = firstSlots;
  #words = new Uint32Array(firstSlots * wordsPerHash);
  #used = 0;
  /** The digest that is looked for, in words. The first word is made odd, because zero marks a free slot. */
  readonly #wanted = new Uint32Array(wordsPerHash);

  /** The digest that stands `at` a place of the bytes. False: it was there. */
  add(bytes: Buffer, at = 0): boolean {
    if (this.#used * 10 > this.#slots * 7) this.#grow();
    this.#want(bytes, at);
    const place = this.#find();
    if (this.#words[place] !== 0) return false;
    this.#put(place);
    this.#used++;
    return true;
  }

  has(hash: Buffer): boolean {
    this.#want(hash, 0);
    return this.#words[this.#find()] !== 0;
  }

  #want(bytes: Buffer, at: number): void {
    const wanted = this.#wanted;
    wanted[0] = bytes.readUInt32LE(at) | 1;
    wanted[1] = bytes.readUInt32LE(at + 4);
    wanted[2] = bytes.readUInt32LE(at + 8);
    wanted[3] = bytes.readUInt32LE(at + 12);
  }

  /** Where it is, or the free place where it belongs. */
  #find(): number {
    const words = this.#words;
    const wanted = this.#wanted;
    const second = wanted[1] ?? 0;
    const [first, third, fourth] = [wanted[0], wanted[2], wanted[3]];
    for (let slot = second & (this.#slots - 1); ; slot = (slot + 1) & (this.#slots - 1)) {
      const at = slot * wordsPerHash;
      if (words[at] === 0) return at;
      if (words[at] === first && words[at + 1] === second && words[at + 2] === third && words[at + 3] === fourth)
        return at;
    }
  }

  #grow(): void {
    const old = this.#words;
    this.#slots *= 2;
    this.#words = new Uint32Array(this.#slots * wordsPerHash);
    for (let at = 0; at < old.length; at += wordsPerHash) {
      if (old[at] === 0) continue;
      for (let word = 0; word < wordsPerHash; word++) this.#wanted[word] = old[at + word] ?? 0;
      this.#put(this.#find());
    }
  }

  #put(place: number): void {
    for (let word = 0; word < wordsPerHash; word++) this.#words[place + word] = this.#wanted[word] ?? 0;
  }
}
