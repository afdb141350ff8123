import type { Origin, Split } from './new-examples.ts';
import { kindOf } from './pack-format.ts';

/** What narrows a list; null: everything. */
export type ExampleFilter = { split: Split | null; origin: Origin | null; valid: boolean | null };

const everyKind = (['train', 'test'] as const).flatMap((split) => [true, false].map((valid) => ({ split, valid })));

/** The kinds of packed examples that a filter lets pass, a bit for each; 0: none, because all of them were imported. */
export function wantedKinds({ split, origin, valid }: ExampleFilter): number {
  if (origin !== null && origin !== 'import') return 0;
  return everyKind
    .filter((kind) => (split ?? kind.split) === kind.split && (valid ?? kind.valid) === kind.valid)
    .reduce((wanted, kind) => wanted | (1 << kindOf(kind)), 0);
}
