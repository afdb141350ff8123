import { type Sql, timeText } from '#db';
import type { CountedRows, Listed, ListPosition } from '#kernel';

export type ModelShare = {
  id: string;
  hostedModelId: string;
  accountId: string;
  accountSlug: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
};

const columns = `s.id, s.hosted_model_id as "hostedModelId", s.account_id as "accountId", a.slug as "accountSlug",
  s.created_at as "createdAt", s.expires_at as "expiresAt", s.last_used_at as "lastUsedAt"`;

export async function listShareRows(
  sql: Sql,
  { hostedModelId, after, limit }: { hostedModelId: string; after: ListPosition; limit: number },
): Promise<CountedRows<Listed<ModelShare>>> {
  const [rows, [count]] = await Promise.all([
    sql.query<Listed<ModelShare>>(
      `select ${columns}, ${timeText('s.created_at')} as position
         from model_shares s join accounts a on a.id = s.account_id
        where s.hosted_model_id = $1 and (s.created_at, s.id) < ($2, $3)
        order by s.created_at desc, s.id desc limit $4`,
      [hostedModelId, after.createdAt, after.id, limit],
    ),
    sql.query<{ total: number }>('select count(*)::integer as total from model_shares where hosted_model_id = $1', [
      hostedModelId,
    ]),
  ]);
  return { rows, totalCount: count?.total ?? 0 };
}

type NewShare = {
  id: string;
  hostedModelId: string;
  projectId: string;
  accountId: string;
  expiresAt: Date | null;
};

/**
 * Shares a model, or changes until when: one statement, so that many at once make one share. `was`: the share before; null:
 * it is new.
 */
export async function upsertShare(
  tx: Sql,
  share: NewShare,
): Promise<{ share: ModelShare; was: { expiresAt: Date | null } | null }> {
  // Locked first: the row of the conflict must be the one of `was`.
  const [before] = await tx.query<{ expiresAt: Date | null }>(
    `select expires_at as "expiresAt" from model_shares where hosted_model_id = $1 and account_id = $2 for update`,
    [share.hostedModelId, share.accountId],
  );
  const [row] = await tx.query<ModelShare & { isNew: boolean }>(
    `with s as (
       insert into model_shares (id, hosted_model_id, project_id, account_id, expires_at) values ($1, $2, $3, $4, $5)
       on conflict (hosted_model_id, account_id) do update set expires_at = excluded.expires_at
       returning *, xmax = 0 as is_new
     )
     select ${columns}, s.is_new as "isNew" from s join accounts a on a.id = s.account_id`,
    [share.id, share.hostedModelId, share.projectId, share.accountId, share.expiresAt],
  );
  if (!row) throw new Error('An insert returned no row. This is a bug.');
  const { isNew, ...saved } = row;
  return { share: saved, was: isNew ? null : (before ?? { expiresAt: saved.expiresAt }) };
}

/** Null when there was no such share. */
export async function deleteShare(
  sql: Sql,
  { id, hostedModelId }: { id: string; hostedModelId: string },
): Promise<ModelShare | null> {
  const [row] = await sql.query<ModelShare>(
    `with s as (delete from model_shares where id = $1 and hosted_model_id = $2 returning *)
     select ${columns} from s join accounts a on a.id = s.account_id`,
    [id, hostedModelId],
  );
  return row ?? null;
}

/** Shares of models with an account, and those of its own models with others. */
export async function deleteSharesOf(tx: Sql, accountId: string): Promise<void> {
  // Locked in one order: two accounts that share with each other may be deleted at the same time.
  await tx.query(
    `with locked as (
       select s.id from model_shares s where s.id in (
         select id from model_shares where account_id = $1
         union
         select m.id from projects p join hosted_models h on h.project_id = p.id
           join model_shares m on m.hosted_model_id = h.id where p.account_id = $1)
       order by s.id for update
     )
     delete from model_shares where id in (select id from locked)`,
    [accountId],
  );
}
