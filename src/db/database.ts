import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Fault, fault, messageOf, OperatorError } from '#kernel';
import { addressOf, driverUrl } from './driver-url.ts';
import { sessionOptions } from './session-settings.ts';
import { isDriverUnavailable, sqlState } from './sqlstate.ts';

type QueryOptions = {
  /** Name of a prepared statement: planned once per connection. For hot statements; one name stands for one text. */
  name?: string;
  /** Longest wait for the answer, ms; the connection is given up afterwards. */
  timeoutMs?: number;
};

/** A database or a transaction: takes SQL with `$1`, `$2`, ... and gives the rows. */
export type Sql = {
  query: <R>(text: string, values?: readonly unknown[], options?: QueryOptions) => Promise<R[]>;
};

/** A transaction, which can also take many rows at once, in the format of `copy ... from stdin`; some at a time. */
export type Transaction = Sql & { copy: (text: string, data: readonly Buffer[]) => Promise<void> };

export type Database = Sql & {
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
  /** Takes nothing new, and lets statements in flight end for a short time. */
  close: () => Promise<void>;
  url: string;
  /** Connections of the pool, and statements that wait for one. */
  connections: () => { open: number; idle: number; waiting: number };
};

export type DatabaseOptions = {
  url: string;
  maxConnections: number;
  /** Longest wait for a connection, ms. */
  connectMs?: number;
  /** All connections are opened at once and kept, for a server that soon takes no new ones. */
  opensAll?: boolean;
};

const oldestVersion = 16;
const connectTimeoutMs = 5_000;
const queryTimeoutMs = 15_000;
/** Longer than a statement may take, as the disk has its say. */
const copyTimeoutMs = 120_000;
const idleTimeoutMs = 300_000;
const closeMs = 1_000;
const retryAfterSeconds = 1;

/**
 * Opens a pool and makes sure that a PostgreSQL of version 16 or newer answers; otherwise throws an `OperatorError`.
 * A later failure of the connection is the fault `service_unavailable`; the pool reconnects by itself. `int8` is read
 * as `bigint`, `timestamptz` as `Date`, `numeric` as text, `bytea` as `Buffer`.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url } = options;
  const pool = createPool(options);
  try {
    await checkServer(pool, options);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    url,
    query: (text, values, options) => onConnection(pool, (connection) => rowsOf(connection, { text, values, options })),
    transaction: (work) => onConnection(pool, (connection) => runTransaction(connection, work)),
    close: () => closePool(pool),
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

function createPool({ url, maxConnections, connectMs = connectTimeoutMs, opensAll }: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: driverUrl(url),
    max: maxConnections,
    min: opensAll ? maxConnections : 0,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    application_name: 'fanfold',
    // A plan made for one set of values looks cheaper than the reusable one when a batch is small, so PostgreSQL would
    // plan the hot statements anew each time: measured 1.0 ms instead of 0.36 ms for a lone settlement. A reusable plan
    // that was made while a table was empty would read the whole table for as long as its statistics are old: rows are
    // found by index here, whatever the statistics say. And pages are read in the order of an index: while random reads
    // count as dear, PostgreSQL rather sorts all rows for each page, which is dear indeed once there are many.
    // A process that stops in the midst of a transaction, with its machine or without, leaves its locks: those on the row of an
    // account would hold up its charges, for hours where PostgreSQL is left to find out by itself.
    options: sessionOptions({
      plan_cache_mode: 'force_generic_plan',
      enable_seqscan: 'off',
      random_page_cost: '1',
      idle_in_transaction_session_timeout: '60s',
    }),
    types: { getTypeParser: typeParserOf },
  });
  // A connection that breaks while idle leaves the pool, one that breaks in use fails its statement. Without listeners
  // either would also end the process: the pool listens to its connections only while they are idle.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** What is still asked then has nobody left who waits for it; the pool would wait for as long as a statement may take. */
async function closePool(pool: pg.Pool): Promise<void> {
  const ended = new AbortController();
  const late = sleep(closeMs, undefined, { signal: ended.signal }).catch(() => {});
  await Promise.race([pool.end(), late]).finally(() => ended.abort());
}

function typeParserOf(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8) return BigInt;
  return pg.types.getTypeParser(oid, format);
}

