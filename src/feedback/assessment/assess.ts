import {
  type Dataset,
  type Datasets,
  type ExampleTokenCounter,
  findLiveContents,
  findQuerySplits,
  type Split,
} from '#datasets';
import type { Sql } from '#db';
import { Fault } from '#kernel';
import type { StoredEvent } from '../events/events.store.ts';
import { dedupeWindowDays } from '../policy/negative-policy.ts';
import { type Blocker, type Draft, draftExamples, type PromotionCandidate } from './draft.ts';
import { findPromotedPairs } from './duplicates.store.ts';

export type AssessedEvent = {
  event: StoredEvent;
  suggestion: Draft['suggestion'];
  promotable: boolean;
  blockers: Blocker[];
  /** Of the examples that have its query; null: none has it. */
  querySplit: Split | null;
};

export async function assess(
  { sql, datasets }: { sql: Sql; datasets: Datasets },
  dataset: Dataset,
  events: readonly StoredEvent[],
): Promise<AssessedEvent[]> {
  const counter = datasets.tokenCounterOf(dataset);
  const drafts = await draftExamples(
    counter && lenient(counter),
    events.map((event): PromotionCandidate => ({ event })),
  );
  const open = drafts.filter(({ event, example }) => event.state !== 'promoted' && example !== null);
  const duplicates = await findDuplicates(sql, dataset.id, open);
  const splits = await findQuerySplits(
    sql,
    dataset.id,
    events.map(({ query }) => query),
  );
  return drafts.map((draft) => {
    const { event, suggestion } = draft;
    const isDecided = event.state === 'promoted';
    const found = [...draft.blockers];
    if (duplicates.has(draft)) found.push('duplicate_of_example');
    if (dataset.archivedAt !== null) found.push('dataset_archived');
    const blocking = isDecided ? [] : found;
    const promotable = event.state === 'pending' && blocking.length === 0;
    return { event, suggestion, promotable, blockers: blocking, querySplit: splits.get(event.query) ?? null };
  });
}

export async function findDuplicates(sql: Sql, datasetId: string, drafts: readonly Draft[]): Promise<Set<Draft>> {
  const examples = drafts.flatMap(({ example }) => (example ? [example] : []));
  if (examples.length === 0) return new Set();
  const contents = await findLiveContents(
    sql,
    datasetId,
    examples.map(({ hash }) => hash),
  );
  const pairs = await findPromotedPairs(sql, datasetId, {
    pairs: examples.flatMap((example) => example.pairs),
    windowDays: dedupeWindowDays,
  });
  return new Set(
    drafts.filter(
      ({ example }) => example && (contents.has(example.hash) || example.pairs.every((pair) => pairs.has(pair))),
    ),
  );
}

/** While no model can count, nothing is shown as too long; a promotion counts again. */
function lenient({ maxTokens, count }: ExampleTokenCounter): ExampleTokenCounter {
  return {
    maxTokens,
    count: (contents, signal) =>
      count(contents, signal).catch((error: unknown) => {
        if (error instanceof Fault) return [];
        throw error;
      }),
  };
}
