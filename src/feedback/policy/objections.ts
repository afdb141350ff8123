import type { EventResult } from '../events/event.ts';
import type { NegativePolicy } from './negative-policy.ts';
import type { ResultJudgment } from './result-judgments.ts';
import { type Shingles, shinglesOf, similarity } from './shingles.ts';

export type AssessedResult = EventResult & ResultJudgment & { isTooLong: boolean };

/** Why a result is neither a positive nor a negative. */
export const dropReasons = [
  'no_positive',
  'below_last_looked_at',
  'touched_not_negative',
  'below_lowest_positive',
  'not_judged_negative',
  'same_document_as_positive',
  'score_too_high',
  'near_duplicate_of_positive',
  'over_token_limit',
  'over_max_negatives',
  'not_chosen',
] as const;
export type DropReason = (typeof dropReasons)[number];

type Page = { page: readonly AssessedResult[]; positives: readonly AssessedResult[] };

/** What speaks against a result that is no positive as a negative; null: nothing. */
export function objectionsTo(
  { page, positives }: Page,
  policy: NegativePolicy,
): (result: AssessedResult) => DropReason | null {
  const hasUsable = positives.some((positive) => !positive.isTooLong);
  const isLikePositive = likenessTo(positives, policy.nearDuplicateThreshold);
  const objectionToSkipped = objectionsToSkipped({ page, positives }, policy);
  return (result) => {
    if (!hasUsable) return 'no_positive';
    // What somebody called wrong needs no place on the page and no score.
    const objection = result.isNegative ? null : objectionToSkipped(result);
    if (objection) return objection;
    if (isLikePositive(result)) return 'near_duplicate_of_positive';
    return result.isTooLong ? 'over_token_limit' : null;
  };
}

function objectionsToSkipped(
  { page, positives }: Page,
  { mode, maxScoreRatio }: NegativePolicy,
): (result: AssessedResult) => DropReason | null {
  const lowestPositive = positives.at(-1)?.rank ?? 0;
  const lastLookedAt = Math.max(lowestPositive, page.findLast(({ isTouched }) => isTouched)?.rank ?? 0);
  const documents = new Set(positives.flatMap(({ document_id: id }) => (id === null ? [] : [id])));
  const scores = positives.flatMap(({ score }) => (score === null ? [] : [score]));
  const tooHigh = scores.length === 0 ? Number.POSITIVE_INFINITY : partOf(Math.max(...scores), maxScoreRatio);
  return ({ rank, isTouched, score, document_id: documentId }) => {
    if (rank > lastLookedAt) return 'below_last_looked_at';
    if (isTouched) return 'touched_not_negative';
    if (rank > lowestPositive) return 'below_lowest_positive';
    if (mode === 'explicit_only') return 'not_judged_negative';
    if (documentId !== null && documents.has(documentId)) return 'same_document_as_positive';
    return score !== null && score >= tooHigh ? 'score_too_high' : null;
  };
}

function likenessTo(positives: readonly AssessedResult[], threshold: number): (result: AssessedResult) => boolean {
  let known: Shingles[] | null = null;
  return ({ text }) => {
    known ??= positives.map((positive) => shinglesOf(positive.text));
    const shingles = shinglesOf(text);
    return known.some((other) => similarity(shingles, other) >= threshold);
  };
}

/** A ratio of a score; of a negative one (a distance, a logarithm) what lies as far below it. */
function partOf(score: number, ratio: number): number {
  return score - (1 - ratio) * Math.abs(score);
}
