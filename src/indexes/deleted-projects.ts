import type { Database } from '#db';
import type { ProjectRemovalStep } from '#projects';
import { listIndexIds } from './deleted-projects.store.ts';
import { deleteSome } from './documents.store.ts';
import { deleteIndex } from './indexes.store.ts';
import type { VectorFiles } from './vectors/vector-files.ts';

const indexesAtOnce = 20;
const rowsAtOnce = 2_000;

/** Removes the indexes of a deleted project. None is being built: that would have kept the project. */
export function removeIndexesOf({
  database,
  files,
}: {
  database: Database;
  files: Pick<VectorFiles, 'forget'>;
}): ProjectRemovalStep {
  return async ({ id: projectId }, { repeat }) => {
    await repeat(async () => {
      const ids = await listIndexIds(database, projectId, indexesAtOnce);
      for (const id of ids) {
        await repeat(async () => ((await deleteSome(database, id, rowsAtOnce)) ? 1 : 0));
        await files.forget(id);
        await deleteIndex(database, id);
      }
      return ids.length;
    });
  };
}
