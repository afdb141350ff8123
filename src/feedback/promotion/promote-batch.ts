import { changeOwnDataset, type Dataset, type DatasetPath, type Datasets } from '#datasets';
import type { Database, Sql } from '#db';
import type { Principal } from '#http';
import type { Blocker } from '../assessment/draft.ts';
import { insertPromotedPairs } from '../assessment/duplicates.store.ts';
import type { EventState } from '../events/event.ts';
import { type EventRow, findEvents, lockEvents } from '../events/events.store.ts';
import { updatePromoted } from '../events/moves.store.ts';
import { type Decision, type Drafted, draftEvents } from './drafted.ts';
import { judge, type Verdict } from './judge.ts';
import { tellOfPromotion } from './tell.ts';

/** What became of one event. */
export type Outcome =
  | { status: 'promoted' | 'already_promoted'; exampleIds: string[] }
  /** Of a dry run. */
  | { status: 'promotable'; drafted: Drafted }
  | { status: 'blocked'; blockers: Blocker[] }
  | { status: 'wrong_state'; state: EventState }
  /** Gave up after several rounds, because others kept changing the event. */
  | { status: 'busy' }
  | { status: 'not_found' };

export type PromotionDeps = { database: Database; datasets: Datasets };

/** Who promotes, where, and in which request. */
export type Promoter = { principal: Principal; path: DatasetPath; requestId: string };

export type Batch = {
  dataset: Dataset;
  promoter: Promoter;
  ids: readonly string[];
  decision: Decision;
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
export async function promoteBatch(deps: PromotionDeps, batch: Batch): Promise<Map<string, Outcome>> {
  const done = new Map<string, Outcome>();
  for (let round = 0; round < rounds; round++) {
    const ids = batch.ids.filter((id) => !done.has(id));
    if (ids.length === 0) break;
    const rows = await findEvents(deps.database, batch.dataset.id, ids);
    const drafted = await draftEvents(deps.datasets, { ...batch, rows: rows.filter(isOpen) }, batch.decision);
    const work = { ids, drafted };
    const outcomes = batch.isDryRun
      ? await tryOut(deps.database, batch, { ...work, rows })
      : await deps.database.transaction((tx) => promote(tx, deps.datasets, { ...batch, ...work }));
    for (const [id, outcome] of outcomes) done.set(id, outcome);
  }
  for (const id of batch.ids) if (!done.has(id)) done.set(id, { status: 'busy' });
  return done;
}

const isOpen = ({ state }: EventRow) => state === 'pending' || state === 'needs_judgment';

type Work = { ids: readonly string[]; drafted: Map<string, Drafted> };

async function tryOut(
  sql: Sql,
  { dataset, taught }: Batch,
  { ids, drafted, rows }: Work & { rows: readonly EventRow[] },
): Promise<Map<string, Outcome>> {
  const verdicts = await judge(sql, dataset.id, [...drafted.values()], taught);
  return outcomesOf(ids, { rows, verdicts, promoted: new Map() });
}

/** Promotes what has not changed since it was drafted; what has gets no outcome. */
async function promote(tx: Sql, datasets: Datasets, batch: Batch & Work): Promise<Map<string, Outcome>> {
  const { promoter, ids, drafted } = batch;
  const { principal, path, requestId } = promoter;
  const { project, dataset } = await changeOwnDataset(tx, principal, path);
  const rows = await lockEvents(tx, dataset.id, ids);
  const current = rows.flatMap((row) => {
    const known = drafted.get(row.id);
    return known && known.row.state === row.state && known.row.judgments === row.judgments ? [known] : [];
  });
  const verdicts = await judge(tx, dataset.id, current);
  const promoted = await addExamples(tx, datasets, { datasetId: dataset.id, verdicts });
  if (promoted.size > 0) await tellOfPromotion(tx, { principal, project, dataset, requestId, events: promoted.size });
  const outcomes = outcomesOf(ids, { rows, verdicts, promoted });
  for (const [id, { status }] of outcomes)
    if (status === 'promotable') outcomes.set(id, { status: 'blocked', blockers: ['duplicate_of_example'] });
  return outcomes;
}

type Known = {
  rows: readonly EventRow[];
  verdicts: ReadonlyMap<string, Verdict>;
  promoted: ReadonlyMap<string, string>;
};

function outcomesOf(ids: readonly string[], { rows, verdicts, promoted }: Known): Map<string, Outcome> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const outcomeOf = (id: string): Outcome | null => {
    const row = byId.get(id);
    const exampleId = promoted.get(id);
    if (!row) return { status: 'not_found' };
    if (row.state === 'promoted') return { status: 'already_promoted', exampleIds: row.exampleIds };
    if (!isOpen(row)) return { status: 'wrong_state', state: row.state };
    return exampleId === undefined ? (verdicts.get(id) ?? null) : { status: 'promoted', exampleIds: [exampleId] };
  };
  return new Map(
    ids.flatMap((id): [string, Outcome][] => {
      const outcome = outcomeOf(id);
      return outcome ? [[id, outcome]] : [];
    }),
  );
}

/** Gives the ids of the new examples by event. */
async function addExamples(
  tx: Sql,
  datasets: Datasets,
  { datasetId, verdicts }: { datasetId: string; verdicts: ReadonlyMap<string, Verdict> },
): Promise<Map<string, string>> {
  const ready = [...verdicts.values()].flatMap((verdict) =>
    verdict.status === 'promotable' && verdict.drafted.prepared ? [verdict.drafted] : [],
  );
  if (ready.length === 0) return new Map();
  const examples = ready.flatMap(({ prepared }) => prepared ?? []);
  const added = await datasets.addExamples(tx, { datasetId, examples, dedupe: 'exact' });
  const made = ready.flatMap(({ row, draft }, index) => {
    const exampleId = added[index]?.id ?? null;
    return exampleId === null ? [] : [{ id: row.id, exampleId, pairs: draft.example?.pairs ?? [] }];
  });
  if (made.length > 0) {
    const pairs = made.flatMap(({ exampleId, pairs: all }) => all.map((pair) => ({ pair, exampleId })));
    await insertPromotedPairs(tx, datasetId, pairs);
    await updatePromoted(tx, datasetId, made);
  }
  return new Map(made.map(({ id, exampleId }) => [id, exampleId]));
}
