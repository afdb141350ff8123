import type { PromotionOutcome } from './promote-batch.ts';
import type { FilterRun } from './promote-filter.ts';
import { leakedQueryIn, refusalOf } from './promote-one.ts';
import type { PromotedManyWire } from './promotion.schema.ts';

type Result = PromotedManyWire['results'][number];

/** `ids`: the order of the results. */
export function promotedToWire(
  { outcomes, remaining, resumeAfter, stopped }: FilterRun,
  { ids, isDryRun }: { ids: readonly string[]; isDryRun: boolean },
): PromotedManyWire {
  const results = ids.map((id) => resultToWire(id, outcomes.get(id) ?? { status: 'not_found' }));
  const countOf = (...statuses: Result['status'][]) => results.filter(({ status }) => statuses.includes(status)).length;
  return {
    results,
    dry_run: isDryRun,
    promoted: countOf('promoted', 'promotable'),
    already_promoted: countOf('already_promoted'),
    rejected: countOf('rejected'),
    leaked_queries: new Set([...outcomes.values()].flatMap((outcome) => leakedQueryIn(outcome) ?? [])).size,
    remaining,
    resume_after: resumeAfter,
    stopped,
  };
}

function resultToWire(id: string, outcome: PromotionOutcome): Result {
  switch (outcome.status) {
    case 'promoted':
    case 'already_promoted':
      return { id, status: outcome.status, example_ids: outcome.exampleIds, blockers: [], error: null };
    case 'promotable':
      return { id, status: outcome.status, example_ids: [], blockers: [], error: null };
    default: {
      const { row, message } = refusalOf(outcome);
      const blockers = outcome.status === 'blocked' ? outcome.blockers : [];
      return { id, status: 'rejected', example_ids: [], blockers, error: { code: row.code, message } };
    }
  }
}