async function checkServer(pool: pg.Pool, { url, maxConnections, opensAll }: DatabaseOptions): Promise<void> {
  let version: string;
  let encoding: string;
  try {
    const ask = () =>
      pool.query<Record<'server_version' | 'server_encoding', string>>(
        withinTime({
          text: `select current_setting('server_version') as server_version, current_setting('server_encoding') as server_encoding`,
        }),
      );
    const [answer] = await Promise.all(Array.from({ length: opensAll ? maxConnections : 1 }, ask));
    ({ server_version: version = '', server_encoding: encoding = '' } = answer?.rows[0] ?? {});
  } catch (error) {
    throw new OperatorError(`${whyNotOpened(error)} (${addressOf(url)})`, { cause: error });
  }
  if (Number.parseInt(version, 10) < oldestVersion)
    throw new OperatorError(
      `The PostgreSQL server is version ${version}; Fanfold needs ${oldestVersion} or newer. (${addressOf(url)})`,
    );
  // In another encoding the tables can be made, but later a text that the encoding cannot hold fails, or bytes are
  // counted as characters.
  if (encoding !== 'UTF8')
    throw new OperatorError(
      `The database has the encoding ${encoding}; make one with UTF8: createdb --encoding=UTF8 --template=template0. (${addressOf(url)})`,
    );
}

function whyNotOpened(error: unknown): string {
  const state = sqlState(error);
  if (state === '28P01' || state === '28000') return 'The PostgreSQL server refuses this user or password.';
  if (state === '3D000') return 'The PostgreSQL server has no such database.';
  const line = firstLineOf(error);
  const isPooler = line.includes('unsupported startup parameter');
  return `The PostgreSQL server cannot be reached: ${line}.${isPooler ? ' PgBouncer needs ignore_startup_parameters = options.' : ''}`;
}

function firstLineOf(error: unknown): string {
  if (error instanceof AggregateError) return firstLineOf(error.errors[0]);
  const text = messageOf(error);
  return text.split('\n', 1)[0] ?? text;
}

type Statement = { text: string; values?: readonly unknown[] | undefined; options?: QueryOptions | undefined };
/** `broken`: after a lost or late answer nobody knows the state of the connection. */
type Connection = { client: pg.PoolClient; broken: boolean };

async function run(connection: Connection, { text, values, options }: Statement): Promise<pg.QueryResult> {
  const config: pg.QueryConfig = withinTime({ text }, options?.timeoutMs);
  if (values) config.values = [...values];
  if (options?.name !== undefined) config.name = options.name;
  return answered(connection, connection.client.query(config));
}

/** For the driver, which then watches the time itself. */
function withinTime(config: pg.QueryConfig, timeoutMs = queryTimeoutMs): pg.QueryConfig & { query_timeout: number } {
  return { ...config, query_timeout: timeoutMs };
}

async function copy(connection: Connection, text: string, data: readonly Buffer[]): Promise<void> {
  const stream = connection.client.query(Object.assign(copyFrom(text), { query_timeout: copyTimeoutMs }));
  for (const piece of data) stream.write(piece);
  stream.end();
  await answered(connection, finished(stream));
}

async function answered<Answer>(connection: Connection, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    // Its stack led to the socket; now it leads to who asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    if (!isDriverUnavailable(error)) throw error;
    connection.broken = true;
    throw unavailable(error);
  }
}

async function rowsOf<R>(connection: Connection, statement: Statement): Promise<R[]> {
  // as: the caller states the shape of its own statement's rows.
  return (await run(connection, statement)).rows as R[];
}

async function runTransaction<T>(connection: Connection, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await run(connection, { text: 'begin' });
  try {
    const result = await work({
      query: (text, values, options) => rowsOf(connection, { text, values, options }),
      copy: (text, data) => copy(connection, text, data),
    });
    const { command } = await run(connection, { text: 'commit' });
    // PostgreSQL answers the commit of a failed transaction with a rollback, not with an error.
    if (command === 'ROLLBACK') throw new Error('A statement failed, its error was ignored and nothing was committed.');
    return result;
  } catch (error) {
    // The first error is the one to report; a broken connection rolls back by itself.
    if (!connection.broken) await run(connection, { text: 'rollback' }).catch(() => {});
    throw error;
  }
}

async function onConnection<T>(pool: pg.Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  // Without a connection nothing was asked, whatever the reason: a password or a certificate is changed while servers run.
  const client = await pool.connect().catch((error: unknown) => {
    throw unavailable(error);
  });
  const connection = { client, broken: false };
  try {
    return await work(connection);
  } finally {
    client.release(connection.broken);
  }
}

function unavailable(cause: unknown): Fault {
  return fault('service_unavailable', { retryAfterSeconds, cause });
}
