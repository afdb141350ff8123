import type { Sql } from '#db';

const maxActive = 5;
const project = `json_build_object('owner', o.slug, 'slug', p.slug) as project`;
const tables = 'training_jobs j join projects p on p.id = j.project_id join accounts o on o.id = j.account_id';

type ActiveJob = {
  id: string;
  name: string;
  project: { owner: string; slug: string };
  state: string;
  percent: number | null;
};
type SucceededJob = { id: string; name: string; project: { owner: string; slug: string }; finishedAt: Date };

export async function readTrainingOverview(sql: Sql, { accountId, since }: { accountId: string; since: Date }) {
  const [active, [lastSucceeded = null], [counts]] = await Promise.all([
    sql.query<ActiveJob>(
      `select j.id, j.name, ${project}, j.state,
              round(100.0 * coalesce((j.progress->>'step')::integer, 0) / nullif((j.progress->>'totalSteps')::integer, 0), 1)::float8 as percent
         from ${tables} where j.account_id = $1 and j.finished_at is null and j.state <> 'queued'
        order by j.queued_at, j.id limit ${maxActive}`,
      [accountId],
    ),
    sql.query<SucceededJob>(
      `select j.id, j.name, ${project}, j.finished_at as "finishedAt"
         from ${tables} where j.account_id = $1 and j.state = 'succeeded'
        order by j.finished_at desc, j.id desc limit 1`,
      [accountId],
    ),
    sql.query<{ queued: number; failedInWindow: number; hasAny: boolean }>(
      `select count(*) filter (where state = 'queued')::integer as queued,
              count(*) filter (where state = 'failed' and finished_at >= $2)::integer as "failedInWindow",
              count(*) > 0 as "hasAny"
         from training_jobs where account_id = $1`,
      [accountId, since],
    ),
  ]);
  return { active, lastSucceeded, ...(counts ?? { queued: 0, failedInWindow: 0, hasAny: false }) };
}
