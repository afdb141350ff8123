import { type Dataset, type DatasetPath, datasetIsArchived, findDataset } from '#datasets';
import type { Sql } from '#db';
import type { Principal } from '#http';
import { fault, isId } from '#kernel';
import { changeOwnProject, type ProjectPath, type ProjectSeen, readOwnProject, seeProject } from '#projects';

/** The embedding dataset of a path, for its owner. Throws `not_found`, `embeddings_not_enabled`. */
export async function authorizeFeedbackRead(sql: Sql, principal: Principal, path: DatasetPath): Promise<Dataset> {
  return datasetIn(sql, await authorizeEmbeddingProject(sql, principal, path), path);
}

export async function authorizeEmbeddingProject(
  sql: Sql,
  principal: Principal,
  path: ProjectPath,
): Promise<ProjectSeen> {
  const project = await readOwnProject(sql, principal, path);
  refuseText(project);
  return project;
}

/**
 * For a change, before its transaction or without one. Nothing is locked, because many events may be reported at a
 * time. Throws `owner_required` and `state_conflict` (archived) besides.
 */
export async function authorizeFeedbackWrite(sql: Sql, principal: Principal, path: DatasetPath): Promise<Dataset> {
  const { project, role } = await seeProject(sql, principal, path);
  if (role !== 'owner') throw fault('owner_required');
  refuseText(project);
  if (project.archivedAt !== null)
    throw fault('state_conflict', {
      message: 'This project is archived.',
      details: { state: 'archived', allowed_from: ['active'] },
    });
  return refuseArchived(await datasetIn(sql, project, path));
}

/** For a change in its transaction, until whose end the project is not archived. */
export async function lockFeedbackForWrite(tx: Sql, principal: Principal, path: DatasetPath): Promise<Dataset> {
  const project = await changeOwnProject(tx, principal, path);
  refuseText(project);
  return refuseArchived(await datasetIn(tx, project, path));
}

async function datasetIn(sql: Sql, project: ProjectSeen, { datasetId }: DatasetPath): Promise<Dataset> {
  const dataset = isId('ds', datasetId) ? await findDataset(sql, { projectId: project.id, id: datasetId }) : null;
  if (!dataset) throw fault('not_found', { message: 'There is no such dataset.' });
  return dataset;
}

function refuseArchived(dataset: Dataset): Dataset {
  if (dataset.archivedAt !== null) throw datasetIsArchived({ blockers: ['dataset_archived'] });
  return dataset;
}

function refuseText({ kind }: ProjectSeen): void {
  if (kind === 'text')
    throw fault('embeddings_not_enabled', { message: 'Search feedback belongs to embedding projects.' });
}
