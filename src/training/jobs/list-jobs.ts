import type { Sql } from '#db';
import { type CursorCodec, createListCursor, foldText, type PageRequest } from '#kernel';
import type { TrainingJob } from './job.ts';
import { countJobs, type JobFilter, listAttempts, listJobs } from './jobs.store.ts';

type JobListDeps = { sql: Sql; cursors: CursorCodec };

export async function pageOfJobs({ sql, cursors }: JobListDeps, query: JobFilter, { limit, cursor }: PageRequest) {
  const filter = { ...query, q: query.q === null ? null : foldText(query.q) };
  const { projectId, state, baseModelId, datasetId, q } = filter;
  const scope = ['training-jobs', projectId, state ?? '', baseModelId ?? '', datasetId ?? '', q ?? ''];
  const { after, cursorOf } = createListCursor(cursors, scope);
  const [rows, totalCount] = await Promise.all([
    listJobs(sql, filter, { after: after(cursor), limit: limit + 1 }),
    countJobs(sql, filter),
  ]);
  return { rows, totalCount, limit, cursorOf };
}

export async function pageOfAttempts({ sql, cursors }: JobListDeps, job: TrainingJob, { limit, cursor }: PageRequest) {
  const scope = ['training-attempts', job.id];
  const before = cursor === null ? null : Number(cursors.decode(scope, cursor)[0]);
  const rows = await listAttempts(sql, job.id, { before, limit: limit + 1 });
  const cursorOf = ({ number }: (typeof rows)[number]) => cursors.encode(scope, [String(number)]);
  return { rows, totalCount: job.attempt, limit, cursorOf };
}
