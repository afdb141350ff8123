import type { Database, Sql } from '#db';
import { newId } from '#kernel';
import { randomOfRun } from '#test/random.ts';
import { type LedgerType, ledgerTypes, type UsageFilter } from './filter.ts';

export type PlainRow = {
  seq: bigint;
  type: LedgerType;
  micro: bigint;
  key_id: string | null;
  project_id: string | null;
  model: string | null;
  active_us: bigint;
  units: bigint;
  created_at: Date;
};

const { integer: randomInt, pick } = randomOfRun();
const startMs = Date.UTC(2026, 2, 1);

const someKeys = ['key_1', 'key_2', 'key_3', 'key_4'];
export const someProjects = ['prj_1', 'prj_2', 'prj_3'];
export const someModels = ['chat', 'search', 'base'];

/** Within some days of three months; most times in few hours, borders of hours, days and months among them. */
export function randomTime(): Date {
  const hour = pick([-49, -24, -1, 0, 1, 23, 24, 25, 47, 48, 743, 744, 790, randomInt(72)]);
  return new Date(startMs + hour * 3_600_000 + pick([0, 1, 1_800_000, 3_599_999, randomInt(3_600_000)]));
}

/**
 * A clock of the database that goes forward, some minutes from row to row, and is now and then set back a little; it
 * stops at whole hours often.
 */
export function goingClock({ stepsBack }: { stepsBack: boolean }): () => Date {
  let ms = startMs;
  return () => {
    ms += randomInt(15 * 60_000);
    if (randomInt(8) === 0) ms = Math.ceil(ms / 3_600_000) * 3_600_000;
    return new Date(stepsBack && randomInt(40) === 0 ? ms - randomInt(600_000) : ms);
  };
}

/** Writes random rows the way every writer does: the account is locked first, its balance moves along. */
export async function writeRandomRows(
  database: Database,
  accountId: string,
  { count, time = randomTime, callsOnly = false }: { count: number; time?: () => Date; callsOnly?: boolean },
): Promise<void> {
  await database.transaction(async (tx) => {
    const [account] = await tx.query<{ balance_micro: bigint }>(
      'select balance_micro from accounts where id = $1 for no key update',
      [accountId],
    );
    let balance = account?.balance_micro ?? 0n;
    const rows = Array.from({ length: count }, () => {
      const change = callsOnly ? { type: 'inference' as const, micro: -1n } : randomChange(balance);
      balance += change.micro;
      return { ...change, balance, at: time() };
    });
    await insertRows(tx, accountId, rows);
    await tx.query('update accounts set balance_micro = $2 where id = $1', [accountId, balance]);
  });
}

function randomChange(balance: bigint): { type: LedgerType; micro: bigint } {
  const type = pick(['inference', 'inference', 'inference', 'inference', ...ledgerTypes] as const);
  if (type === 'grant' || type === 'purchase' || balance < 1_000n)
    return { type: 'grant', micro: BigInt(randomInt(5_000)) };
  return { type, micro: -BigInt(randomInt(999)) };
}

type WrittenRow = { type: LedgerType; micro: bigint; balance: bigint; at: Date };

async function insertRows(tx: Sql, accountId: string, rows: readonly WrittenRow[]): Promise<void> {
  await tx.query(
    `insert into ledger (id, account_id, type, micro, balance_after_micro, key_id, key_name, project_id, model_requested,
       model_served, request_id, active_ms, units, rate_micro_per_minute, held_micro, outcome, created_at, training_job_id,
       attempt)
     select id, $1, type, micro, balance, key, 'a name', project, model, served, id, active_ms, units, 30000, 100000,
            'succeeded', at, case type when 'training' then id end, case type when 'training' then 1 end
       from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
                   $10::float8[], $11::bigint[], $12::timestamptz[]) with ordinality
              as row (id, type, micro, balance, key, project, model, served, active_ms, units, at, n)
      order by n`,
    [
      accountId,
      rows.map(() => newId('req')),
      rows.map(({ type }) => type),
      rows.map(({ micro }) => micro),
      rows.map(({ balance }) => balance),
      rows.map(() => pick([null, ...someKeys])),
      rows.map(() => pick([null, ...someProjects])),
      rows.map(() => pick([null, ...someModels])),
      rows.map(() => pick([null, 'base'])),
      rows.map(() => randomInt(100_000) / 7),
      rows.map(() => randomInt(1_000)),
      rows.map(({ at }) => at),
    ],
  );
}

/** Everything of an account, latest first, as a reader without any shortcut sees it. */
export function readWholeLedger(sql: Sql, accountId: string): Promise<PlainRow[]> {
  return sql.query<PlainRow>(
    `select seq, type, micro, key_id, project_id, coalesce(model_requested, model_served) as model, coalesce(units, 0) as units, created_at,
            round(coalesce(active_ms, 0) * 1000)::bigint as active_us
       from ledger where account_id = $1 order by seq desc`,
    [accountId],
  );
}

export function matches(row: PlainRow, { since, until, keyId, projectId, model, types }: UsageFilter): boolean {
  return (
    (since === null || row.created_at >= since) &&
    (until === null || row.created_at < until) &&
    (keyId === null || row.key_id === keyId) &&
    (projectId === null || row.project_id === projectId) &&
    (model === null || row.model === model) &&
    (types === null || types.includes(row.type))
  );
}

/** Asks for times at which something is: a row, or the border of its hour. */
export function randomFilter(accountId: string, rows: readonly PlainRow[]): UsageFilter {
  const once = <T>(of: number, value: () => T): T | null => (randomInt(of) === 0 ? value() : null);
  const instant = () => {
    const at = rows[randomInt(rows.length)]?.created_at.getTime() ?? startMs;
    const hour = 3_600_000;
    return new Date(
      pick([at, at + 1, Math.floor(at / hour) * hour, Math.ceil(at / hour) * hour, at + randomInt(hour)]),
    );
  };
  return {
    accountId,
    since: once(2, instant),
    until: once(2, instant),
    keyId: once(3, () => pick(someKeys)),
    projectId: once(3, () => pick([...someProjects, 'prj_unknown'])),
    model: once(3, () => pick(someModels)),
    types: once(3, () => (randomInt(2) === 0 ? [pick(ledgerTypes)] : ['inference', 'training'])),
  };
}
