import type { EventResult, Judgment } from '../events/event.ts';
import type { NegativePolicy } from './negative-policy.ts';
import { type DropReason, isTooLong, objectionsTo, type Shown } from './objections.ts';
import { untouched, verdictsOf } from './verdicts.ts';

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
export type Choice = { positives: readonly number[] | null; negatives: readonly number[] | null };

export type Material = {
  results: readonly EventResult[];
  judgments: readonly Judgment[];
  /** Ranks of texts that the model does not take. */
  tooLong?: ReadonlySet<number>;
  choice?: Choice;
};

/**
 * Chooses what an event teaches: what was judged positive, what was judged negative, and then what was passed over on
 * the way to the lowest positive. What stands below the last result that anybody touched may never have been seen.
 */
export function suggest({ results, judgments, tooLong, choice }: Material, policy: NegativePolicy): Suggestion {
  const verdicts = verdictsOf(results, judgments, policy.minStrength);
  const page: Shown[] = results
    .toSorted((a, b) => a.rank - b.rank)
    .map((result) => ({
      ...result,
      verdict: verdicts.get(result.rank) ?? untouched,
      isTooLong: tooLong?.has(result.rank) ?? false,
    }));
  const isPositive = choice?.positives ? among(choice.positives) : ({ verdict }: Shown) => verdict.isPositive;
  const positives = page.filter(isPositive);
  const others = page.filter((shown) => !isPositive(shown));
  const chosen = choice?.negatives
    ? chooseByPerson({ positives, others, ranks: choice.negatives })
    : chooseByPolicy({ page, positives, others }, policy);
  const usable = positives.filter((shown) => !isTooLong(shown));
  return {
    positives: usable.map(rankOf),
    negatives: chosen.negatives.map(rankOf).sort(ascending),
    dropped: [...positives.filter(isTooLong).map(tooLongDropped), ...chosen.dropped].sort((a, b) => a.rank - b.rank),
    lacks: usable.length > 0 ? null : positives.length > 0 ? 'over_token_limit' : 'no_positive',
    contradicts: contradicts({ positives, others, choice }),
  };
}

type Chosen = { negatives: Shown[]; dropped: Dropped[] };
type Parted = { positives: readonly Shown[]; others: readonly Shown[] };

const among = (ranks: readonly number[]) => (shown: Shown) => ranks.includes(shown.rank);
const rankOf = ({ rank }: Shown) => rank;
const ascending = (a: number, b: number) => a - b;
const tooLongDropped = ({ rank }: Shown): Dropped => ({ rank, reason: 'over_token_limit' });

function chooseByPerson({ others, ranks }: Parted & { ranks: readonly number[] }): Chosen {
  const isChosen = among(ranks);
  const negatives = others.filter((shown) => isChosen(shown) && !isTooLong(shown));
  const dropped = others
    .filter((shown) => !negatives.includes(shown))
    .map((shown): Dropped => (isChosen(shown) ? tooLongDropped(shown) : { rank: shown.rank, reason: 'not_chosen' }));
  return { negatives, dropped };
}

function chooseByPolicy(
  { page, positives, others }: Parted & { page: readonly Shown[] },
  policy: NegativePolicy,
): Chosen {
  const objectionTo = objectionsTo({ page, positives }, policy);
  const dropped: Dropped[] = [];
  const fit = others.filter((shown) => {
    const reason = objectionTo(shown);
    if (reason) dropped.push({ rank: shown.rank, reason });
    return reason === null;
  });
  // Results that somebody called wrong come before those that were only passed over.
  const preferred = fit.toSorted((a, b) => Number(b.verdict.isNegative) - Number(a.verdict.isNegative));
  const surplus = preferred.slice(policy.maxNegatives);
  return {
    negatives: preferred.slice(0, policy.maxNegatives),
    dropped: [...dropped, ...surplus.map(({ rank }): Dropped => ({ rank, reason: 'over_max_negatives' }))],
  };
}

/** Where a person has not chosen, the judgments of the event decide. */
function contradicts({ positives, others, choice }: Parted & { choice: Choice | undefined }): boolean {
  const isNegative = choice?.negatives ? among(choice.negatives) : ({ verdict }: Shown) => verdict.isNegative;
  const isOpen = choice?.positives == null || choice.negatives !== null;
  const texts = new Set(positives.map(({ text }) => text));
  return isOpen && (positives.some(isNegative) || others.some((shown) => isNegative(shown) && texts.has(shown.text)));
}
