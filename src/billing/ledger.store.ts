import type { Sql } from '#db';
import { type Micro, newId } from '#kernel';

export type Balance = {
  /** Sum of the ledger. */
  settledMicro: Micro;
  /** Sum of the holds of calls in flight. */
  heldMicro: Micro;
  /** What a new call may hold: settled less held. */
  availableMicro: Micro;
};

/** Credits given by an operator. */
export type Grant = {
  accountId: string;
  /** > 0. */
  micro: Micro;
  note: string | null;
  /** Grants with the same key happen once. */
  onceKey?: string;
};

/**
 * Adds credits: the ledger row and the balance in one statement. `held_micro` is written for the reason given in
 * holds.store.ts.
 *
 * @returns the settled balance afterwards, or null when there is no such account. A repeated `onceKey` throws 23505 on
 * `ledger_once_per_request` and changes nothing.
 */
export async function insertGrant(
  sql: Sql,
  { accountId, micro, note, onceKey }: Grant,
  type: 'grant' | 'purchase' = 'grant',
): Promise<Micro | null> {
  const rows = await sql.query<{ balance_micro: bigint }>(
    `with account as (
       select id, balance_micro, held_micro from accounts where id = $1 for no key update
     ), written as (
       insert into ledger (id, account_id, type, micro, balance_after_micro, request_id, note)
       select $2, id, $6, $3::bigint, balance_micro + $3::bigint, $4, $5 from account
     )
     update accounts set balance_micro = account.balance_micro + $3::bigint, held_micro = account.held_micro
       from account where accounts.id = account.id
     returning accounts.balance_micro`,
    [accountId, newId('led'), micro, onceKey ?? null, note, type],
  );
  return rows[0]?.balance_micro ?? null;
}

/** null: there is no such account. */
export async function findBalance(sql: Sql, accountId: string): Promise<Balance | null> {
  const [row] = await sql.query<{ balance_micro: bigint; held_micro: bigint }>(
    'select balance_micro, held_micro from accounts where id = $1',
    [accountId],
  );
  if (!row) return null;
  const { balance_micro: settledMicro, held_micro: heldMicro } = row;
  return { settledMicro, heldMicro, availableMicro: settledMicro - heldMicro };
}
