import type { Sql } from '#db';

export type ClosingAccount = {
  id: string;
  slug: string;
  email: string | null;
  isDeleted: boolean;
  isSuspended: boolean;
  isOperator: boolean;
  canSignIn: boolean;
};

/**
 * An account and all active operators, locked until the transaction ends: who is an operator stays so. In one order, so that
 * two operators never wait for each other. `for update`, as the address is a key: an update of it would have to wait for those who
 * write rows that refer to the account, and these for the update.
 */
export function lockWithOperators(tx: Sql, accountId: string): Promise<ClosingAccount[]> {
  return tx.query<ClosingAccount>(
    `select a.id, a.slug, a.email, a.deleted_at is not null as "isDeleted", a.status = 'suspended' as "isSuspended",
            a.role = 'admin' and a.status = 'active' as "isOperator",
            exists (select from auth_identities i where i.account_id = a.id) as "canSignIn"
       from accounts a where a.id = $1 or (a.role = 'admin' and a.status = 'active')
      order by a.id collate "C" for update of a`,
    [accountId],
  );
}

/** From the end of the transaction on it is refused as a suspended one, and its address is free. */
export async function markAccountDeleted(tx: Sql, accountId: string): Promise<void> {
  await tx.query(
    `update accounts
        set deleted_at = now(), removal_due_at = now(), status = 'suspended', role = 'user', email = null, email_verified = false,
            display_name = slug, avatar_url = null, locale = 'en', updated_at = now()
      where id = $1`,
    [accountId],
  );
}

/** Whether the password is still the one that was checked; it stays so until the transaction ends. */
export async function holdPassword(tx: Sql, accountId: string, passwordHash: string): Promise<boolean> {
  const rows = await tx.query(
    `select from auth_identities where issuer = 'local' and subject = $1 and password_hash = $2 for update`,
    [accountId, passwordHash],
  );
  return rows.length > 0;
}

export async function deleteIdentities(tx: Sql, accountId: string): Promise<void> {
  await tx.query('delete from auth_identities where account_id = $1', [accountId]);
}

/** Takes back the invitations that the account made, and forgets the address in the one that opened it. */
export async function forgetInvitations(tx: Sql, accountId: string): Promise<void> {
  await tx.query('delete from invitations where created_by = $1 and used_at is null', [accountId]);
  await tx.query('update invitations set email = null where account_id = $1', [accountId]);
}

/** A deleted account of which something is still stored. */
export type DeletedAccount = {
  id: string;
  /** Requests that began before the deletion have ended, other than calls of models. */
  isQuiet: boolean;
};

/** Longer than any such request takes. */
const quietMs = 120_000;
/** A server that has not come to an end of its work for so long is dead. */
const claimMs = 60_000;

/** Takes up the removal that is due for longest; null: there is none, or others are at it. */
export async function claimAccountRemoval(sql: Sql): Promise<DeletedAccount | null> {
  const [row] = await sql.query<DeletedAccount>(
    `update accounts set removal_due_at = now() + make_interval(secs => $1 / 1000.0)
      where id = (select id from accounts where removal_due_at <= now()
                   order by removal_due_at limit 1 for no key update skip locked)
     returning id, deleted_at + make_interval(secs => $2 / 1000.0) <= now() as "isQuiet"`,
    [claimMs, quietMs],
    { name: 'accounts.claim_removal' },
  );
  return row ?? null;
}

/** Others have their turn first; null: nothing is left to remove. */
export async function postponeAccountRemoval(sql: Sql, accountId: string, afterMs: number | null): Promise<void> {
  await sql.query('update accounts set removal_due_at = now() + make_interval(secs => $2 / 1000.0) where id = $1', [
    accountId,
    afterMs,
  ]);
}
