import { type Sql, timeText } from '#db';
import type { CountedRows, ListPosition } from '#kernel';
import type { FinishedJob, FinishedJobsFilter } from '#models';
import type { ProjectKind } from '#projects';
import type { JobState } from '../jobs/lifecycle.ts';
import type { Hyperparameters } from '../settings/hyperparameters.ts';

export type ServedJobRow = {
  id: string;
  accountId: string;
  kind: ProjectKind;
  baseModelId: string;
  state: JobState;
  attempt: number;
  adapterSha256: string | null;
  hyperparameters: Hyperparameters;
};

export function findServedJobs(sql: Sql, jobIds: readonly string[]): Promise<ServedJobRow[]> {
  return sql.query<ServedJobRow>(
    `select id, account_id as "accountId", kind, base_model_id as "baseModelId", state, attempt,
            adapter_sha256 as "adapterSha256", hyperparameters
       from training_jobs j where id = any($1::text[]) and exists (select from projects p where p.id = j.project_id)`,
    [jobIds],
    { name: 'training.served_jobs' },
  );
}

/** Whether the project of a job can be seen, and called in, by anybody. */
export async function isOfPublicProject(sql: Sql, jobId: string): Promise<boolean> {
  const rows = await sql.query(
    `select from training_jobs j join projects p on p.id = j.project_id
      where j.id = $1 and p.visibility = 'public' and p.archived_at is null`,
    [jobId],
    { name: 'training.job_is_public' },
  );
  return rows.length > 0;
}

const matches = `j.account_id = $1 and j.state = 'succeeded' and ($2::text is null or j.kind = $2)
  and ($3::text is null or o.slug = $3 and p.slug = $4) and ($5::text is null or position($5 in j.search_text) > 0)`;
const tables = 'training_jobs j join projects p on p.id = j.project_id join accounts o on o.id = j.account_id';

export async function listRegistryJobs(
  sql: Sql,
  { accountId, kind, project, q }: FinishedJobsFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<CountedRows<FinishedJob>> {
  const values = [accountId, kind, project?.ownerSlug ?? null, project?.slug ?? null, q];
  const [rows, [count]] = await Promise.all([
    sql.query<FinishedJob>(
      `select j.id, j.name, j.kind, j.base_model_id as "baseModelId", p.slug as "projectSlug", o.id as "ownerId",
              o.slug as "ownerSlug", p.archived_at is not null as "isArchived",
              (j.result->>'maxInputTokens')::integer as "maxInputTokens", j.created_at as "createdAt",
              j.finished_at as "finishedAt",
              ${timeText('j.created_at')} as position
         from ${tables}
        where ${matches} and (j.created_at, j.id) < ($6::timestamptz, $7)
        order by j.created_at desc, j.id desc limit $8`,
      [...values, after.createdAt, after.id, limit],
    ),
    sql.query<{ total: number }>(`select count(*)::integer as total from ${tables} where ${matches}`, values),
  ]);
  return { rows, totalCount: count?.total ?? 0 };
}

type ServedJob = { jobId: string; attempt: number };

export function listServedJobs(sql: Sql, { after, limit }: { after: string; limit: number }): Promise<ServedJob[]> {
  return sql.query<ServedJob>(
    `select id as "jobId", attempt from training_jobs where id > $1 and state = 'succeeded' order by id limit $2`,
    [after, limit],
  );
}
