import type { FastifyRequest } from 'fastify';
import { type Actor, actorOf } from '#activity';
import type { Sql } from '#db';
import { fault, isId } from '#kernel';
import { changeOwnProject, type ProjectPath, type ProjectSeen, readOwnProject } from '#projects';
import type { ImportRecord, ImportState } from './import-record.ts';
import { findImport, lockImport } from './imports.store.ts';

export type ImportPath = ProjectPath & { importId: string };

export type ImportAuthor = { actor: Actor; requestId: string; project: ProjectSeen };

export function authorOf(request: FastifyRequest, project: ProjectSeen): ImportAuthor {
  return { actor: actorOf(request.principal), requestId: request.id, project };
}

export async function readOwnImport(sql: Sql, request: FastifyRequest): Promise<ImportRecord> {
  const project = await readOwnProject(sql, request.principal, importPathOf(request));
  return found(await findBy(findImport, sql, { projectId: project.id, id: importPathOf(request).importId }));
}

/** The same for a change of it, locked until the transaction ends. Throws `not_found`, `owner_required`, `state_conflict`. */
export async function changeOwnImport(
  tx: Sql,
  request: FastifyRequest,
): Promise<{ record: ImportRecord; author: ImportAuthor }> {
  const project = await changeOwnProject(tx, request.principal, importPathOf(request));
  const record = found(await findBy(lockImport, tx, { projectId: project.id, id: importPathOf(request).importId }));
  return { record, author: authorOf(request, project) };
}

export function importPathOf({ params }: FastifyRequest): ImportPath {
  // as: the path of every route of an import declares these.
  return params as ImportPath;
}

type Address = { projectId: string; id: string };

function findBy(
  find: (sql: Sql, address: Address) => Promise<ImportRecord | null>,
  sql: Sql,
  address: Address,
): Promise<ImportRecord | null> {
  return isId('imp', address.id) ? find(sql, address) : Promise.resolve(null);
}

function found(record: ImportRecord | null): ImportRecord {
  if (!record) throw fault('not_found', { message: 'There is no such import.' });
  return record;
}

/** The import is not in a state in which this can be done. A file that is being read comes to it by itself. */
export function wrongState(state: ImportState, allowedFrom: readonly ImportState[]) {
  if ((state === 'uploaded' || state === 'profiling') && allowedFrom.includes('ready'))
    return fault('state_conflict', {
      message: 'The file is being read. Ask again when the import is ready.',
      details: { reason: 'profiling', state, allowed_from: allowedFrom },
    });
  return fault('state_conflict', {
    message: `The import is ${state.replace('_', ' ')}.`,
    details: { state, allowed_from: allowedFrom },
  });
}
