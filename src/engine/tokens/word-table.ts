/** A slot has four lanes: fifteen bytes of a word, those behind its end being 0, and how many tokens it has. */
const slotLanes = 4;
export const longestInTable = 15;
const lanesShift = 2;
const countShift = 24;
const lastBytes = (1 << countShift) - 1;
const mostWords = 1 << 16;
const firstSlots = 1 << 12;

/** What a word of so many bytes has of each lane. */
const masks = Int32Array.from({ length: (longestInTable + 1) * slotLanes }, (_, index) => {
  const bytes = Math.max(0, Math.min(4, (index >> lanesShift) - (index % slotLanes) * 4));
  return bytes === 4 ? -1 : 2 ** (bytes * 8) - 1;
});

/** Counts of short words, in one piece of memory: none of them is a string, and no two words share a slot. */
export class WordTable {
  #lanes = new Int32Array(firstSlots * slotLanes);
  #words = 0;

  /**
   * The tokens of a word; -1: it is not known. Memory must go on for 15 bytes behind its beginning. There are no loops, as the
   * lengths of words cannot be foreseen.
   */
  find(view: DataView, at: number, end: number): number {
    if (end - at > longestInTable) return -1;
    const lanes = this.#lanes;
    const mask = (end - at) << lanesShift;
    const one = view.getInt32(at, true) & (masks[mask] ?? 0);
    const two = view.getInt32(at + 4, true) & (masks[mask + 1] ?? 0);
    const three = view.getInt32(at + 8, true) & (masks[mask + 2] ?? 0);
    const four = view.getInt32(at + 12, true) & (masks[mask + 3] ?? 0);
    const last = lanes.length - slotLanes;
    let slot = (hashOf(one, two, three, four) << lanesShift) & last;
    // Nearly every word is where it is looked for first.
    for (let first = lanes[slot] ?? 0; first !== 0; first = lanes[slot] ?? 0) {
      const found = lanes[slot + 3] ?? 0;
      const other = (lanes[slot + 1] ?? 0) ^ two;
      if (((first ^ one) | other | ((lanes[slot + 2] ?? 0) ^ three) | ((found & lastBytes) ^ four)) === 0)
        return found >>> countShift;
      slot = (slot + slotLanes) & last;
    }
    return -1;
  }

  /** Of a word that is not known and short enough. */
  add(view: DataView, at: number, end: number, tokens: number): void {
    if (tokens >= 1 << 7) return;
    if (this.#words >= mostWords) this.#forget();
    else if (this.#words * 2 * slotLanes >= this.#lanes.length) this.#spread();
    this.#words++;
    const laneAt = (lane: number) =>
      view.getInt32(at + lane * 4, true) & (masks[((end - at) << lanesShift) + lane] ?? 0);
    this.#put(laneAt(0), laneAt(1), laneAt(2), laneAt(3) | (tokens << countShift));
  }

  #put(one: number, two: number, three: number, four: number): void {
    const lanes = this.#lanes;
    const last = lanes.length - slotLanes;
    let slot = (hashOf(one, two, three, four & lastBytes) << lanesShift) & last;
    while (lanes[slot] !== 0) slot = (slot + slotLanes) & last;
    lanes.set([one, two, three, four], slot);
  }

  #forget(): void {
    this.#lanes.fill(0);
    this.#words = 0;
  }

  /** Twice as many slots: as few as will do stay in the caches. */
  #spread(): void {
    const before = this.#lanes;
    this.#lanes = new Int32Array(before.length * 2);
    for (let slot = 0; slot < before.length; slot += slotLanes) {
      const [one = 0, two = 0, three = 0, four = 0] = before.subarray(slot, slot + slotLanes);
      if (one !== 0) this.#put(one, two, three, four);
    }
  }
}

function hashOf(one: number, two: number, three: number, four: number): number {
  const beginning = Math.imul(one, 0x9e3779b1) ^ Math.imul(two, 0x85ebca77);
  const sum = beginning ^ Math.imul(three, 0xc2b2ae3d) ^ Math.imul(four, 0x27d4eb2f);
  const mixed = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 15);
}
