import { changeOwnDataset, type Dataset, type DatasetPath, type Datasets } from '#datasets';
import type { Database, Transaction } from '#db';
import type { Principal } from '#http';
import type { Blocker } from '../assessment/draft.ts';
import { insertPromotedPairs } from '../assessment/duplicates.store.ts';
import type { EventState } from '../events/event.ts';
import { findEvents, type StoredEvent, updatePromoted } from '../events/events.store.ts';
import {
  type DraftValidation,
  draftPromotions,
  leakedQueryOf,
  type PromotionDecision,
  type PromotionDraft,
  type ReadyDraft,
  validateDrafts,
} from './draft-promotions.ts';
import { recordPromotion } from './promotion-activity.ts';

export type PromotionOutcome =
  /** `leakedQuery`: the query, if it is in both splits with the example. */
  | { status: 'promoted'; exampleIds: string[]; leakedQuery: string | null }
  | { status: 'already_promoted'; exampleIds: string[] }
  /** Of a dry run. */
  | { status: 'promotable'; draft: ReadyDraft }
  | { status: 'blocked'; blockers: Blocker[] }
  | { status: 'wrong_state'; state: EventState }
  /** Gave up after several rounds, because others kept changing the event. */
  | { status: 'busy' }
  | { status: 'not_found' };

export type PromotionDeps = { database: Database; datasets: Datasets };

export type Promoter = { principal: Principal; path: DatasetPath; requestId: string };

export type PromotionBatch = {
  dataset: Dataset;
  promoter: Promoter;
  ids: readonly string[];
  decision: PromotionDecision;
  isDryRun: boolean;
  /** Of a dry run in several parts: the pairs that events of the parts before would have taught. */
  taught?: Set<string>;
};

/** An event may get a judgment between its draft and its promotion; then it is drafted again. */
const rounds = 4;

/**
 * Makes examples of events, each for itself; gives outcomes by id. An event and its example change in one transaction, in
 * which nobody else changes the dataset, so an event becomes one example however often and wherever it is promoted.
 */
export async function promoteBatch(
  { database, datasets }: PromotionDeps,
  batch: PromotionBatch,
): Promise<Map<string, PromotionOutcome>> {
  const { dataset } = batch;
  const done = new Map<string, PromotionOutcome>();
  for (let round = 0; round < rounds; round++) {
    const ids = batch.ids.filter((id) => !done.has(id));
    if (ids.length === 0) break;
    const events = await findEvents(database, dataset.id, ids);
    const drafts = await draftPromotions(datasets, { dataset, events: events.filter(isOpen) }, batch.decision);
    const { promoter, decision, taught } = batch;
    const { split } = decision;
    const outcomes = batch.isDryRun
      ? outcomesOf(ids, events, await validateDrafts(database, dataset.id, { drafts, split }, taught))
      : await database.transaction((tx) => promote(tx, datasets, { promoter, ids, drafts, split }));
    for (const [id, outcome] of outcomes) done.set(id, outcome);
  }
  for (const id of batch.ids) if (!done.has(id)) done.set(id, { status: 'busy' });
  return done;
}

const isOpen = ({ state }: StoredEvent) => state === 'pending' || state === 'needs_judgment';

type Promotion = {
  promoter: Promoter;
  ids: readonly string[];
  drafts: readonly PromotionDraft[];
  split: PromotionDecision['split'];
};

/** Promotes what has not changed since it was drafted; what has gets no outcome. */
async function promote(
  tx: Transaction,
  datasets: Datasets,
  { promoter, ids, drafts, split }: Promotion,
): Promise<Map<string, PromotionOutcome>> {
  const { principal, path, requestId } = promoter;
  const { project, dataset } = await changeOwnDataset(tx, principal, path);
  const events = await findEvents(tx, dataset.id, ids, { lock: true });
  const versions = new Map(events.map((event) => [event.id, versionOf(event)]));
  const current = drafts.filter(({ event }) => versions.get(event.id) === versionOf(event));
  const validations = await validateDrafts(tx, dataset.id, { drafts: current, split });
  const promoted = await addExamples(tx, datasets, { datasetId: dataset.id, validations });
  if (promoted.size > 0) await recordPromotion(tx, { principal, project, dataset, requestId, events: promoted.size });
  const outcomes = outcomesOf(ids, events, validations);
  for (const [id, outcome] of outcomes) {
    if (outcome.status !== 'promotable') continue;
    const exampleId = promoted.get(id);
    outcomes.set(
      id,
      exampleId === undefined
        ? { status: 'blocked', blockers: ['duplicate_of_example'] }
        : { status: 'promoted', exampleIds: [exampleId], leakedQuery: leakedQueryOf(outcome.draft) },
    );
  }
  return outcomes;
}

const versionOf = ({ state, judgments }: StoredEvent) => JSON.stringify([state, judgments]);

function outcomesOf(
  ids: readonly string[],
  events: readonly StoredEvent[],
  validations: ReadonlyMap<string, DraftValidation>,
): Map<string, PromotionOutcome> {
  const byId = new Map(events.map((event) => [event.id, event]));
  const outcomeOf = (id: string): PromotionOutcome | undefined => {
    const event = byId.get(id);
    if (!event) return { status: 'not_found' };
    if (event.state === 'promoted') return { status: 'already_promoted', exampleIds: event.exampleIds };
    return isOpen(event) ? validations.get(id) : { status: 'wrong_state', state: event.state };
  };
  return new Map(
    ids.flatMap((id): [string, PromotionOutcome][] => {
      const outcome = outcomeOf(id);
      return outcome ? [[id, outcome]] : [];
    }),
  );
}

async function addExamples(
  tx: Transaction,
  datasets: Datasets,
  { datasetId, validations }: { datasetId: string; validations: ReadonlyMap<string, DraftValidation> },
): Promise<Map<string, string>> {
  const ready = [...validations.values()].flatMap((validation) =>
    validation.status === 'promotable' ? [validation.draft] : [],
  );
  if (ready.length === 0) return new Map();
  const examples = ready.map(({ prepared }) => prepared);
  const added = await datasets.addExamples(tx, { datasetId, examples, dedupe: 'exact' });
  const promoted = ready.flatMap(({ event, example }, index) => {
    const exampleId = added[index]?.id ?? null;
    return exampleId === null ? [] : [{ id: event.id, exampleId, pairs: example.pairs }];
  });
  if (promoted.length > 0) {
    const pairs = promoted.flatMap(({ exampleId, pairs: all }) => all.map((pair) => ({ pair, exampleId })));
    await insertPromotedPairs(tx, datasetId, pairs);
    await updatePromoted(tx, datasetId, promoted);
  }
  return new Map(promoted.map(({ id, exampleId }) => [id, exampleId]));
}
