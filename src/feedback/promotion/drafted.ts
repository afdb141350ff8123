import type { Dataset, Datasets, NewExample, PreparedExample, Split } from '#datasets';
import { type Candidate, type Draft, draftExamples } from '../assessment/draft.ts';
import { storedEvent } from '../assessment/stored-event.ts';
import type { EventRow } from '../events/events.store.ts';

/** An event that could be promoted, with what it would become. */
export type Drafted = {
  /** As it was when it was drafted. */
  row: EventRow;
  draft: Draft;
  split: Split;
  /** Its example, checked and counted; null: there is a blocker. */
  prepared: PreparedExample | null;
};

/** What a person decides about promotions. */
export type Decision = {
  /** About the event with this id. */
  choiceOf: (id: string) => Omit<Candidate, 'event'>;
  /** By the query of the example. */
  splitOf: (query: string) => Split;
};

/** Drafts events, by id. It takes a while and needs no lock. */
export async function draftEvents(
  datasets: Datasets,
  { dataset, rows }: { dataset: Dataset; rows: readonly EventRow[] },
  { choiceOf, splitOf }: Decision,
): Promise<Map<string, Drafted>> {
  const candidates = rows.map((row) => ({ event: storedEvent(row), ...choiceOf(row.id) }));
  const drafts = await draftExamples(datasets.rulerOf(dataset), candidates);
  const prepared = await datasets.prepare(
    dataset,
    drafts.flatMap((draft) => newExampleOf(draft, splitOf)),
  );
  const inOrder = prepared.values();
  return new Map(
    drafts.flatMap((draft, index): [string, Drafted][] => {
      const row = rows[index];
      if (!row) return [];
      const split = splitOf(draft.example?.content.query ?? row.query);
      return [[row.id, { row, draft, split, prepared: draft.example ? (inOrder.next().value ?? null) : null }]];
    }),
  );
}

function newExampleOf({ event, example }: Draft, splitOf: Decision['splitOf']): NewExample[] {
  if (!example) return [];
  const { content } = example;
  return [{ content, split: splitOf(content.query), origin: 'retrieval_event', originId: event.id }];
}
