import { type Dataset, type ExampleWire, exampleToWire, findExample } from '#datasets';
import type { Sql } from '#db';
import { fault } from '#kernel';
import type { EventResult } from '../events/event.ts';
import type { StoredEvent } from '../events/events.store.ts';
import { findEvent, noSuchEvent } from '../events/read-events.ts';
import type { RankChoice } from '../policy/suggest.ts';
import { leakedQueryOf, type PromotionDecision, type ReadyDraft } from './draft-promotions.ts';
import { type PromotionBatch, type PromotionDeps, type PromotionOutcome, promoteBatch } from './promote-batch.ts';

/** What a person decides about one event; null: as it is. */
export type PromotionOverride = { positives: number[] | null; negatives: number[] | null; query: string | null };

export type OnePromotion = Omit<PromotionBatch, 'ids' | 'decision'> & {
  id: string;
  override: PromotionOverride;
  split: PromotionDecision['split'];
};

/** Makes an example of one event, or shows what it would become. Throws what stands in the way. */
export async function promoteOne(
  deps: PromotionDeps,
  { id, override, split, ...batch }: OnePromotion,
): Promise<{ isNew: boolean; examples: PromotedExample[]; leakedQuery: string | null }> {
  const { dataset } = batch;
  checkOverride(await findEvent(deps.database, dataset.id, id), override);
  const decision = { choiceOf: () => choiceOf(override), split };
  const outcomes = await promoteBatch(deps, { ...batch, ids: [id], decision });
  const outcome = outcomes.get(id) ?? { status: 'not_found' };
  const isChanged = Object.values(override).some((value) => value !== null);
  const examples = await examplesOf(deps.database, { dataset, outcome, isChanged });
  return { isNew: outcome.status === 'promoted', examples, leakedQuery: leakedQueryIn(outcome) };
}

function checkOverride({ results }: StoredEvent, { positives, negatives, query }: PromotionOverride): void {
  checkRanks(results, 'positives', positives ?? []);
  checkRanks(results, 'negatives', negatives ?? []);
  if (query !== null && query.trim() === '')
    throw fault('invalid_request', { message: 'query: expected more than spaces.', param: 'query' });
}

function checkRanks(results: readonly EventResult[], field: string, ranks: readonly number[]): void {
  const known = new Set(results.map(({ rank }) => rank));
  const wrong = ranks.findIndex((rank) => !known.has(rank));
  if (wrong >= 0)
    throw fault('invalid_request', {
      message: `${field}[${wrong}]: no result has this rank.`,
      param: `${field}[${wrong}]`,
    });
}

function choiceOf({ positives, negatives, query }: PromotionOverride): { choice?: RankChoice; query?: string } {
  return {
    ...(positives || negatives ? { choice: { positives, negatives } } : {}),
    ...(query === null ? {} : { query }),
  };
}

/** The query of a new example, if it is in both splits with it. */
export function leakedQueryIn(outcome: PromotionOutcome): string | null {
  if (outcome.status === 'promoted') return outcome.leakedQuery;
  return outcome.status === 'promotable' ? leakedQueryOf(outcome.draft) : null;
}

/** An example that may not be there yet. */
export type PromotedExample = Omit<ExampleWire, 'id'> & { id: string | null };

async function examplesOf(
  sql: Sql,
  { dataset, outcome, isChanged }: { dataset: Dataset; outcome: PromotionOutcome; isChanged: boolean },
): Promise<PromotedExample[]> {
  switch (outcome.status) {
    case 'promoted':
      return findExamples(sql, dataset, outcome.exampleIds);
    case 'already_promoted':
      // What it taught is settled; the same request again is answered the same.
      if (isChanged) throw wrongState('promoted');
      return findExamples(sql, dataset, outcome.exampleIds);
    case 'promotable':
      return previewOf(dataset, outcome.draft);
    default:
      throw refusalOf(outcome);
  }
}

async function findExamples(sql: Sql, dataset: Dataset, ids: readonly string[]): Promise<PromotedExample[]> {
  const examples = await Promise.all(ids.map((id) => findExample(sql, dataset.id, id)));
  return examples.flatMap((example) => (example ? [exampleToWire(example, dataset.kind)] : []));
}

function previewOf(dataset: Dataset, { event, example: draft, prepared }: ReadyDraft): PromotedExample[] {
  const { example } = prepared;
  const now = new Date().toISOString();
  return [
    {
      id: null,
      dataset_id: dataset.id,
      kind: 'embedding',
      text: null,
      embedding: draft.content,
      split: example.split,
      origin: 'retrieval_event',
      origin_id: event.id,
      tokens: example.tokens,
      valid: example.valid,
      issues: [...example.issues],
      content_hash: draft.hash,
      created_at: now,
      updated_at: now,
    },
  ];
}

type Refused = Exclude<PromotionOutcome, { status: 'promoted' | 'already_promoted' | 'promotable' }>;

export function refusalOf(outcome: Refused) {
  switch (outcome.status) {
    case 'not_found':
      return noSuchEvent();
    case 'blocked':
      return fault('state_conflict', {
        message: `This event cannot be promoted: ${outcome.blockers.join(', ')}.`,
        details: { blockers: outcome.blockers },
      });
    case 'wrong_state':
      return wrongState(outcome.state);
    case 'busy':
      return fault('state_conflict', { message: 'This event is being changed all the time. Try again.' });
  }
}

function wrongState(state: string) {
  return fault('state_conflict', {
    message: `This event is ${state}.`,
    details: { state, allowed_from: ['pending', 'needs_judgment'] },
  });
}
