import type { Sql } from '#db';
import type { ObjectStore } from '#objects';
import { artifactKeys } from './jobs/job.ts';
import {
  type AttemptObject,
  findOrphansOfAttempts,
  listUnknownSnapshots,
  registerSnapshots,
} from './orphan-objects.store.ts';

const attemptForm = /^training\/jobs\/(job_[^/]+)\/([1-9][0-9]{0,8})\/(?:([^/]+)\/)?([^/]+)$/;
const snapshotForm = /^training\/snapshots\/([0-9a-f]{64})\/[^/]+$/;

/** Of keys of objects that have been there for long: those that nothing needs, and those of jobs that are not in this database. */
export async function findOrphanTrainingObjects(
  sql: Sql,
  keys: readonly string[],
): Promise<{ orphans: string[]; foreign: string[] }> {
  const ofAttempts = keys.flatMap((key) => readAttempt(key) ?? []);
  const rows = ofAttempts.length === 0 ? [] : await findOrphansOfAttempts(sql, ofAttempts);
  const ofSnapshots = keys.filter((key) => snapshotForm.test(key));
  const digests = ofSnapshots.map(digestOf);
  const unknown = new Set(digests.length === 0 ? [] : await listUnknownSnapshots(sql, digests));
  return {
    orphans: [
      ...rows.filter(({ isForeign }) => !isForeign).map(({ key }) => key),
      ...ofSnapshots.filter((key) => unknown.has(digestOf(key))),
    ],
    foreign: rows.filter(({ isForeign }) => isForeign).map(({ key }) => key),
  };
}

/** Those of attempts go at once. Snapshots are shared: they get their rows back, and go as others that nobody needs. */
export async function removeOrphanTrainingObjects(
  { sql, objects }: { sql: Sql; objects: Pick<ObjectStore, 'remove'> },
  keys: readonly string[],
): Promise<void> {
  const { orphans } = await findOrphanTrainingObjects(sql, keys);
  await registerSnapshots(sql, orphans.filter((key) => snapshotForm.test(key)).map(digestOf));
  for (const key of orphans) if (!snapshotForm.test(key)) await objects.remove(key);
}

function digestOf(key: string): string {
  return snapshotForm.exec(key)?.[1] ?? '';
}

function readAttempt(key: string): AttemptObject | null {
  const [, jobId, number, checkpoint = null, file] = attemptForm.exec(key) ?? [];
  if (jobId === undefined || file === undefined) return null;
  const attempt = Number(number);
  const isOurs = checkpoint !== null || Object.values(artifactKeys({ jobId, attempt })).includes(key);
  return isOurs ? { key, jobId, attempt, checkpoint, file } : null;
}
