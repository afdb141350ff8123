import type { Sql } from '#db';

export type FeedbackCounts = { pending: number; needsJudgment: number; promotedInWindow: number };

export async function countFeedback(
  sql: Sql,
  { accountId, since }: { accountId: string; since: Date },
): Promise<FeedbackCounts> {
  const [row] = await sql.query<FeedbackCounts>(
    `select coalesce(sum(counted.pending), 0)::integer as pending,
            coalesce(sum(counted.needs_judgment), 0)::integer as "needsJudgment",
            coalesce(sum(promoted.events), 0)::integer as "promotedInWindow"
       from projects p
       join datasets d on d.project_id = p.id
      cross join lateral (
        select sum(events) filter (where state = 'pending') as pending,
               sum(events) filter (where state = 'needs_judgment') as needs_judgment
          from retrieval_event_counts c where c.dataset_id = d.id
      ) counted
      cross join lateral (
        select count(*) as events from retrieval_events e
         where e.dataset_id = d.id and e.state = 'promoted' and e.promoted_at >= $2
      ) promoted
      where p.account_id = $1 and p.archived_at is null and p.kind = 'embedding'`,
    [accountId, since],
    { name: 'feedback.count_of_account' },
  );
  return row ?? { pending: 0, needsJudgment: 0, promotedInWindow: 0 };
}
