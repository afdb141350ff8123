import { isUnavailable, type Sql } from '#db';
import { type Clock, createIntervalTask, type IntervalTask, type Log } from '#kernel';
import { insertRequestLog, type LoggedRequest } from './request-log.store.ts';

/** Calls that have ended and are not written yet. */
export type EndedCalls = {
  byAccount: Map<string, LoggedRequest[]>;
  count: number;
  /** Further ones are dropped. An account may have half of them. */
  most: number;
};

/** Writes how calls ended, in the background and many at once. */
export type RequestLog = IntervalTask & {
  ended: EndedCalls;
  /** Writes what is there; resolves when it is written. */
  flush: () => Promise<void>;
};

export type RequestLogOptions = {
  sql: Sql;
  clock: Clock;
  log?: Pick<Log, 'warn'> | undefined;
  /** Rows that may wait to be written. */
  maxWaiting?: number;
  /** Rows of calls that did not succeed that an account gets in a minute; a flood of refusals must not fill the disk. */
  perMinute?: number;
  /** Pause between two writes. */
  pauseMs?: number;
};

const maxItems = 512;
const minuteMs = 60_000;

export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { sql, clock, log, maxWaiting = 10_000, perMinute = 600, pauseMs = 250 } = options;
  const minute = { startedMs: Number.NEGATIVE_INFINITY, rows: new Map<string, number>() };
  const ended: EndedCalls = { byAccount: new Map(), count: 0, most: maxWaiting };

  function isFlood({ accountId, state }: LoggedRequest): boolean {
    if (state === 'succeeded') return false;
    const rows = (minute.rows.get(accountId) ?? 0) + 1;
    minute.rows.set(accountId, rows);
    return rows > perMinute;
  }

  function takeAll(): LoggedRequest[] {
    const nowMs = clock.monotonicMs();
    if (nowMs - minute.startedMs >= minuteMs) {
      minute.startedMs = nowMs;
      minute.rows.clear();
    }
    const requests = [...ended.byAccount.values()].flat().filter((request) => !isFlood(request));
    ended.byAccount.clear();
    ended.count = 0;
    return requests;
  }

  async function write(requests: readonly LoggedRequest[]): Promise<void> {
    try {
      await insertRequestLog(sql, requests);
    } catch (error) {
      // While the database is away no call is recorded: lines without a request id are logged together.
      const about = isUnavailable(error) ? {} : { requestId: requests[0]?.id };
      log?.warn({ err: error, ...about, requests: requests.length }, 'requests were not recorded');
    }
  }

  async function flush(): Promise<void> {
    const requests = takeAll();
    for (let first = 0; first < requests.length; first += maxItems)
      await write(requests.slice(first, first + maxItems));
  }

  const task = createIntervalTask({
    pauseMs,
    first: 'after a pause',
    work: flush,
    onError: (err) => log?.warn({ err }, 'requests were not recorded'),
  });

  return {
    ...task,
    ended,
    flush,
    async stop() {
      await task.stop();
      await flush();
    },
  };
}
