import type { Sql } from '#db';
import { takeStorage } from '#limits';
import type { LockedDataset } from '../datasets.store.ts';
import { type CountChange, type CountedExample, changeCounts } from './example-writes.store.ts';

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

/**
 * Counts what comes to a locked dataset and leaves it. What leaves stays stored, for versions that have it. Throws `state_conflict` where
 * the account may not store so much.
 */
export async function recordCountChanges(
  tx: Sql,
  { id, projectId }: Pick<LockedDataset, 'id' | 'projectId'>,
  changes: readonly CountChange[],
): Promise<void> {
  await changeCounts(tx, id, changes);
  const bytes = changes.reduce((sum, { addedBytes }) => sum + addedBytes, 0);
  if (bytes > 0) await takeStorage(tx, { projectId, bytes });
}
