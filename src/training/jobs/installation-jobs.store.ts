import type { Sql } from '#db';
import type { JobState } from './lifecycle.ts';

/** A training job as operators see it: not what it learns, but what it takes. */
export type InstallationJob = {
  id: string;
  ownerSlug: string;
  projectSlug: string;
  name: string;
  baseModelId: string;
  state: JobState;
  /** Server that works on it. */
  worker: string | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
};

/** Of all accounts: those that have not ended first, then the newest. */
export function listInstallationJobs(sql: Sql, limit: number): Promise<InstallationJob[]> {
  return sql.query<InstallationJob>(
    `select j.id, o.slug as "ownerSlug", p.slug as "projectSlug", j.name, j.base_model_id as "baseModelId", j.state,
            j.lease_holder as worker, j.created_at as "createdAt", j.started_at as "startedAt",
            j.finished_at as "finishedAt"
       from training_jobs j join projects p on p.id = j.project_id join accounts o on o.id = j.account_id
      order by j.finished_at is not null, j.created_at desc, j.id desc limit $1`,
    [limit],
  );
}
