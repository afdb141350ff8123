/** Where a query finds what it should: ranks from 1, ascending, of the positives within the first `depth` results. */
export type QueryRanks = { ranks: readonly number[]; positives: number };

export type QueryScores = {
  recallAt1: number;
  recallAt10: number;
  recallAt100: number;
  mrrAt10: number;
  ndcgAt10: number;
};

export type IndexMetrics = QueryScores & { queries: number };

/** Results that are looked at. */
export const depth = 100;

export function scoresOf({ ranks, positives }: QueryRanks): QueryScores {
  const within = (most: number) => ranks.filter((rank) => rank <= most);
  const recallAt = (most: number) => within(most).length / positives;
  const [first] = within(10);
  return {
    recallAt1: recallAt(1),
    recallAt10: recallAt(10),
    recallAt100: recallAt(100),
    mrrAt10: first === undefined ? 0 : 1 / first,
    ndcgAt10: gainOf(within(10)) / gainOf(firstRanks(Math.min(positives, 10))),
  };
}

export function meanOf(all: readonly QueryScores[]): IndexMetrics | null {
  if (all.length === 0) return null;
  const mean = (name: keyof QueryScores) => all.reduce((sum, scores) => sum + scores[name], 0) / all.length;
  return {
    recallAt1: mean('recallAt1'),
    recallAt10: mean('recallAt10'),
    recallAt100: mean('recallAt100'),
    mrrAt10: mean('mrrAt10'),
    ndcgAt10: mean('ndcgAt10'),
    queries: all.length,
  };
}

function gainOf(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + 1 / Math.log2(rank + 1), 0);
}

function firstRanks(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}
