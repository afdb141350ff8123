import type { EventResult, Judgment } from '../events/event.ts';

/** What the judgments of an event say about one result. */
export type Verdict = {
  /** Somebody did something with it or judged it, however weakly. */
  isTouched: boolean;
  isPositive: boolean;
  isNegative: boolean;
};

export const untouched: Verdict = { isTouched: false, isPositive: false, isNegative: false };

/** Verdicts on the results that were judged, by rank. A judgment of a document is about each result that shows it. */
export function verdictsOf(
  results: readonly EventResult[],
  judgments: readonly Judgment[],
  minStrength: number,
): Map<number, Verdict> {
  const verdicts = new Map<number, Verdict>();
  for (const judgment of judgments)
    for (const { rank } of judgedBy(judgment, results))
      verdicts.set(rank, withJudgment(verdicts.get(rank) ?? untouched, judgment, minStrength));
  return verdicts;
}

function judgedBy(
  { rank, document_id: documentId }: Judgment,
  results: readonly EventResult[],
): readonly EventResult[] {
  return results.filter((result) => (rank === null ? result.document_id === documentId : result.rank === rank));
}

function withJudgment(verdict: Verdict, { label, strength }: Judgment, minStrength: number): Verdict {
  const counts = strength >= minStrength;
  return {
    isTouched: true,
    isPositive: verdict.isPositive || (counts && label === 'positive'),
    isNegative: verdict.isNegative || (counts && label === 'negative'),
  };
}

/** Whether an event has something that its query should find. */
export function hasPositive(judgments: readonly Judgment[], minStrength: number): boolean {
  return judgments.some(({ label, strength }) => label === 'positive' && strength >= minStrength);
}
