import { hash } from 'node:crypto';
import {
  type AddedExample,
  changeOwnDataset,
  type Dataset,
  type DatasetPath,
  type Datasets,
  type Issue,
  type NewExample,
  type PreparedExample,
  type Split,
} from '#datasets';
import type { Database, Transaction } from '#db';
import type { Principal } from '#http';
import { findSavedCalls, type SavedCallDetail } from '../saved-calls.store.ts';
import { findConversions, insertConversions } from './conversions.store.ts';

/** What became of one call. */
export type ConversionResult =
  | { status: 'converted' | 'already_converted'; exampleId: string | null }
  /** Of a dry run. */
  | { status: 'convertible' }
  /** The dataset has an equal example, or gets one from an earlier call of the same request. */
  | { status: 'duplicate' }
  | { status: 'rejected'; issues: readonly Issue[] }
  | { status: 'not_found' };

export type Converting = {
  principal: Principal;
  path: DatasetPath;
  dataset: Dataset;
  ids: readonly string[];
  keptSince: Date;
  splitOf: (call: SavedCallDetail) => Split;
  withReasoning: boolean;
  isDryRun: boolean;
};

type Deps = { database: Database; datasets: Datasets };

/**
 * Makes examples of saved calls, each for itself; gives outcomes by id. Calls and their examples are written in one
 * transaction, in which nobody else changes the dataset, so a call becomes one example of it however often it is sent.
 */
export async function convertCalls(deps: Deps, converting: Converting): Promise<Map<string, ConversionResult>> {
  const { database, datasets } = deps;
  const { dataset, ids, keptSince, isDryRun, principal, path } = converting;
  const found = await findSavedCalls(database, { projectId: dataset.projectId, ids, keptSince });
  const calls = found.toSorted((a, b) => ids.indexOf(a.requestId) - ids.indexOf(b.requestId));
  const prepared = await datasets.prepare(
    dataset,
    calls.map((call) => exampleOf(call, converting)),
  );
  const candidates = calls.flatMap(({ requestId: id }, index): Candidate[] => {
    const example = prepared[index];
    return example ? [{ id, example }] : [];
  });
  const outcomes = await database.transaction(async (tx) => {
    if (!isDryRun) await changeOwnDataset(tx, principal, path);
    return convertIn(tx, datasets, { datasetId: dataset.id, candidates, isTrial: isDryRun });
  });
  return new Map(ids.map((id) => [id, outcomes.get(id) ?? { status: 'not_found' }]));
}

type Candidate = { id: string; example: PreparedExample };

async function convertIn(
  tx: Transaction,
  datasets: Datasets,
  { datasetId, candidates, isTrial }: { datasetId: string; candidates: readonly Candidate[]; isTrial: boolean },
): Promise<Map<string, ConversionResult>> {
  const known = await findConversions(tx, { datasetId, ids: candidates.map(({ id }) => id) });
  const outcomes = new Map<string, ConversionResult>();
  for (const [id, exampleId] of known) outcomes.set(id, { status: 'already_converted', exampleId });
  const fresh = candidates.filter(({ id }) => !known.has(id));
  for (const { id, example } of fresh) outcomes.set(id, resultOf(example));
  const ready = fresh.filter(({ example }) => example.example?.valid);
  if (isTrial || ready.length === 0) return outcomes;
  const examples = ready.map(({ example }) => example);
  const added = await datasets.addExamples(tx, { datasetId, examples, dedupe: 'exact' });
  await insertConversions(
    tx,
    datasetId,
    ready.map(({ id }, index) => ({ id, exampleId: added[index]?.id ?? null })),
  );
  for (const [index, { id }] of ready.entries()) outcomes.set(id, outcomeOf(added[index]));
  return outcomes;
}

/** What is too long goes into no version, so nothing is gained by adding it. */
function resultOf({ example, issues }: PreparedExample): ConversionResult {
  return example?.valid ? { status: 'convertible' } : { status: 'rejected', issues };
}

function outcomeOf(added: AddedExample | undefined): ConversionResult {
  if (added?.status === 'created') return { status: 'converted', exampleId: added.id };
  return { status: 'duplicate' };
}

function exampleOf(call: SavedCallDetail, { splitOf, withReasoning }: Converting): NewExample {
  const { refusal: _, reasoning_content: reasoning, ...answer } = call.answer;
  const said = withReasoning && reasoning !== undefined ? { ...answer, reasoning_content: reasoning } : answer;
  const tools = call.tools.length > 0 ? call.tools : null;
  const content = { messages: [...call.messages, said], tools };
  return { content, split: splitOf(call), origin: 'inference', originId: call.requestId };
}

/** By what was asked alone, so that a question which is asked a thousand times never stands on both sides. */
export function splitByRatio(testRatio: number): (call: SavedCallDetail) => Split {
  return ({ messages }) => {
    const place = hash('sha256', JSON.stringify(messages), 'buffer').readUInt32BE(0) / 2 ** 32;
    return place < testRatio ? 'test' : 'train';
  };
}
