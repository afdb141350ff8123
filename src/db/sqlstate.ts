import pg from 'pg';
import { Fault, systemCodeOf } from '#kernel';

/** SQLSTATE of a database error, looked up through its causes; null when there is none. */
export function sqlState(error: unknown): string | null {
  return databaseErrorIn(error)?.code ?? null;
}

/** Name of the violated constraint; null when the error is of another sort. */
export function constraintOf(error: unknown): string | null {
  return databaseErrorIn(error)?.constraint ?? null;
}

/** What only the operator can mend, whatever was asked of the database. */
export function isDiskFull(error: unknown): boolean {
  return sqlState(error) === '53100';
}

// 08 connection, 53 out of resources (disk full, too many connections), 57P shutdown or start-up, 58 system error.
const unavailableClass = /^(08|53|57P|58)/;
// PostgreSQL has ended the connection, for a transaction that took or rested too long.
const endedForTime = ['25P03', '25P04'];
// A standby, or a server switched to read only: writes are refused until the operator acts.
const readOnlyTransaction = '25006';
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  // Of a socket in the file system whose queue is full.
  'EAGAIN',
]);

/**
 * True when the database cannot be reached or cannot work at present, so that the same statement may succeed later:
 * the fault of `Database`, or the error that caused it.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof Fault) return error.fault === 'service_unavailable';
  const state = sqlState(error);
  if (state !== null)
    return unavailableClass.test(state) || state === readOnlyTransaction || endedForTime.includes(state);
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  return networkCodes.has(systemCodeOf(error) ?? '');
}

/** The same for an error straight from the driver, whose own failures (connection ended, no answer in time) are plain. */
export function isDriverUnavailable(error: unknown): boolean {
  if (isUnavailable(error)) return true;
  return error instanceof Error && !('code' in error) && Object.getPrototypeOf(error) === Error.prototype;
}

function databaseErrorIn(error: unknown): pg.DatabaseError | null {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (current instanceof pg.DatabaseError) return current;
    current = current.cause;
  }
  return null;
}
