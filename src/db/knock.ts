import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { systemCodeOf } from '#kernel';
import { driverUrl } from './driver-url.ts';
import { sqlState } from './sqlstate.ts';

/**
 * open: the password is right; changing: the server starts or stops; refused: the password is wrong; closed: nothing there, or no PostgreSQL; silent: nobody says anything in time.
 */
export type Answer = 'open' | 'changing' | 'refused' | 'closed' | 'silent';

const patienceMs = 2_000;
const unreachable = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/** What a PostgreSQL says to whoever wants to connect. */
export async function knock(url: string, mostMs = patienceMs): Promise<Answer> {
  // The driver's own bound comes later, and closes what is left then.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2 * mostMs });
  client.on('error', () => {});
  const connected = client.connect().then((): Answer => 'open', answerIn);
  const end = () => client.end().catch(() => {});
  const answer = await inTime(connected, mostMs);
  // Who is only slow may let us in later, when nobody waits for it any more.
  if (answer === 'silent') void connected.then(end);
  else await inTime(end(), mostMs);
  return answer;
}

/** Whether nobody answers or refuses, as behind a network that swallows everything. */
export async function isSilent(url: string, mostMs: number): Promise<boolean> {
  return (await knock(driverUrl(url), mostMs)) === 'silent';
}

function inTime<T>(work: Promise<T>, mostMs: number): Promise<T | 'silent'> {
  const over = new AbortController();
  const late = sleep(mostMs, 'silent' as const, { signal: over.signal });
  late.catch(() => {});
  return Promise.race([work, late]).finally(() => over.abort());
}

function answerIn(error: unknown): Answer {
  const state = sqlState(error);
  // No free connection: the password was right.
  if (state === '53300') return 'open';
  if (state === '28P01') return 'refused';
  if (state === '57P03') return 'changing';
  return unreachable.has(systemCodeOf(error) ?? '') ? 'silent' : 'closed';
}
