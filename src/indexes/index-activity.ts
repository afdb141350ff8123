import { type Actor, recordActivity, type Severity } from '#activity';
import type { Sql } from '#db';

export type IndexPlace = {
  id: string;
  accountId: string;
  datasetId: string;
  datasetName: string;
  versionId: string;
  model: string;
  ownerSlug: string;
  projectSlug: string;
};

export type IndexNews = {
  type: 'index.ready' | 'index.failed' | 'index.canceled';
  severity: Severity;
  message: string;
  data: Record<string, unknown>;
  actor: Actor;
  requestId?: string;
};

/** The dataset is the subject: its page shows its indexes. */
export function tellOfIndex(tx: Sql, place: IndexPlace, { data, requestId, ...news }: IndexNews): Promise<void> {
  const { id, accountId, datasetId, datasetName, versionId, model, ownerSlug, projectSlug } = place;
  return recordActivity(tx, {
    ...news,
    accountId,
    project: { ownerSlug, slug: projectSlug },
    subject: { kind: 'dataset', id: datasetId, label: datasetName },
    data: { index_id: id, version_id: versionId, model, ...data },
    ...(requestId === undefined ? {} : { requestId }),
  });
}
