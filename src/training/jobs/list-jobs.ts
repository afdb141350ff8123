import type { Sql } from '#db';
import { type CursorCodec, fault, foldText } from '#kernel';
import type { TrainingJob } from './job.ts';
import { countJobs, type JobFilter, listAttempts, listJobs } from './jobs.store.ts';

type Listing = { sql: Sql; cursors: CursorCodec };
type Asked = { limit: number; cursor: string | null };

/** Jobs of a project, newest first, one more than `limit` when another page follows. Throws `invalid_cursor`. */
export async function pageOfJobs({ sql, cursors }: Listing, asked: JobFilter, { limit, cursor }: Asked) {
  const filter = { ...asked, q: asked.q === null ? null : foldText(asked.q) };
  const { projectId, state, baseModelId, datasetId, q } = filter;
  const scope = ['training-jobs', projectId, state ?? '', baseModelId ?? '', datasetId ?? '', q ?? ''];
  const after = cursor === null ? null : positionOf(cursors.decode(scope, cursor));
  const [rows, totalCount] = await Promise.all([
    listJobs(sql, filter, { after, limit: limit + 1 }),
    countJobs(sql, filter),
  ]);
  return {
    rows,
    totalCount,
    limit,
    cursorOf: (row: (typeof rows)[number]) => cursors.encode(scope, [row.position, row.id]),
  };
}

function positionOf([createdAt, id]: readonly string[]) {
  if (createdAt === undefined || id === undefined) throw fault('invalid_cursor', { param: 'cursor' });
  return { createdAt, id };
}

/** Attempts of a job, latest first. */
export async function pageOfAttempts({ sql, cursors }: Listing, job: TrainingJob, { limit, cursor }: Asked) {
  const scope = ['training-attempts', job.id];
  const before = cursor === null ? null : Number(cursors.decode(scope, cursor)[0]);
  const rows = await listAttempts(sql, job.id, { before, limit: limit + 1 });
  const cursorOf = ({ number }: (typeof rows)[number]) => cursors.encode(scope, [String(number)]);
  return { rows, totalCount: job.attempt, limit, cursorOf };
}
