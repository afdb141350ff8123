import { systemActor } from '#activity';
import { findDataset } from '#datasets';
import type { Database, Sql } from '#db';
import type { ProjectSeen } from '#projects';
import { cancelBuild } from './ending.ts';
import { type Digests, findIndex, listBuilding, lockIndex } from './indexes.store.ts';

type CancelDeps = { database: Database; digests: () => Digests; cleanUp: (tx: Sql, indexId: string) => Promise<void> };

/** Cancels the builds of a project, each in a transaction of its own. */
export function createCancelBuilds({ database, digests, cleanUp }: CancelDeps) {
  return async (project: ProjectSeen): Promise<void> => {
    for (const id of await listBuilding(database, project.id))
      await database.transaction(async (tx) => {
        await lockIndex(tx, id);
        const index = await findIndex(tx, { projectId: project.id, id }, digests());
        if (!index) return;
        const dataset = await findDataset(tx, { projectId: project.id, id: index.datasetId });
        const canceling = { index, datasetName: dataset?.name ?? '', project, actor: systemActor };
        if (await cancelBuild(tx, { ...canceling, requestId: index.requestId })) await cleanUp(tx, id);
      });
  };
}
