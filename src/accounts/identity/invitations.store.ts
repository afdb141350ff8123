import type { Sql } from '#db';
import type { Account } from '../accounts.store.ts';

export type Invitation = {
  id: string;
  kind: 'start' | 'account';
  role: Account['role'];
  /** Whose it is; null: whoever has the link. */
  email: string | null;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
  /** Slug of the account that it has opened. */
  accountSlug: string | null;
};

type NewInvitation = Pick<Invitation, 'id' | 'kind' | 'role' | 'email'> & {
  digest: Buffer;
  host: string | null;
  createdBy: string | null;
  lifeSeconds: number;
};

export async function insertInvitation(sql: Sql, invitation: NewInvitation): Promise<Date> {
  const { id, kind, role, email, digest, host, createdBy, lifeSeconds } = invitation;
  const [row] = await sql.query<{ expiresAt: Date }>(
    `insert into invitations (id, token_digest, kind, role, email, host, created_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)) returning expires_at as "expiresAt"`,
    [id, digest, kind, role, email, host, createdBy, lifeSeconds],
  );
  if (!row) throw new Error('An inserted row was not returned. This is a bug.');
  return row.expiresAt;
}

type OpenInvitation = Pick<Invitation, 'id' | 'kind' | 'role' | 'email'>;

const isOpen = `token_digest = $1 and used_at is null and expires_at > now() and (host is null or host = $2)`;

/** Null: there is none, or it was used, has expired, or is for another host. */
export async function findOpenInvitation(sql: Sql, digest: Buffer, host: string): Promise<OpenInvitation | null> {
  const [row] = await sql.query<OpenInvitation>(`select id, kind, role, email from invitations where ${isOpen}`, [
    digest,
    host,
  ]);
  return row ?? null;
}

/** The same, and nobody else gets it until the transaction has ended. */
export async function lockOpenInvitation(sql: Sql, digest: Buffer, host: string): Promise<OpenInvitation | null> {
  const [row] = await sql.query<OpenInvitation>(
    `select id, kind, role, email from invitations where ${isOpen} for update`,
    [digest, host],
  );
  return row ?? null;
}

export async function markInvitationUsed(sql: Sql, id: string, accountId: string): Promise<void> {
  await sql.query('update invitations set used_at = now(), account_id = $2 where id = $1', [id, accountId]);
}

/** Those that operators have made, newest first. */
export function listInvitations(sql: Sql, limit: number): Promise<Invitation[]> {
  return sql.query<Invitation>(
    `select i.id, i.kind, i.role, i.email, i.created_at as "createdAt", i.expires_at as "expiresAt",
            i.used_at as "usedAt", a.slug as "accountSlug"
     from invitations i left join accounts a on a.id = i.account_id
     where i.kind = 'account' order by i.created_at desc, i.id desc limit $1`,
    [limit],
  );
}

/** False: there is none that could still be used. */
export async function deleteInvitation(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql.query(
    "delete from invitations where id = $1 and kind = 'account' and used_at is null returning id",
    [id],
  );
  return rows.length > 0;
}

/** Whether somebody can sign in as operator. */
export async function hasOperator(sql: Sql): Promise<boolean> {
  const rows = await sql.query(
    `select from accounts a where a.role = 'admin'
       and exists (select from auth_identities i where i.account_id = a.id) limit 1`,
  );
  return rows.length > 0;
}

/** The oldest operator's account that nobody can sign in to: the one that the first start made. */
export async function findUnclaimedOperator(
  sql: Sql,
): Promise<{ id: string; slug: string; displayName: string } | null> {
  const [row] = await sql.query<{ id: string; slug: string; displayName: string }>(
    `select a.id, a.slug, a.display_name as "displayName" from accounts a
     where a.role = 'admin' and a.status = 'active'
       and not exists (select from auth_identities i where i.account_id = a.id)
     order by a.created_at, a.id limit 1 for no key update`,
  );
  return row ?? null;
}
