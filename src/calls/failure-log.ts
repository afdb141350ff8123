import { createBatcher, isUnavailable, type Sql } from '#db';
import { type Clock, createInFlight, type Log } from '#kernel';
import { type FailedRequest, insertFailedRequests } from './requests.store.ts';

/** Records how calls failed, in the background and in batches. */
export type FailureLog = {
  record: (request: FailedRequest) => void;
  /** Resolves when all that was recorded is written. */
  flush: () => Promise<void>;
};

export type FailureLogOptions = {
  sql: Sql;
  clock: Clock;
  log?: Pick<Log, 'warn'> | undefined;
  /** Rows that may wait to be written; further ones are let go. */
  maxWaiting?: number;
  /** Rows that an account gets in a minute; a flood of refusals must not fill the disk. */
  perMinute?: number;
};

const maxItems = 512;
const minuteMs = 60_000;

export function createFailureLog(options: FailureLogOptions): FailureLog {
  const { sql, clock, log, maxWaiting = 10_000, perMinute = 600 } = options;
  const minute = { startedMs: Number.NEGATIVE_INFINITY, rows: new Map<string, number>() };
  const inFlight = createInFlight();
  const batcher = createBatcher({
    name: 'calls.record_failures',
    lanes: 1,
    maxItems,
    run: async (requests: readonly FailedRequest[]) => {
      await insertFailedRequests(sql, requests);
      return requests;
    },
  });

  function isTooMany(accountId: string): boolean {
    const nowMs = clock.monotonicMs();
    if (nowMs - minute.startedMs >= minuteMs) {
      minute.startedMs = nowMs;
      minute.rows.clear();
    }
    const rows = (minute.rows.get(accountId) ?? 0) + 1;
    minute.rows.set(accountId, rows);
    return rows > perMinute;
  }

  async function write(request: FailedRequest): Promise<void> {
    try {
      await batcher.submit(request);
    } catch (error) {
      // While the database is away no failure is recorded: lines without a request id are logged together.
      const about = isUnavailable(error) ? {} : { requestId: request.id };
      log?.warn({ err: error, ...about }, 'failed request was not recorded');
    }
  }

  return {
    record(request) {
      if (inFlight.count() >= maxWaiting || isTooMany(request.accountId)) return;
      void inFlight.track(write(request));
    },
    flush: inFlight.drained,
  };
}
