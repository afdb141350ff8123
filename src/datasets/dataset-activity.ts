import { type Actor, recordActivity } from '#activity';
import type { Sql } from '#db';

export type DatasetAuthor = {
  accountId: string;
  actor: Actor;
  project: { ownerSlug: string; slug: string };
  requestId?: string;
};

type DatasetActivity = {
  type: 'dataset.created' | 'dataset.archived' | 'dataset.unarchived' | 'dataset.version_created';
  dataset: { id: string; name: string };
  message: string;
  data?: Record<string, unknown>;
};

export function recordDatasetActivity(
  tx: Sql,
  author: DatasetAuthor,
  { dataset, ...activity }: DatasetActivity,
): Promise<void> {
  return recordActivity(tx, {
    ...author,
    ...activity,
    subject: { kind: 'dataset', id: dataset.id, label: dataset.name },
  });
}
