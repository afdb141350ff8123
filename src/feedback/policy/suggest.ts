import type { EventResult, Judgment } from '../events/event.ts';
import type { NegativePolicy } from './negative-policy.ts';
import { type AssessedResult, type DropReason, objectionsTo } from './objections.ts';
import { summarizeJudgments } from './result-judgments.ts';

type Dropped = { rank: number; reason: DropReason };

/** What an event would teach. Every result is in exactly one of the lists, each by rank. */
export type Suggestion = {
  positives: number[];
  negatives: number[];
  dropped: Dropped[];
  /** Why there is no positive: nobody named one, or the model takes none of them. */
  lacks: 'no_positive' | 'over_token_limit' | null;
  /** A positive is called negative as well, itself or in a result with the same text. */
  contradicts: boolean;
};

/** Ranks that a person chose instead. */
export type RankChoice = { positives: readonly number[] | null; negatives: readonly number[] | null };

export type SuggestionInput = {
  results: readonly EventResult[];
  judgments: readonly Judgment[];
  /** Ranks of texts that the model does not take. */
  tooLong?: ReadonlySet<number>;
  choice?: RankChoice;
};

/**
 * Chooses what an event teaches: what was judged positive, what was judged negative, and then what was passed over on
 * the way to the lowest positive. What stands below the last result that anybody touched may never have been seen.
 */
export function suggest({ results, judgments, tooLong, choice }: SuggestionInput, policy: NegativePolicy): Suggestion {
  const judgmentOf = summarizeJudgments({ results, judgments }, policy.minStrength);
  const page = results
    .toSorted((a, b) => a.rank - b.rank)
    .map((result) => ({ ...result, ...judgmentOf(result), isTooLong: tooLong?.has(result.rank) ?? false }));
  const isPositive = choice?.positives ? among(choice.positives) : (result: AssessedResult) => result.isPositive;
  const positives = page.filter(isPositive);
  const others = page.filter((result) => !isPositive(result));
  const chosen = choice?.negatives
    ? chooseByPerson({ positives, others, ranks: choice.negatives })
    : chooseByPolicy({ page, positives, others }, policy);
  const usable = positives.filter((result) => !result.isTooLong);
  return {
    positives: usable.map(rankOf),
    negatives: chosen.negatives.map(rankOf).sort(ascending),
    dropped: [...positives.filter(({ isTooLong }) => isTooLong).map(tooLongDropped), ...chosen.dropped].sort(
      (a, b) => a.rank - b.rank,
    ),
    lacks: usable.length > 0 ? null : positives.length > 0 ? 'over_token_limit' : 'no_positive',
    contradicts: contradicts({ positives, others, choice }),
  };
}

type Chosen = { negatives: AssessedResult[]; dropped: Dropped[] };
type Parted = { positives: readonly AssessedResult[]; others: readonly AssessedResult[] };

const among = (ranks: readonly number[]) => (result: AssessedResult) => ranks.includes(result.rank);
const rankOf = ({ rank }: AssessedResult) => rank;
const ascending = (a: number, b: number) => a - b;
const tooLongDropped = ({ rank }: AssessedResult): Dropped => ({ rank, reason: 'over_token_limit' });

function chooseByPerson({ others, ranks }: Parted & { ranks: readonly number[] }): Chosen {
  const isChosen = among(ranks);
  const negatives = others.filter((result) => isChosen(result) && !result.isTooLong);
  const dropped = others
    .filter((result) => !negatives.includes(result))
    .map(
      (result): Dropped => (isChosen(result) ? tooLongDropped(result) : { rank: result.rank, reason: 'not_chosen' }),
    );
  return { negatives, dropped };
}

function chooseByPolicy(
  { page, positives, others }: Parted & { page: readonly AssessedResult[] },
  policy: NegativePolicy,
): Chosen {
  const objectionTo = objectionsTo({ page, positives }, policy);
  const dropped: Dropped[] = [];
  const fit = others.filter((result) => {
    const reason = objectionTo(result);
    if (reason) dropped.push({ rank: result.rank, reason });
    return reason === null;
  });
  // Results that somebody called wrong come before those that were only passed over.
  const preferred = fit.toSorted((a, b) => Number(b.isNegative) - Number(a.isNegative));
  const surplus = preferred.slice(policy.maxNegatives);
  return {
    negatives: preferred.slice(0, policy.maxNegatives),
    dropped: [...dropped, ...surplus.map(({ rank }): Dropped => ({ rank, reason: 'over_max_negatives' }))],
  };
}

/** Where a person has not chosen, the judgments of the event decide. */
function contradicts({ positives, others, choice }: Parted & { choice: RankChoice | undefined }): boolean {
  const isNegative = choice?.negatives ? among(choice.negatives) : (result: AssessedResult) => result.isNegative;
  const isOpen = choice?.positives == null || choice.negatives !== null;
  const texts = new Set(positives.map(({ text }) => text));
  return (
    isOpen && (positives.some(isNegative) || others.some((result) => isNegative(result) && texts.has(result.text)))
  );
}
