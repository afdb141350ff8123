import type { Database } from '#db';
import { createIntervalTask, type IntervalTask, type Log } from '#kernel';
import type { ObjectStore } from '#objects';
import { deletePart } from './import-parts.store.ts';
import {
  expireImports,
  listFinishedFiles,
  listOrphanedObjects,
  listOver,
  listStuckUploads,
  recordFilesRemoved,
} from './import-sweep.store.ts';
import type { ImportTask } from './import-task.ts';
import { completeUpload } from './upload/complete-upload.ts';
import { sweepTempFiles } from './worker/temp-files.ts';

export type SweepDeps = {
  database: Database;
  objects: ObjectStore;
  task: ImportTask;
  tempDir: string;
};

/**
 * What no request does: imports expire, files go a day after the end, uploads whose server died are completed, and work
 * that lost its worker gets another one. Several servers may sweep at once; everything here can be done twice.
 */
export async function sweepImports(deps: SweepDeps): Promise<void> {
  const { database, task, tempDir } = deps;
  const findOver = (ids: readonly string[]) => listOver(database, ids);
  const errors: unknown[] = [];
  // Some of it needs the object store: while that is unavailable, all else is done.
  for (const step of [
    () => expireImports(database),
    () => completeStuckUploads(deps),
    () => task.resume(),
    () => removeOrphanedObjects(deps),
    () => removeFinishedFiles(deps),
    () => sweepTempFiles(tempDir, findOver),
  ])
    await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

async function completeStuckUploads(deps: SweepDeps): Promise<void> {
  for (const stuck of await listStuckUploads(deps.database))
    await completeUpload(deps, { ...stuck, sha256: null }).catch(ignoreBadDigest);
}

async function removeOrphanedObjects(deps: SweepDeps): Promise<void> {
  for (const key of await listOrphanedObjects(deps.database)) await removeObject(deps, key);
}

async function removeFinishedFiles({ database, objects }: SweepDeps): Promise<void> {
  for (const { id, keys } of await listFinishedFiles(database)) {
    for (const key of keys) await objects.remove(key);
    for (const key of keys) await deletePart(database, key);
    await recordFilesRemoved(database, id);
  }
}

/** Removes the object before its row: if that fails, the row still names it for the next sweep. */
async function removeObject(
  { database, objects }: Pick<SweepDeps, 'database' | 'objects'>,
  key: string,
): Promise<void> {
  await objects.remove(key);
  await deletePart(database, key);
}

/** A file with another digest than announced was dropped; its owner sees that `received_bytes` is 0. */
function ignoreBadDigest(): void {}

const pauseMs = 60_000;

export function createSweeper(deps: SweepDeps & { log: Pick<Log, 'warn'> }): IntervalTask {
  return createIntervalTask({
    pauseMs,
    first: 'at once',
    work: () => sweepImports(deps),
    onError: (error) => deps.log.warn({ err: error }, 'sweep of imports failed'),
  });
}
