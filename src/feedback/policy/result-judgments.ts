import type { EventResult, Judgment } from '../events/event.ts';

/** What the judgments of an event say about one result. */
export type ResultJudgment = {
  /** Somebody did something with it or judged it, however weakly. */
  isTouched: boolean;
  isPositive: boolean;
  isNegative: boolean;
};

/** By rank. A judgment of a document is about each result that shows it. */
export function summarizeJudgments(
  { results, judgments }: { results: readonly EventResult[]; judgments: readonly Judgment[] },
  minStrength: number,
): (result: EventResult) => ResultJudgment {
  const byRank = new Map<number, ResultJudgment>();
  for (const { rank: judgedRank, document_id: documentId, label, strength } of judgments)
    for (const { rank } of results.filter((each) =>
      judgedRank === null ? each.document_id === documentId : each.rank === judgedRank,
    )) {
      const before = byRank.get(rank);
      const counts = strength >= minStrength;
      byRank.set(rank, {
        isTouched: true,
        isPositive: before?.isPositive || (counts && label === 'positive'),
        isNegative: before?.isNegative || (counts && label === 'negative'),
      });
    }
  return ({ rank }) => byRank.get(rank) ?? { isTouched: false, isPositive: false, isNegative: false };
}

export function hasPositive(judgments: readonly Judgment[], minStrength: number): boolean {
  return judgments.some(({ label, strength }) => label === 'positive' && strength >= minStrength);
}
