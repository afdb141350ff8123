import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { systemCodeOf } from '#kernel';
import { driverUrl } from './driver-url.ts';
import { sqlState } from './sqlstate.ts';

/**
 * open: the password is right; changing: the server starts or stops; refused: the password is wrong; closed: nothing there, or no PostgreSQL; silent: nobody says anything in time.
 */
export type ConnectionState = 'open' | 'changing' | 'refused' | 'closed' | 'silent';

const defaultTimeoutMs = 2_000;
const unreachable = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/** How a PostgreSQL answers an attempt to connect. */
export async function probeConnection(url: string, timeoutMs = defaultTimeoutMs): Promise<ConnectionState> {
  // The driver's own bound comes later, and closes what is left then.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2 * timeoutMs });
  client.on('error', () => {});
  const connected = client.connect().then((): ConnectionState => 'open', stateOf);
  const end = () => client.end().catch(() => {});
  const state = await within(connected, timeoutMs);
  // A slow server may accept the connection later, when nobody waits for it any more.
  if (state === 'silent') void connected.then(end);
  else await within(end(), timeoutMs);
  return state;
}

/** Whether nobody answers or refuses, as behind a network that swallows everything. */
export async function isUnresponsive(url: string, timeoutMs: number): Promise<boolean> {
  return (await probeConnection(driverUrl(url), timeoutMs)) === 'silent';
}

function within<T>(work: Promise<T>, timeoutMs: number): Promise<T | 'silent'> {
  const over = new AbortController();
  const late = sleep(timeoutMs, 'silent' as const, { signal: over.signal });
  late.catch(() => {});
  return Promise.race([work, late]).finally(() => over.abort());
}

function stateOf(error: unknown): ConnectionState {
  const state = sqlState(error);
  // No free connection: the password was right.
  if (state === '53300') return 'open';
  if (state === '28P01') return 'refused';
  if (state === '57P03') return 'changing';
  return unreachable.has(systemCodeOf(error) ?? '') ? 'silent' : 'closed';
}
