import { createIntervalTask, type IntervalTask, type Log } from '#kernel';
import type { Database, Sql } from './database.ts';
import { lockUntilCommit } from './locks.ts';

/** A table that is partitioned by month. */
export type PartitionedTable = {
  table: string;
  /** The partition key: `seq`, a `time`, or ids with this prefix. */
  key: string;
  /** PartitionMaintenance that had ended then are not kept; null: all are. */
  keptSince: () => Date | null;
  /** Called before a month is removed; false: it cannot be removed yet. */
  beforeRemoval?: (month: Date, stopped: AbortSignal) => Promise<boolean>;
  /** Called in the transaction that removes it, with the name of the partition. */
  inRemoval?: (tx: Sql, name: string) => Promise<void>;
  /** Whether it becomes a table of its own, or nothing. */
  removal: 'detach' | 'drop';
};

export type PartitionMaintenanceOptions = {
  database: Database;
  tables: readonly PartitionedTable[];
  log?: Log;
  everyMs?: number;
};

/** Makes partitions before their months begin and removes those that are not kept, on any replica. */
export type PartitionMaintenance = {
  /** Runs once; safe to be done twice and at once. */
  run: () => Promise<void>;
  /**
   * Makes partitions at once and from time to time. Never rejects: rows without a partition go into the default one. A process that
   * `works` removes partitions, too.
   */
  start: (role: { works: boolean }) => Promise<void>;
  stop: () => Promise<void>;
};

const monthsAhead = 2;
const mostAheadMs = 60 * 60_000;

export function createPartitionMaintenance({
  database,
  tables,
  log,
  everyMs = 10 * 60_000,
}: PartitionMaintenanceOptions): PartitionMaintenance {
  const stopping = new AbortController();
  let task: IntervalTask | null = null;

  async function run(): Promise<void> {
    await addPartitions(database, tables);
    if (await isClockAhead(database)) {
      log?.warn({}, 'clock of this server is ahead of the database: no partition removed');
      return;
    }
    for (const table of tables) await removePartitions(table);
  }

  async function removePartitions(table: PartitionedTable): Promise<void> {
    const since = table.keptSince();
    if (since === null) return;
    for (const month of await listPartitions(database, table.table)) {
      if (stopping.signal.aborted || monthAfter(month) > since) return;
      if (table.beforeRemoval && !(await table.beforeRemoval(month, stopping.signal))) return;
      await removePartition(database, table, month);
      log?.info({ table: table.table, month: nameOf(month) }, 'partition removed');
    }
  }

  function onError(error: unknown): void {
    // A lock that could not be had in time, for one: the next run tries again.
    log?.warn({ err: error }, 'partition maintenance failed');
  }

  return {
    run,
    async start({ works }) {
      const add = () => addPartitions(database, tables);
      await add().catch(onError);
      const [first, work] = works ? (['at once', run] as const) : (['after a pause', add] as const);
      task ??= createIntervalTask({ pauseMs: everyMs, first, work, onError: onError });
      task.start();
    },
    async stop() {
      stopping.abort();
      await task?.stop();
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
async function addPartitions(
  database: Database,
  tables: readonly Pick<PartitionedTable, 'table' | 'key'>[],
): Promise<void> {
  const wanted = [tables.map(({ table }) => table), tables.map(({ key }) => key), monthsAhead];
  const [due] = await database.query<{ months: number; turn: boolean }>(
    `select count(*) filter (where to_regclass("table" || to_char(month, '_YYYY_MM')) is null)::integer as months,
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
      await tx.query('select begin_ledger_month(month_of(now()))');
    });
}

const dueMonths = `unnest($1::text[], $2::text[]) as due ("table", key)
  cross join lateral (
    select (month_of(now()) + make_interval(months => ahead))::date as month from generate_series(0, $3::integer) ahead) coming`;

/** The months of a table that are attached to it, the earliest first. */
export async function listPartitions(sql: Sql, table: string): Promise<Date[]> {
  const rows = await sql.query<{ name: string }>(
    `select right(c.relname, 7) as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = $1::regclass and c.relname ~ ('^' || $1 || '_\\d{4}_\\d{2}$') order by 1`,
    [table],
  );
  return rows.map(({ name }) => new Date(`${name.replace('_', '-')}-01T00:00:00Z`));
}

/** Waits for all who use the table, but not for long. */
async function removePartition(
  database: Database,
  { table, inRemoval, removal }: PartitionedTable,
  month: Date,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockUntilCommit(tx, 'months');
    const months = await listPartitions(tx, table);
    if (!months.some((other) => other.getTime() === month.getTime())) return;
    await tx.query(lockTimeout);
    const name = `${table}_${nameOf(month)}`;
    await inRemoval?.(tx, name);
    await tx.query(`alter table ${table} detach partition ${name}`);
    if (removal === 'drop') await tx.query(`drop table ${name}`);
  });
}

function nameOf(month: Date): string {
  return month.toISOString().slice(0, 7).replace('-', '_');
}

export function monthAfter(month: Date): Date {
  return new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
}

/** The beginning of the month that was so many months ago. */
export function monthsBefore(nowMs: number, months: number): Date {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months));
}
