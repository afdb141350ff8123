import type { Actor } from '#activity';
import type { Sql } from '#db';

/** Promotions of one actor into one dataset. */
export type PromotionNotice = {
  datasetId: string;
  datasetName: string;
  accountId: string;
  projectOwner: string;
  projectSlug: string;
  actor: Actor;
  events: number;
};

/** Counts promotions of this hour. True for the first of them, which is recorded at once and so not counted. */
export async function upsertNotice(tx: Sql, notice: PromotionNotice): Promise<boolean> {
  const { actor } = notice;
  const [row] = await tx.query<{ isFirst: boolean }>(
    `insert into promotion_notices as known (dataset_id, dataset_name, account_id, project_owner, project_slug, actor_kind,
       actor_id, actor_label, hour, events)
     values ($1, $2, $3, $4, $5, $6, $7, $8, date_trunc('hour', now(), 'UTC'), 0)
     on conflict (dataset_id, actor_kind, actor_id, hour) do update
        set events = known.events + $9, dataset_name = excluded.dataset_name
     returning events = 0 as "isFirst"`,
    [
      notice.datasetId,
      notice.datasetName,
      notice.accountId,
      notice.projectOwner,
      notice.projectSlug,
      actor.kind,
      actor.id ?? '',
      actor.label,
      notice.events,
    ],
    { name: 'feedback.upsert_notice' },
  );
  return row?.isFirst ?? true;
}

/** Takes away notices of hours that are over; those that another replica is about to record are left to it. */
export async function takeDueNotices(tx: Sql, limit: number): Promise<(PromotionNotice & { hour: Date })[]> {
  const rows = await tx.query<
    Omit<PromotionNotice, 'actor'> & { hour: Date; kind: Actor['kind']; actorId: string; label: string }
  >(
    `with due as (
       select dataset_id, actor_kind, actor_id, hour from promotion_notices
        where hour < date_trunc('hour', now(), 'UTC') order by hour limit $1 for update skip locked
     )
     delete from promotion_notices n using due
      where (n.dataset_id, n.actor_kind, n.actor_id, n.hour) = (due.dataset_id, due.actor_kind, due.actor_id, due.hour)
     returning n.dataset_id as "datasetId", n.dataset_name as "datasetName", n.account_id as "accountId",
       n.project_owner as "projectOwner", n.project_slug as "projectSlug", n.events, n.hour,
       n.actor_kind as kind, n.actor_id as "actorId", n.actor_label as label`,
    [limit],
  );
  return rows.map(({ kind, actorId, label, ...notice }) => ({
    ...notice,
    actor: { kind, id: actorId === '' ? null : actorId, label },
  }));
}
