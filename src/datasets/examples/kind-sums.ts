import type { CountChange } from './example-writes.store.ts';
import type { Origin, Split } from './new-examples.ts';

type Added = { split: Split; valid: boolean; tokens: number | null; bytes: number };

/** Sums up examples of one origin, for millions of them. */
export class KindSums {
  readonly #origin: Origin;
  readonly #sums: Record<Split, { valid: CountChange; invalid: CountChange }>;

  constructor(origin: Origin) {
    this.#origin = origin;
    this.#sums = { train: this.#none('train'), test: this.#none('test') };
  }

  add({ split, valid, tokens, bytes }: Added): void {
    const sum = valid ? this.#sums[split].valid : this.#sums[split].invalid;
    sum.examples++;
    sum.tokens += tokens ?? 0;
    sum.bytes += bytes;
    sum.addedBytes += bytes;
  }

  list(): CountChange[] {
    const { train, test } = this.#sums;
    return [train.valid, train.invalid, test.valid, test.invalid].filter(({ examples }) => examples > 0);
  }

  #none(split: Split) {
    const none = { split, origin: this.#origin, examples: 0, tokens: 0, bytes: 0, addedBytes: 0 };
    return { valid: { ...none, valid: true }, invalid: { ...none, valid: false } };
  }
}
