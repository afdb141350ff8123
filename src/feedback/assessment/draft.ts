import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkExample, contentHash, type EmbeddingContent, type ExampleTokenCounter, type Passage } from '#datasets';
import { plainText } from '#kernel';
import type { EventResult } from '../events/event.ts';
import type { StoredEvent } from '../events/events.store.ts';
import { negativePolicy } from '../policy/negative-policy.ts';
import { type RankChoice, type Suggestion, suggest } from '../policy/suggest.ts';
import { findTooLong, type TooLong } from './too-long.ts';

/** Why an event cannot be promoted. */
export const blockers = [
  'no_positive',
  'over_token_limit',
  'positive_equals_negative',
  'duplicate_of_example',
  'dataset_archived',
] as const;
export type Blocker = (typeof blockers)[number];

/** An event, and what a person decided instead of its judgments. */
export type PromotionCandidate = { event: StoredEvent; choice?: RankChoice; query?: string };

/** What an event would become, as far as it alone decides. */
export type Draft = {
  event: StoredEvent;
  suggestion: Suggestion;
  blockers: Blocker[];
  /** Null: there is a blocker. */
  example: DraftExample | null;
};

export type DraftExample = {
  content: EmbeddingContent;
  /** SHA-256 in hex of its canonical JSON. */
  hash: string;
  /** Its query with each of its positives. */
  pairs: string[];
};

/**
 * Drafts the examples of events: the slow part, for which nothing need be locked. Gives way between events, because one
 * may hold half a million characters. Without a token counter every text counts as short enough.
 */
export async function draftExamples(
  tokenCounter: ExampleTokenCounter | null,
  candidates: readonly PromotionCandidate[],
): Promise<Draft[]> {
  const first: Suggestion[] = [];
  for (const candidate of candidates) {
    first.push(suggest({ ...candidate.event, ...choiceOf(candidate) }, negativePolicy));
    await nextTurn();
  }
  const usable = candidates.map((candidate, index) => usedTexts(candidate, first[index]));
  const tooLong = tokenCounter ? await findTooLong(tokenCounter, usable) : [];
  return candidates.map((candidate, index) => {
    const long = tooLong[index] ?? nothing;
    const suggestion = first[index];
    return draftOf(candidate, { long, suggestion: long.ranks.size > 0 ? undefined : suggestion });
  });
}

const nothing: TooLong = { query: false, ranks: new Set() };
const choiceOf = ({ choice }: PromotionCandidate) => (choice ? { choice } : {});
const queryOf = ({ query, event }: PromotionCandidate) => query ?? event.query;

/** All that an example may be made of: what is used, and what would be if that were too long. */
function usedTexts(candidate: PromotionCandidate, suggestion: Suggestion | undefined) {
  const { positives = [], negatives = [], dropped = [] } = suggestion ?? {};
  const spare = dropped.flatMap(({ rank, reason }) => (reason === 'over_max_negatives' ? [rank] : []));
  const ranks = new Set([...positives, ...negatives, ...spare]);
  return { query: queryOf(candidate), results: candidate.event.results.filter(({ rank }) => ranks.has(rank)) };
}

function draftOf(
  candidate: PromotionCandidate,
  { long, suggestion: known }: { long: TooLong; suggestion: Suggestion | undefined },
): Draft {
  const { event } = candidate;
  const suggestion = known ?? suggest({ ...event, tooLong: long.ranks, ...choiceOf(candidate) }, negativePolicy);
  const found = new Set<Blocker>();
  if (suggestion.lacks) found.add(suggestion.lacks);
  if (long.query) found.add('over_token_limit');
  if (suggestion.contradicts) found.add('positive_equals_negative');
  const example = found.size === 0 ? exampleOf(candidate, suggestion) : null;
  if (found.size === 0 && !example) found.add('over_token_limit');
  return { event, suggestion, blockers: [...found], example };
}

/** Null: it is larger than any example may be. */
function exampleOf(candidate: PromotionCandidate, { positives, negatives }: Suggestion): DraftExample | null {
  const { results } = candidate.event;
  const query = queryOf(candidate);
  const passages = (ranks: readonly number[]) => results.filter(({ rank }) => ranks.includes(rank)).map(passageOf);
  const content = { negatives: distinct(passages(negatives)), positives: distinct(passages(positives)), query };
  const { json } = checkExample(content, 'embedding');
  if (json === null) return null;
  const pairs = [...new Set(content.positives.map(({ text }) => pairOf(query, text)))];
  return { content, hash: contentHash(json).toString('hex'), pairs };
}

/** What makes a query with a passage the same as another: their words, whatever case, width and spacing. */
function pairOf(query: string, passage: string): string {
  return hash('sha256', JSON.stringify([plainText(query), plainText(passage)]), 'hex');
}

const passageOf = ({ text, document_id: id }: EventResult): Passage => ({ document_id: id, text });

/** Two results with one text are one passage to learn. */
function distinct(passages: readonly Passage[]): Passage[] {
  return passages.filter(({ text }, index) => passages.findIndex((other) => other.text === text) === index);
}
