import { createRounds, type Log, type Rounds } from '#kernel';
import type { Database, Sql } from './database.ts';
import { lockUntilCommit } from './locks.ts';

/** A table that is cut into months (migrations/0028_months.sql). */
export type MonthlyTable = {
  table: string;
  /** What is cut: `seq`, a `time`, or ids with this prefix. */
  key: string;
  /** Months that had ended then are not kept; null: all are. */
  keptSince: () => Date | null;
  /** What is to be done before a month goes; false: not all of it could be done yet. */
  close?: (month: Date, stopped: AbortSignal) => Promise<boolean>;
  /** What is done in the transaction in which it goes, to the table that it is. */
  leave?: (tx: Sql, name: string) => Promise<void>;
  /** What becomes of it: a table of its own, one called `{table}_gone_{month}` that is still to be cleared up, or nothing. */
  end: 'detach' | 'set aside' | 'drop';
};

export type MonthsOptions = {
  database: Database;
  tables: readonly MonthlyTable[];
  log?: Log;
  everyMs?: number;
};

/** Makes months before they begin and ends those that are not kept, on any replica. */
export type Months = {
  /** One round; safe to be done twice and at once. */
  tend: () => Promise<void>;
  /**
   * Makes months at once and from time to time. Never rejects: without new months the old ones take what comes. A process that
   * `works` ends months, too, beside whatever else it does.
   */
  start: (role: { works: boolean }) => Promise<void>;
  stop: () => Promise<void>;
};

const monthsAhead = 2;
const mostAheadMs = 60 * 60_000;

export function createMonths({ database, tables, log, everyMs = 10 * 60_000 }: MonthsOptions): Months {
  const stopping = new AbortController();
  let rounds: Rounds | null = null;

  async function tend(): Promise<void> {
    await addMonths(database, tables);
    if (await isClockAhead(database)) {
      log?.warn({}, 'the clock of this server is ahead of that of the database: no month is ended');
      return;
    }
    for (const table of tables) await endMonths(table);
  }

  async function endMonths(table: MonthlyTable): Promise<void> {
    const since = table.keptSince();
    if (since === null) return;
    for (const month of await listMonths(database, table.table)) {
      if (stopping.signal.aborted || monthAfter(month) > since) return;
      if (table.close && !(await table.close(month, stopping.signal))) return;
      await endMonth(database, table, month);
      log?.info({ table: table.table, month: nameOf(month) }, 'a month is over that is not kept');
    }
  }

  function onTrouble(error: unknown): void {
    // A lock that was not to be had in time, for one: the next round tries again.
    log?.warn({ err: error }, 'months of large tables are not tended to yet');
  }

  return {
    tend,
    async start({ works }) {
      const add = () => addMonths(database, tables);
      await add().catch(onTrouble);
      const [first, work] = works ? (['at once', tend] as const) : (['after a pause', add] as const);
      rounds ??= createRounds({ pauseMs: everyMs, first, work, onTrouble });
      rounds.start();
    },
    async stop() {
      stopping.abort();
      await rounds?.stop();
    },
  };
}

/**
 * Which months are too old is decided by the clock of this process: if it is far ahead of the database's, months
 * would go that are to be kept.
 */
export async function isClockAhead(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ nowMs: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"',
  );
  return row === undefined || Date.now() - row.nowMs > mostAheadMs;
}

/** Kept short: whoever waits for this lock makes all later statements on the table wait behind it. */
const lockTimeout = `set local lock_timeout = '500ms'`;

/** This month and the next ones by the clock of the database; then the ledger may go on in the month that has begun. */
async function addMonths(database: Database, tables: readonly Pick<MonthlyTable, 'table' | 'key'>[]): Promise<void> {
  const wanted = [tables.map(({ table }) => table), tables.map(({ key }) => key), monthsAhead];
  const [due] = await database.query<{ months: number; turn: boolean }>(
    `select count(*) filter (where not has_month("table", month))::integer as months,
            (select last_value from ledger_numbers) < ledger_month_start(month_of(now())) as turn
       from ${dueMonths}`,
    wanted,
  );
  if (due && due.months > 0)
    await database.transaction(async (tx) => {
      await lockUntilCommit(tx, 'months');
      await tx.query(lockTimeout);
      await tx.query(`select add_month("table", key, month) from ${dueMonths} order by month, "table"`, wanted);
    });
  // Not before others see the month: a number of a month that is not there is refused.
  if (due?.turn)
    await database.transaction(async (tx) => {
      await lockUntilCommit(tx, 'months');
      await tx.query('select turn_ledger(month_of(now()))');
    });
}

const dueMonths = `unnest($1::text[], $2::text[]) as due ("table", key)
  cross join lateral (
    select (month_of(now()) + make_interval(months => ahead))::date as month from generate_series(0, $3::integer) ahead) coming`;

/** The months of a table that are attached to it, the earliest first. */
export async function listMonths(sql: Sql, table: string): Promise<Date[]> {
  const rows = await sql.query<{ name: string }>(
    `select right(c.relname, 7) as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = $1::regclass and c.relname ~ ('^' || $1 || '_\\d{4}_\\d{2}$') order by 1`,
    [table],
  );
  return rows.map(({ name }) => new Date(`${name.replace('_', '-')}-01T00:00:00Z`));
}

/** Waits for all who use the table, but not for long. */
async function endMonth(database: Database, { table, leave, end }: MonthlyTable, month: Date): Promise<void> {
  await database.transaction(async (tx) => {
    await lockUntilCommit(tx, 'months');
    const months = await listMonths(tx, table);
    if (!months.some((other) => other.getTime() === month.getTime())) return;
    await tx.query(lockTimeout);
    const name = `${table}_${nameOf(month)}`;
    await leave?.(tx, name);
    await tx.query(`alter table ${table} detach partition ${name}`);
    if (end === 'set aside') await tx.query(`alter table ${name} rename to ${table}_gone_${nameOf(month)}`);
    if (end === 'drop') await tx.query(`drop table ${name}`);
  });
}

function nameOf(month: Date): string {
  return month.toISOString().slice(0, 7).replace('-', '_');
}

export function monthAfter(month: Date): Date {
  return new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
}

/** The first moment of the month that was so many months ago. */
export function monthsBefore(nowMs: number, months: number): Date {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months));
}
