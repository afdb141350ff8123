import type { Database } from '#db';
import type { ObjectStore } from '#objects';
import type { ProjectRemovalStep } from '#projects';
import {
  deleteContentsOf,
  deleteCountsOf,
  deleteDataset,
  deleteExamplesOf,
  deleteImport,
  deleteIssuesOf,
  deleteUnindexedOf,
  deleteVersionsOf,
  deleteWordsOf,
  endImportsIn,
  type ImportFiles,
  listDatasetIdsIn,
  listImportsIn,
} from './deleted-projects.store.ts';
import { deletePart } from './imports/import-parts.store.ts';
import { recordFilesRemoved } from './imports/import-sweep.store.ts';

const importsAtOnce = 20;
const datasetsAtOnce = 20;
const rowsAtOnce = 1_000;
const contentsAtOnce = 500;

export type DatasetRemovalDeps = { database: Database; objects: Pick<ObjectStore, 'remove'> };

/** Removes imports with their files, and datasets with all examples and versions, of a deleted project. */
export function removeDatasetsOf(deps: DatasetRemovalDeps): ProjectRemovalStep {
  const { database } = deps;
  return async ({ id: projectId }, run) => {
    await endImportsIn(database, projectId);
    let afterId = '';
    await run.repeat(async () => {
      const imports = await listImportsIn(database, projectId, afterId, importsAtOnce);
      for (const each of imports) if (!each.isBusy) await removeImport(deps, each, run);
      afterId = imports.at(-1)?.id ?? afterId;
      return imports.length;
    });
    await run.repeat(async () => {
      const ids = await listDatasetIdsIn(database, projectId, datasetsAtOnce);
      for (const id of ids) await removeDataset(database, id, run);
      return ids.length;
    });
  };
}

type Run = Parameters<ProjectRemovalStep>[1];

/** Objects before the rows that name them: after a crash they are found again. */
async function removeImport(
  { database, objects }: DatasetRemovalDeps,
  { id, keys }: ImportFiles,
  { repeat }: Run,
): Promise<void> {
  for (const key of keys) {
    await objects.remove(key);
    await deletePart(database, key);
  }
  // Gives the storage back.
  await recordFilesRemoved(database, id);
  await repeat(() => deleteIssuesOf(database, id, rowsAtOnce));
  await deleteImport(database, id);
}

async function removeDataset(database: Database, id: string, { repeat }: Run): Promise<void> {
  await deleteUnindexedOf(database, id);
  await repeat(() => deleteWordsOf(database, id, rowsAtOnce));
  await repeat(() => deleteVersionsOf(database, id, rowsAtOnce));
  await repeat(() => deleteExamplesOf(database, id, rowsAtOnce));
  await repeat(() => deleteContentsOf(database, id, contentsAtOnce));
  await deleteCountsOf(database, id);
  await deleteDataset(database, id);
}
