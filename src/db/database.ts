import pg from 'pg';
import { Fault, fault, OperatorError } from '#kernel';
import { isUnavailable, sqlState } from './sqlstate.ts';

export type QueryOptions = {
  /** Name of a prepared statement: planned once per connection. For hot statements; one name stands for one text. */
  name?: string;
  /** Longest wait for the answer, ms; the connection is given up afterwards. */
  timeoutMs?: number;
};

/** A database or a transaction: takes SQL with `$1`, `$2`, ... and gives the rows. */
export type Sql = {
  query: <R>(text: string, values?: readonly unknown[], options?: QueryOptions) => Promise<R[]>;
};

export type Database = Sql & {
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction: <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
  url: string;
};

export type DatabaseOptions = { url: string; maxConnections: number };

const oldestVersion = 16;
const connectTimeoutMs = 5_000;
const queryTimeoutMs = 15_000;
const idleTimeoutMs = 300_000;
const retryAfterSeconds = 1;

/**
 * Opens a pool and makes sure that a PostgreSQL of version 16 or newer answers; otherwise throws an `OperatorError`.
 * Later trouble with the connection is the fault `service_unavailable`; the pool reconnects by itself. `int8` is read
 * as `bigint`, `timestamptz` as `Date`, `numeric` as text, `bytea` as `Buffer`.
 */
export async function openDatabase({ url, maxConnections }: DatabaseOptions): Promise<Database> {
  const pool = createPool(url, maxConnections);
  try {
    await checkServer(pool, url);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    url,
    query: (text, values, options) => withClient(pool, (client) => run(client, { text, values, options })),
    transaction: (work) => withClient(pool, (client) => runTransaction(client, work)),
    close: () => pool.end(),
  };
}

function createPool(url: string, maxConnections: number): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOptions(url),
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    application_name: 'fanfold',
    types: { getTypeParser: typeParserOf },
  });
  // An idle connection that breaks (the server restarts) leaves the pool; without a listener it would end the process.
  pool.on('error', () => {});
  return pool;
}

function connectionOptions(url: string): pg.PoolConfig {
  try {
    const { protocol } = new URL(url);
    if (protocol === 'postgres:' || protocol === 'postgresql:') return { connectionString: url };
  } catch {
    // Said below, without the text itself: it may hold a password.
  }
  throw new OperatorError('The database URL is not of the form postgres://user:password@host:port/database.');
}

function typeParserOf(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8) return BigInt;
  return pg.types.getTypeParser(oid, format);
}

async function checkServer(pool: pg.Pool, url: string): Promise<void> {
  let version: string;
  try {
    const { rows } = await pool.query<{ server_version: string }>('show server_version');
    version = rows[0]?.server_version ?? '';
  } catch (error) {
    throw new OperatorError(`${whyNotOpened(error)} (${placeOf(url)})`, { cause: error });
  }
  if (Number.parseInt(version, 10) < oldestVersion)
    throw new OperatorError(
      `The PostgreSQL server is version ${version}; Fanfold needs ${oldestVersion} or newer. (${placeOf(url)})`,
    );
}

function whyNotOpened(error: unknown): string {
  const state = sqlState(error);
  if (state === '28P01' || state === '28000') return 'The PostgreSQL server refuses this user or password.';
  if (state === '3D000') return 'The PostgreSQL server has no such database.';
  return `The PostgreSQL server cannot be reached: ${firstLineOf(error)}.`;
}

function firstLineOf(error: unknown): string {
  if (error instanceof AggregateError) return firstLineOf(error.errors[0]);
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? text;
}

/** Host, port and database of a URL, never its password. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'local socket'}${port ? `:${port}` : ''}${pathname}`;
}

type Statement = { text: string; values: readonly unknown[] | undefined; options: QueryOptions | undefined };

async function run<R>(client: pg.PoolClient, { text, values, options }: Statement): Promise<R[]> {
  const config: pg.QueryConfig & { query_timeout?: number } = { text };
  // The driver's type asks for a mutable array but only reads it.
  if (values) config.values = values as unknown[];
  if (options?.name !== undefined) config.name = options.name;
  if (options?.timeoutMs !== undefined) config.query_timeout = options.timeoutMs;
  const result = await client.query(config);
  // The caller states the shape of its own statement's rows.
  return result.rows as R[];
}

async function runTransaction<T>(client: pg.PoolClient, work: (tx: Sql) => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await work({ query: (text, values, options) => run(client, { text, values, options }) });
    const { command } = await client.query('commit');
    // PostgreSQL answers the commit of a failed transaction with a rollback, not with an error.
    if (command === 'ROLLBACK') throw new Error('A statement failed, its error was ignored and nothing was committed.');
    return result;
  } catch (error) {
    // A broken connection rolls back by itself; the first error is the one to report.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    throw asFault(error);
  }
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    const problem = asFault(error);
    // After a lost or late answer the connection's state is unknown.
    client.release(problem !== error);
    throw problem;
  }
}

function asFault(error: unknown): unknown {
  if (error instanceof Fault || !isUnavailable(error)) return error;
  return fault('service_unavailable', { retryAfterSeconds, cause: error });
}
