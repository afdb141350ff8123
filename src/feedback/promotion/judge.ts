import type { Sql } from '#db';
import { findDuplicates } from '../assessment/assess.ts';
import type { Blocker } from '../assessment/draft.ts';
import type { Drafted } from './drafted.ts';

export type Verdict = { status: 'promotable'; drafted: Drafted } | { status: 'blocked'; blockers: Blocker[] };

/**
 * Which events are promotable, by id: each as if those before it were promoted already. `seen`: what events of an earlier
 * call would have taught; what these would is added.
 */
export async function judge(
  sql: Sql,
  datasetId: string,
  drafted: readonly Drafted[],
  seen: Set<string> = new Set(),
): Promise<Map<string, Verdict>> {
  const duplicates = await findDuplicates(
    sql,
    datasetId,
    drafted.map(({ draft }) => draft),
  );
  const judgeOne = (one: Drafted): Verdict => {
    const { draft, prepared } = one;
    const { example } = draft;
    if (!example || !prepared) return { status: 'blocked', blockers: draft.blockers };
    if (!prepared.example?.valid) return { status: 'blocked', blockers: ['over_token_limit'] };
    if (duplicates.has(draft) || example.pairs.every((pair) => seen.has(pair)))
      return { status: 'blocked', blockers: ['duplicate_of_example'] };
    for (const pair of example.pairs) seen.add(pair);
    return { status: 'promotable', drafted: one };
  };
  return new Map(drafted.map((one) => [one.row.id, judgeOne(one)]));
}
