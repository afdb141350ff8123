import { actorOf, recordActivity } from '#activity';
import type { LockedDataset } from '#datasets';
import type { Sql } from '#db';
import type { Principal } from '#http';
import type { ProjectSeen } from '#projects';
import { type PromotionNotice, takeDueNotices, upsertNotice } from './notices.store.ts';

type Promotion = {
  principal: Principal;
  project: Pick<ProjectSeen, 'accountId' | 'ownerSlug' | 'slug'>;
  dataset: Pick<LockedDataset, 'id' | 'name'>;
  requestId: string;
  events: number;
};

/**
 * Records promotions, at most twice in an hour for one dataset and actor: the first at once, and all others together
 * when the hour is over, because rows of the feed never change. In the transaction of the promotion.
 */
export async function recordPromotion(tx: Sql, promotion: Promotion): Promise<void> {
  const { principal, project, dataset, requestId, events } = promotion;
  const notice = {
    datasetId: dataset.id,
    datasetName: dataset.name,
    accountId: project.accountId,
    projectOwner: project.ownerSlug,
    projectSlug: project.slug,
    actor: actorOf(principal),
  };
  const isFirst = await upsertNotice(tx, { ...notice, events });
  if (isFirst) await record(tx, { ...notice, events, requestId });
}

/** Records what was promoted in hours that are over; gives how many there were. */
export async function recordDuePromotions(tx: Sql, limit: number): Promise<number> {
  const due = await takeDueNotices(tx, limit);
  for (const notice of due) if (notice.events > 0) await record(tx, notice);
  return due.length;
}

function record(tx: Sql, notice: PromotionNotice & { requestId?: string; hour?: Date }): Promise<void> {
  const { accountId, actor, datasetId, datasetName, projectOwner, projectSlug, events, requestId, hour } = notice;
  const count = events === 1 ? '1 retrieval event was' : `${events} retrieval events were`;
  return recordActivity(tx, {
    accountId,
    actor,
    type: 'retrieval.promoted',
    severity: 'success',
    project: { ownerSlug: projectOwner, slug: projectSlug },
    subject: { kind: 'dataset', id: datasetId, label: datasetName },
    message: `${count} promoted into the dataset "${datasetName}"${hour ? ' in the rest of an hour' : ''}.`,
    data: { events, hour: hour?.toISOString() ?? null },
    ...(requestId && { requestId }),
  });
}
