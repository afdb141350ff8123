import { type Actor, recordActivity } from '#activity';
import type { Sql } from '#db';
import type { Dataset } from './datasets.store.ts';
import type { DatasetVersion } from './versions/versions.store.ts';

/** Whose dataset it is, who changes it, and in which request. */
export type DatasetAuthor = {
  accountId: string;
  actor: Actor;
  project: { ownerSlug: string; slug: string };
  requestId?: string;
};

type Told = { dataset: Pick<Dataset, 'id' | 'name'>; author: DatasetAuthor };

export function tellOfCreation(tx: Sql, { kind, ...told }: Told & { kind: Dataset['kind'] }): Promise<void> {
  return tell(tx, told, {
    type: 'dataset.created',
    message: `The dataset "${told.dataset.name}" was created.`,
    data: { kind },
  });
}

export function tellOfMove(tx: Sql, { move, ...told }: Told & { move: 'archive' | 'unarchive' }): Promise<void> {
  const { name } = told.dataset;
  return tell(tx, told, {
    ...(move === 'archive'
      ? { type: 'dataset.archived', message: `The dataset "${name}" was archived.` }
      : { type: 'dataset.unarchived', message: `The dataset "${name}" was taken out of the archive.` }),
    data: {},
  });
}

export function tellOfVersion(tx: Sql, { version, ...told }: Told & { version: DatasetVersion }): Promise<void> {
  const { id, number, sha256, trainCount, testCount } = version;
  const examples = trainCount + testCount;
  return tell(tx, told, {
    type: 'dataset.version_created',
    message: `Version ${number} of the dataset "${told.dataset.name}" was frozen with ${examples} examples.`,
    data: { version_id: id, number, sha256, examples },
  });
}

type Words = {
  type: 'dataset.created' | 'dataset.archived' | 'dataset.unarchived' | 'dataset.version_created';
  message: string;
  data: Record<string, unknown>;
};

function tell(tx: Sql, { dataset, author }: Told, { type, message, data }: Words): Promise<void> {
  const { accountId, actor, project, requestId } = author;
  return recordActivity(tx, {
    ...{ accountId, type, actor, project, message, data },
    subject: { kind: 'dataset', id: dataset.id, label: dataset.name },
    ...(requestId === undefined ? {} : { requestId }),
  });
}
