import type { Origin, Split } from './new-examples.ts';

/** What narrows a list; null: everything. */
export type ExampleFilter = { split: Split | null; origin: Origin | null; valid: boolean | null };
