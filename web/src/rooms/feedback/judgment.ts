import type { Decision, Promotion } from './feedback-changes.ts';
import type { EventDetail } from './feedback-queries.ts';

export type Mark = 'positive' | 'negative';
export type Marks = ReadonlyMap<number, Mark>;

export const suggestion: Decision = { positives: null, negatives: null };

export const isChanged = ({ positives, negatives }: Decision): boolean => positives !== null || negatives !== null;

/**
 * Which results are right and which are wrong: as suggested, until somebody marks one. Who marks only what is right leaves
 * the choice of the wrong ones to the server, which tells them with the example that it would make.
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

/** What is decided once a result gets a mark, or loses it. */
export function decide(decision: Decision, marks: Marks, rank: number, mark: Mark | null): Decision {
  const before = marks.get(rank) ?? null;
  const ranks = (wanted: Mark) =>
    [...marks.keys()]
      .filter((each) => each !== rank && marks.get(each) === wanted)
      .concat(mark === wanted ? rank : [])
      .sort((one, other) => one - other);
  const isAboutNegatives = mark === 'negative' || before === 'negative' || decision.negatives !== null;
  return { positives: ranks('positive'), negatives: isAboutNegatives ? ranks('negative') : null };
}

/** Right, wrong, neither. */
export function nextMark(mark: Mark | undefined): Mark | null {
  if (mark === undefined) return 'positive';
  return mark === 'positive' ? 'negative' : null;
}
