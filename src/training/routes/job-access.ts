import type { FastifyRequest } from 'fastify';
import { actorOf } from '#activity';
import type { Sql } from '#db';
import { fault, isId } from '#kernel';
import { changeOwnProject, projectPathOf, projectPrefix, readOwnProject } from '#projects';
import type { JobAuthor } from '../jobs/create-job.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { findJob, lockJob } from '../jobs/jobs.store.ts';

export const jobsPath = `${projectPrefix}/training-jobs`;
export const jobPath = `${jobsPath}/:jobId`;

function jobIdOf({ params }: FastifyRequest): string {
  // as: the path declares it.
  return (params as { jobId: string }).jobId;
}

export function authorOf(request: FastifyRequest): JobAuthor {
  return { actor: actorOf(request.principal), requestId: request.id };
}

export async function readOwnJob(sql: Sql, request: FastifyRequest): Promise<TrainingJob> {
  const { id: projectId } = await readOwnProject(sql, request.principal, projectPathOf(request));
  const id = jobIdOf(request);
  const job = isId('job', id) ? await findJob(sql, { projectId, id }) : null;
  if (!job) throw noSuchJob();
  return job;
}

/** The same for a change, locked until the transaction ends. Throws `owner_required`, `state_conflict` (archived) besides. */
export async function changeOwnJob(tx: Sql, request: FastifyRequest): Promise<TrainingJob> {
  const { id: projectId } = await changeOwnProject(tx, request.principal, projectPathOf(request));
  const id = jobIdOf(request);
  const job = isId('job', id) ? await lockJob(tx, id) : null;
  if (job?.projectId !== projectId) throw noSuchJob();
  return job;
}

function noSuchJob() {
  return fault('not_found', { message: 'There is no such training job.' });
}
