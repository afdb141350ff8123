import { createUsageSums } from '#billing';
import type { Database } from '#db';
import { microPerCredit } from '#kernel';
import { seedAccount, seedKey, seedProject } from '#test/accounts.ts';

/** The account that has every other call, and what is asked for in its name. */
export type GrownAccount = {
  accountId: string;
  slug: string;
  project: string;
  key: string;
  keyId: string;
  requestId: string;
};

const otherAccounts = 49;
const rowsAtOnce = 500_000;
const keys = 20;
const given = 10n ** 15n;
const timeoutMs = 30 * 60_000;

/**
 * Fills an empty database with so many calls, evenly over so many months until now and over 50 accounts, one of which has
 * half of them. The books are right.
 */
export async function seedCalls(
  database: Database,
  { rows, months }: { rows: number; months: number },
): Promise<GrownAccount> {
  const { accountId, slug } = await seedAccount(database, { slug: 'big' });
  const { slug: project } = await seedProject(database, { accountId, slug: 'project' });
  const { key, keyId } = await seedKey(database, { accountId, name: 'of the benchmark' });
  await database.query(
    `insert into accounts (id, slug, display_name) select 'acc_' || n, 'other-' || n, 'Other' from generate_series(1, $1::integer) n`,
    [otherAccounts],
  );
  await database.query(
    `select add_month('ledger', 'seq', month), add_month('ledger_once', 'req', month)
       from (select (month_of(now()) - make_interval(months => n))::date as month from generate_series(1, $1::integer) n) past
      order by month`,
    [months - 1],
    { timeoutMs },
  );
  await insertGrants(database, accountId, months);
  for (let from = 1; from <= rows; from += rowsAtOnce)
    await insertCalls(database, { accountId, keyId, months, rows, from, to: Math.min(rows, from + rowsAtOnce - 1) });
  await database.query(
    `update accounts set balance_micro = booked.micro
       from (select account_id, sum(micro)::bigint as micro from ledger group by 1) booked where accounts.id = account_id`,
    [],
    { timeoutMs },
  );
  await database.query(`select setval('ledger_numbers', (select max(seq) from ledger))`, [], { timeoutMs });
  await database.query('vacuum analyze', [], { timeoutMs });
  await createUsageSums({ database, lowMicro: microPerCredit }).catchUp();
  await database.query('vacuum analyze', [], { timeoutMs });
  const [latest] = await database.query<{ request_id: string }>(
    'select request_id from ledger where account_id = $1 order by seq desc offset 10 limit 1',
    [accountId],
  );
  return { accountId, slug, project, key, keyId, requestId: latest?.request_id ?? '' };
}

/** When the first call was made. */
const beginning = (months: string) =>
  `(month_of(now()) - make_interval(months => ${months}::integer - 1))::timestamp at time zone 'UTC'`;

async function insertGrants(database: Database, accountId: string, months: number): Promise<void> {
  await database.query(
    `insert into ledger (seq, id, account_id, type, micro, balance_after_micro, created_at)
     select ledger_month_start(month_of(${beginning('$1')})) + row_number() over (), 'led_grant_' || id, id, 'grant',
            $2::bigint, $2::bigint, ${beginning('$1')}
       from accounts where id = $3 or slug like 'other-%'`,
    [months, given, accountId],
  );
}

async function insertCalls(
  database: Database,
  part: { accountId: string; keyId: string; months: number; rows: number; from: number; to: number },
): Promise<void> {
  const { accountId, keyId, months, rows, from, to } = part;
  await database.query(
    `insert into ledger (seq, id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served,
       model_revision, request_id, key_id, key_name, active_ms, units, rate_micro_per_minute, price_version, held_micro,
       prompt_tokens, completion_tokens, outcome, created_at, operation)
     select ledger_month_start(month_of(at)) + 1000 + n, 'led_' || n, account_id, 'inference', -300, $7::bigint - 300 * place,
            'prj_' || n % 7, case when n % 1000 = 2 then 'rare' else 'chat' end, 'fanfold-tiny-chat', 1,
            left(first_id_at('req', at), 14) || lpad(n::text, 16, '0'), case when n % ${keys} = 4 then $2 else 'key_' || n % ${keys} end,
            'A key', 250.5, 3, 60000, '2026-11', 1000, 50, 20, 'succeeded', at, 'chat.create'
       from (select n, ${beginning('$3')} + (now() - ${beginning('$3')}) * (n::double precision / $4) as at,
                    case when n % 2 = 0 then $1 else 'acc_' || 1 + n / 2 % ${otherAccounts} end as account_id,
                    case when n % 2 = 0 then n / 2 else n / 2 / ${otherAccounts} + 1 end as place
               from generate_series($5::bigint, $6::bigint) n) call
      order by n`,
    [accountId, keyId, months, rows, from, to, given],
    { timeoutMs },
  );
}
