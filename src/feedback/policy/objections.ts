import type { EventResult } from '../events/event.ts';
import type { NegativePolicy } from './negative-policy.ts';
import { createShingles, isSimilar } from './shingles.ts';
import type { Verdict } from './verdicts.ts';

/** A result with what is known about it. */
export type Shown = EventResult & { verdict: Verdict; isTooLong: boolean };

export const isTooLong = (shown: Shown) => shown.isTooLong;

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

/** What speaks against a result that is no positive as a negative; null: nothing. */
export function objectionsTo(
  { page, positives }: { page: readonly Shown[]; positives: readonly Shown[] },
  policy: NegativePolicy,
): (shown: Shown) => DropReason | null {
  const hasUsable = positives.some((shown) => !shown.isTooLong);
  const isLikePositive = likenessTo(positives, policy.nearDuplicateThreshold);
  const objectionToSkipped = objectionsToSkipped({ page, positives }, policy);
  return (shown) => {
    if (!hasUsable) return 'no_positive';
    // What somebody called wrong needs no place on the page and no score.
    const objection = shown.verdict.isNegative ? null : objectionToSkipped(shown);
    if (objection) return objection;
    if (isLikePositive(shown)) return 'near_duplicate_of_positive';
    return shown.isTooLong ? 'over_token_limit' : null;
  };
}

function objectionsToSkipped(
  { page, positives }: { page: readonly Shown[]; positives: readonly Shown[] },
  { mode, maxScoreRatio }: NegativePolicy,
): (shown: Shown) => DropReason | null {
  const lowestPositive = positives.at(-1)?.rank ?? 0;
  const lastLookedAt = Math.max(lowestPositive, page.findLast(({ verdict }) => verdict.isTouched)?.rank ?? 0);
  const documents = new Set(positives.flatMap(({ document_id: id }) => (id === null ? [] : [id])));
  const bestScore = positives.reduce<number | null>((best, { score }) => maxOf(best, score), null);
  return ({ rank, verdict, score, document_id: documentId }) => {
    if (rank > lastLookedAt) return 'below_last_looked_at';
    if (verdict.isTouched) return 'touched_not_negative';
    if (rank > lowestPositive) return 'below_lowest_positive';
    if (mode === 'explicit_only') return 'not_judged_negative';
    if (documentId !== null && documents.has(documentId)) return 'same_document_as_positive';
    const isHigh = score !== null && bestScore !== null && score >= partOf(bestScore, maxScoreRatio);
    return isHigh ? 'score_too_high' : null;
  };
}

function likenessTo(positives: readonly Shown[], threshold: number): (shown: Shown) => boolean {
  const shingles = createShingles();
  return ({ text }) =>
    positives.some((positive) => isSimilar(shingles.of(text), shingles.of(positive.text), threshold));
}

function maxOf(best: number | null, score: number | null): number | null {
  if (best === null || score === null) return best ?? score;
  return Math.max(best, score);
}

/** A ratio of a score; of a negative one (a distance, a logarithm) what lies as far below it. */
function partOf(score: number, ratio: number): number {
  return score - (1 - ratio) * Math.abs(score);
}
