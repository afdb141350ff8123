import { createHash } from 'node:crypto';
import type { Database } from '#db';
import { fault } from '#kernel';
import type { ObjectStore } from '#objects';
import { dropParts, endUpload, listParts } from '../import-parts.store.ts';
import type { ImportTask } from '../import-task.ts';
import { lockImport } from '../imports.store.ts';
import { fileBytes } from '../worker/file-bytes.ts';

export type CompleteDeps = { database: Database; objects: ObjectStore; task: ImportTask };

/**
 * The last byte of a file is there: compares the digest and lets a worker read it. A file with another digest is dropped,
 * and can be uploaded anew. Throws `invalid_request` (sha256).
 */
export async function completeUpload(
  deps: CompleteDeps,
  { id, projectId, sha256 }: { id: string; projectId: string; sha256: string | null },
): Promise<void> {
  const { database, task } = deps;
  const actual = sha256 ?? (await digestOf(deps, id));
  const expected = await database.transaction(async (tx) => {
    const record = await lockImport(tx, { projectId, id });
    if (record?.state !== 'awaiting_upload' || record.receivedBytes !== record.sizeBytes) return null;
    if (record.expectedSha256 !== null && record.expectedSha256 !== actual) {
      await dropParts(tx, id);
      return record.expectedSha256;
    }
    if (await endUpload(tx, { importId: id, sha256: actual })) await task.enqueue(tx, id);
    return null;
  });
  if (expected === null) return;
  throw fault('invalid_request', {
    message: `sha256: the file has the digest ${actual} and was announced with ${expected}. It was dropped; upload it anew.`,
    param: 'sha256',
    details: { expected, actual },
  });
}

/** Read again, because no request has seen all of it. */
async function digestOf({ database, objects }: CompleteDeps, importId: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of fileBytes(objects, await listParts(database, importId))) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
