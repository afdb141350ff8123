import type { Split } from './new-examples.ts';

/*
 * Examples of a large import that lie together in a page of the database, in the order of their hashes. What the columns hold
 * is said in migrations/0044_example_packs.sql.
 */

/** Places to a row of `example_places`. */
export const placesTogether = 512;

/** What a pack says of the split of an example, and of its validity. */
export function kindOf({ split, valid }: { split: Split; valid: boolean }): number {
  return (split === 'test' ? 1 : 0) | (valid ? 0 : 2);
}

/** A row of `example_places`. */
export type CopiedPlaces = {
  firstPlace: number;
  packs: Int32Array;
  slots: Uint8Array;
  kinds: Uint8Array;
  present: number;
};

/** Which packs examples are in, by their places: a few bytes for each of millions. */
export class PackedPlaces {
  readonly #packs: Int32Array;
  readonly #slots: Uint8Array;
  readonly #kinds: Uint8Array;

  constructor(examples: number) {
    this.#packs = new Int32Array(examples);
    this.#slots = new Uint8Array(examples);
    this.#kinds = new Uint8Array(examples);
  }

  set(place: number, { pack, slot, kind }: { pack: number; slot: number; kind: number }): void {
    this.#packs[place] = pack;
    this.#slots[place] = slot;
    this.#kinds[place] = kind;
  }

  *stretches(): Generator<CopiedPlaces> {
    for (let firstPlace = 0; firstPlace < this.#packs.length; firstPlace += placesTogether) {
      const end = firstPlace + placesTogether;
      const kinds = this.#kinds.subarray(firstPlace, end);
      const present = kinds.reduce((bits, kind) => bits | (1 << kind), 0);
      const [packs, slots] = [this.#packs.subarray(firstPlace, end), this.#slots.subarray(firstPlace, end)];
      yield { firstPlace, packs, slots, kinds, present };
    }
  }
}
