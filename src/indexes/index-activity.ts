import { type Actor, recordActivity, type Severity } from '#activity';
import type { Sql } from '#db';

type IndexSubject = {
  id: string;
  accountId: string;
  datasetId: string;
  datasetName: string;
  versionId: string;
  model: string;
  ownerSlug: string;
  projectSlug: string;
};

type IndexActivity = {
  type: 'index.ready' | 'index.failed' | 'index.canceled';
  severity: Severity;
  message: string;
  data: Record<string, unknown>;
  actor: Actor;
  requestId?: string;
};

/** The dataset is the subject: its page shows its indexes. */
export function recordIndexActivity(
  tx: Sql,
  index: IndexSubject,
  { data, requestId, ...activity }: IndexActivity,
): Promise<void> {
  const { id, accountId, datasetId, datasetName, versionId, model, ownerSlug, projectSlug } = index;
  return recordActivity(tx, {
    ...activity,
    accountId,
    project: { ownerSlug, slug: projectSlug },
    subject: { kind: 'dataset', id: datasetId, label: datasetName },
    data: { index_id: id, version_id: versionId, model, ...data },
    ...(requestId && { requestId }),
  });
}
