import { type Actor, recordActivity } from '#activity';
import type { Sql } from '#db';
import type { Dataset } from './datasets.store.ts';
import type { DatasetVersion } from './versions/versions.store.ts';

export type DatasetAuthor = {
  accountId: string;
  actor: Actor;
  project: { ownerSlug: string; slug: string };
  requestId?: string;
};

type ActivityContext = { dataset: Pick<Dataset, 'id' | 'name'>; author: DatasetAuthor };

export function recordCreation(
  tx: Sql,
  { kind, ...context }: ActivityContext & { kind: Dataset['kind'] },
): Promise<void> {
  return record(tx, context, {
    type: 'dataset.created',
    message: `The dataset "${context.dataset.name}" was created.`,
    data: { kind },
  });
}

export function recordArchiving(
  tx: Sql,
  { move, ...context }: ActivityContext & { move: 'archive' | 'unarchive' },
): Promise<void> {
  const { name } = context.dataset;
  return record(tx, context, {
    ...(move === 'archive'
      ? { type: 'dataset.archived', message: `The dataset "${name}" was archived.` }
      : { type: 'dataset.unarchived', message: `The dataset "${name}" was taken out of the archive.` }),
    data: {},
  });
}

export function recordVersion(
  tx: Sql,
  { version, ...context }: ActivityContext & { version: DatasetVersion },
): Promise<void> {
  const { id, number, sha256, trainCount, testCount } = version;
  const examples = trainCount + testCount;
  return record(tx, context, {
    type: 'dataset.version_created',
    message: `Version ${number} of the dataset "${context.dataset.name}" was frozen with ${examples} examples.`,
    data: { version_id: id, number, sha256, examples },
  });
}

type ActivityText = {
  type: 'dataset.created' | 'dataset.archived' | 'dataset.unarchived' | 'dataset.version_created';
  message: string;
  data: Record<string, unknown>;
};

function record(tx: Sql, { dataset, author }: ActivityContext, { type, message, data }: ActivityText): Promise<void> {
  const { accountId, actor, project, requestId } = author;
  return recordActivity(tx, {
    accountId,
    type,
    actor,
    project,
    message,
    data,
    subject: { kind: 'dataset', id: dataset.id, label: dataset.name },
    ...(requestId === undefined ? {} : { requestId }),
  });
}
