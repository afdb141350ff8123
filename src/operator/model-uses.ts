import type { Sql } from '#db';
import { listHostedModelsByBase } from '#models';
import { listLiveJobsByBase } from '#training';

/** What uses a base model, in words: active aliases of any project, and training jobs that have not ended. */
export async function listModelUses(sql: Sql, baseModelId: string): Promise<string[]> {
  const aliases = await listHostedModelsByBase(sql, baseModelId);
  const jobs = await listLiveJobsByBase(sql, baseModelId);
  return [
    ...aliases.map(({ alias, projectId }) => `${alias} of project ${projectId}`),
    ...jobs.map((job) => `training job ${job.id}`),
  ];
}
