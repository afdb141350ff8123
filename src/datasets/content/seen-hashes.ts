const wordsPerHash = 4;
const firstSlots = 1 << 12;

/**
 * A set of SHA-256 digests, by their first 128 bits: 32 bytes each at most, so that a million of them take 32 MB and no
 * time of the garbage collector. Two contents that agree in 128 bits of a digest do not happen.
 */
export class SeenHashes {
  #slots = firstSlots;
  #words = new Uint32Array(firstSlots * wordsPerHash);
  #used = 0;

  /** False: it was there. */
  add(hash: Buffer): boolean {
    if (this.#used * 10 > this.#slots * 7) this.#grow();
    const isNew = this.#put(
      hash.readUInt32LE(0) | 1,
      hash.readUInt32LE(4),
      hash.readUInt32LE(8),
      hash.readUInt32LE(12),
    );
    if (isNew) this.#used++;
    return isNew;
  }

  /** The first word is odd: zero says that a slot is free. */
  #put(first: number, ...rest: [number, number, number]): boolean {
    const [second, third, fourth] = rest;
    const words = this.#words;
    for (let slot = second & (this.#slots - 1); ; slot = (slot + 1) & (this.#slots - 1)) {
      const at = slot * wordsPerHash;
      if (words[at] === 0) {
        words[at] = first >>> 0;
        words[at + 1] = second;
        words[at + 2] = third;
        words[at + 3] = fourth;
        return true;
      }
      if (words[at] === first >>> 0 && words[at + 1] === second && words[at + 2] === third && words[at + 3] === fourth)
        return false;
    }
  }

  #grow(): void {
    const old = this.#words;
    this.#slots *= 2;
    this.#words = new Uint32Array(this.#slots * wordsPerHash);
    for (let at = 0; at < old.length; at += wordsPerHash)
      if (old[at] !== 0) this.#put(old[at] ?? 0, old[at + 1] ?? 0, old[at + 2] ?? 0, old[at + 3] ?? 0);
  }
}
