import type { Sql } from '#db';

export type OverviewJob = {
  id: string;
  name: string;
  owner: string;
  slug: string;
  state: string;
  step: number | null;
  totalSteps: number | null;
  finishedAt: Date | null;
};

const mostShown = 5;
const columns = `j.id, j.name, o.slug as owner, p.slug, j.state, (j.progress->>'step')::integer as step,
  (j.progress->>'totalSteps')::integer as "totalSteps", j.finished_at as "finishedAt"`;
const tables = 'training_jobs j join projects p on p.id = j.project_id join accounts o on o.id = j.account_id';

/** What an account trains, for its dashboard. */
export async function readOverview(sql: Sql, { accountId, since }: { accountId: string; since: Date }) {
  const [active, [last], [counts]] = await Promise.all([
    sql.query<OverviewJob>(
      `select ${columns} from ${tables} where j.account_id = $1 and j.finished_at is null and j.state <> 'queued'
        order by j.queued_at, j.id limit ${mostShown}`,
      [accountId],
    ),
    sql.query<OverviewJob>(
      `select ${columns} from ${tables} where j.account_id = $1 and j.state = 'succeeded'
        order by j.finished_at desc, j.id desc limit 1`,
      [accountId],
    ),
    sql.query<{ queued: number; failed: number; any: boolean }>(
      `select count(*) filter (where state = 'queued')::integer as queued,
              count(*) filter (where state = 'failed' and finished_at >= $2)::integer as failed, count(*) > 0 as any
         from training_jobs where account_id = $1`,
      [accountId, since],
    ),
  ]);
  return {
    active,
    last: last ?? null,
    queued: counts?.queued ?? 0,
    failed: counts?.failed ?? 0,
    any: counts?.any ?? false,
  };
}
