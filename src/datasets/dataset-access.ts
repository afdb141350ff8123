import type { FastifyRequest } from 'fastify';
import { type Sql, sqlState } from '#db';
import type { Principal } from '#http';
import { fault, isId } from '#kernel';
import { changeOwnProject, type ProjectPath, type ProjectSeen, readOwnProject } from '#projects';
import { type Dataset, findDataset, type LockedDataset, lockDataset } from './datasets.store.ts';

export type DatasetPath = ProjectPath & { datasetId: string };

export function datasetPathOf({ params }: Pick<FastifyRequest, 'params'>): DatasetPath {
  // as: the path declares these parameters.
  return params as DatasetPath;
}

/** The caller's own dataset, archived or not. Throws `not_found`. */
export async function readOwnDataset(
  sql: Sql,
  principal: Principal,
  path: DatasetPath,
): Promise<{ project: ProjectSeen; dataset: Dataset }> {
  const project = await readOwnProject(sql, principal, path);
  return { project, dataset: await find(sql, project, path) };
}

async function find(sql: Sql, { id: projectId }: ProjectSeen, { datasetId: id }: DatasetPath): Promise<Dataset> {
  const dataset = isId('ds', id) ? await findDataset(sql, { projectId, id }) : null;
  if (!dataset) throw noSuchDataset();
  return dataset;
}

/**
 * The caller's own dataset, locked until the transaction ends, for a change of its examples. Throws `not_found`,
 * `owner_required`, `state_conflict` (the project or the dataset is archived) and `in_use` (an import writes into it).
 */
export async function changeOwnDataset(
  tx: Sql,
  principal: Principal,
  path: DatasetPath,
): Promise<{ project: ProjectSeen; dataset: LockedDataset }> {
  const { project, dataset } = await lockOwnDataset(tx, principal, path);
  refuseArchived(dataset);
  return { project, dataset };
}

/**
 * The same without the lock, for what is done before the change: others may change the dataset meanwhile. Throws
 * `not_found`, `owner_required`, `state_conflict`.
 */
export async function seeDatasetToChange(
  sql: Sql,
  principal: Principal,
  path: DatasetPath,
): Promise<{ project: ProjectSeen; dataset: Dataset }> {
  const project = await changeOwnProject(sql, principal, path);
  const dataset = await find(sql, project, path);
  refuseArchived({ archived: dataset.archivedAt !== null });
  return { project, dataset };
}

/** As `changeOwnDataset`, for a change of the dataset itself: an archived one passes. */
export async function lockOwnDataset(
  tx: Sql,
  principal: Principal,
  path: DatasetPath,
): Promise<{ project: ProjectSeen; dataset: LockedDataset }> {
  const project = await changeOwnProject(tx, principal, path);
  const dataset = isId('ds', path.datasetId) ? await lock(tx, path.datasetId) : null;
  if (!dataset || dataset.projectId !== project.id) throw noSuchDataset();
  return { project, dataset };
}

/** Locks a dataset that the caller has been found to own, for a change of its examples. */
export async function lockForChange(tx: Sql, datasetId: string): Promise<LockedDataset> {
  const dataset = await lock(tx, datasetId);
  if (!dataset) throw noSuchDataset();
  refuseArchived(dataset);
  return dataset;
}

async function lock(tx: Sql, datasetId: string): Promise<LockedDataset | null> {
  try {
    return await lockDataset(tx, datasetId);
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error;
    throw fault('in_use', {
      message: 'Much is being written into this dataset at present. Try again when that is done.',
      cause: error,
    });
  }
}

function refuseArchived({ archived }: Pick<LockedDataset, 'archived'>): void {
  if (archived) throw datasetIsArchived();
}

export function datasetIsArchived(details: object = {}) {
  return fault('state_conflict', {
    message: 'This dataset is archived.',
    details: { state: 'archived', allowed_from: ['active'], ...details },
  });
}

export function noSuchDataset() {
  return fault('not_found', { message: 'There is no such dataset.' });
}
