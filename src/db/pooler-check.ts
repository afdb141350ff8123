import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { OperatorError } from '#kernel';
import { addressOf, driverUrl } from './driver-url.ts';
import { sqlState } from './sqlstate.ts';

const timeoutMs = 5_000;
const attempts = 3;
/** There is no such statement; there is one already. */
const lossStates = new Set(['26000', '42P05']);

/**
 * Throws an `OperatorError` where a pooler stands in front of PostgreSQL that gives each transaction another connection and knows nothing of
 * prepared statements: with it calls would fail, or be answered with what somebody else has prepared. Whatever else goes wrong here is not
 * for this to say.
 */
export async function refuseLossyPooler(url: string): Promise<void> {
  const clients = [openClient(url), openClient(url)] as const;
  try {
    await Promise.all(clients.map((client) => client.connect()));
    for (let attempt = 0; attempt < attempts; attempt++) if (await losesStatements(...clients)) throw lossy(url);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

function openClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: driverUrl(url),
    application_name: 'fanfold',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  return client;
}

/**
 * Whether one connection meets what the other has prepared under the same name, or misses its own. Of connections that are given in
 * turn, two runs in a row cannot both get the one that knows the statement; of one alone, the second cannot prepare its own.
 */
async function losesStatements(first: pg.Client, second: pg.Client): Promise<boolean> {
  // What is prepared may outlast this process, behind the pooler.
  const name = `probe_${randomBytes(6).toString('hex')}`;
  for (const [client, own] of [first, second, first, first, second].map(
    (client) => [client, client === first] as const,
  ))
    try {
      const { rows } = await client.query({ name, text: own ? 'select true as own' : 'select false as own' });
      if (rows[0]?.own !== own) return true;
    } catch (error) {
      if (lossStates.has(sqlState(error) ?? '')) return true;
      throw error;
    }
  return false;
}

function lossy(url: string): OperatorError {
  return new OperatorError(
    `The connection pooler in front of PostgreSQL loses prepared statements. With PgBouncer take 1.21 or newer with max_prepared_statements above 0, or pool_mode = session. (${addressOf(url)})`,
  );
}
