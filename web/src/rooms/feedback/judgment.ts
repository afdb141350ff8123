import type { Decision, Promotion } from './feedback-changes.ts';
import type { EventDetail } from './feedback-queries.ts';

export type Mark = 'positive' | 'negative';
export type Marks = ReadonlyMap<number, Mark>;

export const suggestion: Decision = { positives: null, negatives: null };

export const isChanged = ({ positives, negatives }: Decision): boolean => positives !== null || negatives !== null;

/**
 * Which results are right and wrong: as suggested, until somebody marks one. If only right ones are marked, the server
 * chooses the wrong ones.
 */
export function marksOf(event: EventDetail, decision: Decision, promotion: Promotion | undefined): Marks {
  const positives = decision.positives ?? event.suggested.positives;
  const negatives = decision.negatives ?? chosenNegatives(event, decision, promotion);
  return new Map<number, Mark>([
    ...negatives.map((rank) => [rank, 'negative'] as const),
    ...positives.map((rank) => [rank, 'positive'] as const),
  ]);
}

function chosenNegatives(event: EventDetail, { positives }: Decision, promotion: Promotion | undefined): number[] {
  if (positives === null || !promotion) return event.suggested.negatives;
  const texts = new Set(promotion.examples[0]?.embedding?.negatives.map(({ text }) => text));
  return event.results.flatMap(({ rank, text }) => (texts.has(text) ? [rank] : []));
}

/** The decision after a mark was added or removed. */
export function decide(decision: Decision, marks: Marks, rank: number, mark: Mark | null): Decision {
  const before = marks.get(rank) ?? null;
  const ranks = (value: Mark) =>
    [...marks.keys()]
      .filter((each) => each !== rank && marks.get(each) === value)
      .concat(mark === value ? rank : [])
      .sort((one, other) => one - other);
  const isAboutNegatives = mark === 'negative' || before === 'negative' || decision.negatives !== null;
  return { positives: ranks('positive'), negatives: isAboutNegatives ? ranks('negative') : null };
}

export function nextMark(mark: Mark | undefined): Mark | null {
  if (mark === undefined) return 'positive';
  return mark === 'positive' ? 'negative' : null;
}
