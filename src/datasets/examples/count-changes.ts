import type { CountChange, CountedExample } from './example-writes.store.ts';

/** Sums up what comes and goes, one change per kind of examples. */
export class CountChanges {
  readonly #byKind = new Map<string, CountChange>();

  /** `isStored`: its content was there before. */
  add(example: CountedExample, { isStored = false } = {}): void {
    this.#count(example, 1).addedBytes += isStored ? 0 : example.bytes;
  }

  remove(example: CountedExample): void {
    this.#count(example, -1);
  }

  list(): CountChange[] {
    return [...this.#byKind.values()].filter(
      ({ examples, tokens, bytes, addedBytes }) => examples !== 0 || tokens !== 0 || bytes !== 0 || addedBytes !== 0,
    );
  }

  #count({ split, origin, valid, tokens, bytes }: CountedExample, sign: 1 | -1): CountChange {
    const kind = `${split} ${origin} ${valid}`;
    const sum = this.#byKind.get(kind) ?? { split, origin, valid, examples: 0, tokens: 0, bytes: 0, addedBytes: 0 };
    sum.examples += sign;
    sum.tokens += sign * (tokens ?? 0);
    sum.bytes += sign * bytes;
    this.#byKind.set(kind, sum);
    return sum;
  }
}
