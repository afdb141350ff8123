import type { FastifyRequest } from 'fastify';
import type { Sql } from '#db';
import { fault, isId } from '#kernel';
import { changeOwnProject, type ProjectPath, type ProjectSeen, readOwnProject } from '#projects';
import type { DatasetIndex } from './dataset-index.ts';
import { type Digests, findIndex, lockIndex } from './indexes.store.ts';

export type IndexPath = ProjectPath & { indexId: string };

export function indexPathOf({ params }: Pick<FastifyRequest, 'params'>): IndexPath {
  // as: the path of every route of an index declares these.
  return params as IndexPath;
}

export async function readOwnIndex(sql: Sql, request: FastifyRequest, digests: Digests): Promise<DatasetIndex> {
  const project = await readOwnProject(sql, request.principal, indexPathOf(request));
  return found(sql, { project, request, digests });
}

/** The same for what costs or changes something. Throws `not_found`, `owner_required`, `state_conflict` (archived project). */
export async function useOwnIndex(
  sql: Sql,
  request: FastifyRequest,
  digests: Digests,
): Promise<{ index: DatasetIndex; project: ProjectSeen }> {
  const project = await changeOwnProject(sql, request.principal, indexPathOf(request));
  return { project, index: await found(sql, { project, request, digests }) };
}

/** The same, locked until the transaction ends: its state stays. */
export async function changeOwnIndex(
  tx: Sql,
  request: FastifyRequest,
  digests: Digests,
): Promise<{ index: DatasetIndex; project: ProjectSeen }> {
  const { project, index } = await useOwnIndex(tx, request, digests);
  await lockIndex(tx, index.id);
  return { project, index: await found(tx, { project, request, digests }) };
}

type IndexLookup = { project: ProjectSeen; request: FastifyRequest; digests: Digests };

async function found(sql: Sql, { project, request, digests }: IndexLookup): Promise<DatasetIndex> {
  const { indexId: id } = indexPathOf(request);
  // What is no id is not looked up: it may hold characters that the database does not take.
  const index = isId('idx', id) ? await findIndex(sql, { projectId: project.id, id }, digests) : null;
  if (!index) throw noSuchIndex();
  return index;
}

export function noSuchIndex() {
  return fault('not_found', { message: 'There is no such index.' });
}

export type Searchable = DatasetIndex & { documents: number };

/** Throws `state_conflict` for an index that cannot be searched. */
export function searchable(index: DatasetIndex, digests: Digests): Searchable {
  const { state, documents } = index;
  if ((state !== 'ready' && state !== 'stale') || documents === null)
    throw fault('state_conflict', {
      message: `The index is ${state}.`,
      details: { state, allowed_from: ['ready', 'stale'] },
    });
  if (digests[index.baseModelId] !== index.baseModelSha256)
    throw fault('state_conflict', {
      message: `The model ${index.baseModelId} was removed or replaced since this index was built. Build it anew.`,
      details: { reason: 'model_changed', state, allowed_from: ['ready', 'stale'] },
    });
  return { ...index, documents };
}
