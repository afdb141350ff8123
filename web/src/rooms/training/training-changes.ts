import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, send } from '../../api/call.ts';
import { readBody } from '../../api/problem.ts';
import type { ProjectPath } from '../projects/index.ts';
import { type Job, type JobPath, jobQuery, type NewJob, pathOf, type RetryFrom } from './training-queries.ts';

const jobsRoute = '/api/v1/projects/{owner}/{project}/training-jobs';

function remember(queryClient: QueryClient, path: JobPath, job: Job): void {
  queryClient.setQueryData(jobQuery(path).queryKey, job);
  for (const room of ['training', 'projects', 'dashboard', 'activity', 'billing'])
    void queryClient.invalidateQueries({ queryKey: [room] });
}

/** A dry run. */
export async function tryOut({ owner, project }: ProjectPath, body: NewJob, signal: AbortSignal) {
  const answer = await call(`POST ${jobsRoute}`, {
    path: { owner, project },
    body: { ...body, dry_run: true },
    signal,
  });
  if ('estimate' in answer) return answer;
  throw new Error('A job was made where none was asked for. This is a bug.');
}

export type Plan = Awaited<ReturnType<typeof tryOut>>;

export function useCreateJob({ owner, project }: ProjectPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, idempotencyKey }: { body: NewJob; idempotencyKey: string }): Promise<Job> => {
      const answer = await call(`POST ${jobsRoute}`, { path: { owner, project }, body, idempotencyKey });
      if ('id' in answer) return answer;
      throw new Error('No job was made. This is a bug.');
    },
    onSuccess: (job) => remember(queryClient, { owner, project, id: job.id }, job),
  });
}

export function useCancelJob(path: JobPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (keepCheckpoint: boolean) =>
      call(`POST ${jobsRoute}/{job_id}/cancel`, { path: pathOf(path), body: { keep_checkpoint: keepCheckpoint } }),
    onSuccess: (job) => remember(queryClient, path, job),
  });
}

export function useRetryJob(path: JobPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ from, idempotencyKey }: { from: RetryFrom; idempotencyKey: string }) =>
      call(`POST ${jobsRoute}/{job_id}/retry`, { path: pathOf(path), body: { from }, idempotencyKey }),
    onSuccess: (job) => remember(queryClient, path, job),
  });
}

export async function readFrozenRows(path: JobPath): Promise<string> {
  const response = await send(`GET ${jobsRoute}/{job_id}/frozen-dataset`, {
    path: pathOf(path),
    headers: { accept: 'application/x-ndjson' },
  });
  return readBody(response.text());
}
