import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { LedgerType } from '../usage/filter.ts';

/** The balance of an account, from one statement. */
export type AccountCredits = {
  settledMicro: Micro;
  heldMicro: Micro;
  /** Signed sums of all its ledger rows by type; what is missing is 0. */
  byType: Partial<Record<LedgerType, Micro>>;
  asOf: Date;
};

/** One statement, so that the parts add up; null: there is no such account. */
export async function findAccountCredits(sql: Sql, accountId: string): Promise<AccountCredits | null> {
  const [row] = await sql.query<{
    balance_micro: bigint;
    held_micro: bigint;
    by_type: Partial<Record<LedgerType, string>>;
    as_of: Date;
  }>(
    `select balance_micro, held_micro, now() as as_of, (
              select coalesce(jsonb_object_agg(type, micro), '{}')
                from (select type, sum(micro)::text as micro
                        from (select 'inference' as type, micro from usage_marks where account_id = $1
                              union all
                              select key, value::bigint
                                from ledger_partition_balances cross join lateral jsonb_each_text(by_type) where account_id = $1
                              union all
                              select type, micro from ledger
                               where account_id = $1 and type = 'inference'
                                 and seq > coalesce((select seq from usage_marks where account_id = $1), 0)
                              union all
                              select type, micro from ledger
                               where account_id = $1 and type <> 'inference' and seq > partition_balance_seq($1)) part
                       group by type) total) as by_type
       from accounts where id = $1`,
    [accountId],
  );
  if (!row) return null;
  return {
    settledMicro: row.balance_micro,
    heldMicro: row.held_micro,
    // as: the object has the types of the ledger, with texts that the statement made of numbers.
    byType: Object.fromEntries(Object.entries(row.by_type).map(([type, micro]) => [type, BigInt(micro)])) as Partial<
      Record<LedgerType, Micro>
    >,
    asOf: row.as_of,
  };
}
