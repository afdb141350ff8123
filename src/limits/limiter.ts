import { createBatcher, type Database } from '#db';
import { createIntervalTask, joinIntervalTasks, type Log } from '#kernel';
import { type Checked, type LimitedSubject, limitHeaders, refusalOf, type Usage } from './call-limits.ts';
import {
  deleteRestingCounters,
  enterLimitedCalls,
  type LimitedCall,
  leaveLimitedCalls,
  listOpenCalls,
  setAsideLimitedCalls,
} from './limiter.store.ts';

/**
 * Lets limited calls in and sees them out; calls without limits never come here. Everything counts in the database, so
 * the limits are exact over all processes, and a process that dies takes its calls out of the count with it.
 */
export type Limiter = {
  /** Throws `rate_limited` with the header fields of the limit that is reached; then nothing was counted. */
  enter: (call: LimitedCall) => Promise<Pass>;
  start: () => void;
  stop: () => Promise<void>;
};

export type Pass = {
  /** Header fields for the answer. */
  headers: Record<string, string>;
  /** To be called when the call is over, charged or not, and before its answer ends. Never rejects. */
  leave: () => Promise<void>;
  /** The same when nobody knows whether the call was charged, or will be: what it costs counts as soon as it is. */
  setAside: () => Promise<void>;
};

export type LimiterOptions = {
  database: Database;
  instanceId: string;
  /** Resolves once other processes can see that this one lives. */
  registered: () => Promise<void>;
  log?: Pick<Log, 'warn'>;
  sweepMs?: number;
  /** The time, for tests; null is the database's own, which is the same for all processes. */
  now?: () => Date | null;
};

/** The statement looks at all checks of its batch once per call. */
const maxItems = 64;
/** Counters rest for days before they go. */
const tidyMs = 60_000;

export function createLimiter(options: LimiterOptions): Limiter {
  const { database, sweepMs = 10_000, now = () => null } = options;
  const { instanceId, registered, log } = options;
  // Calls that are, or may come to be, in flight. A row of this process that is not in here is a left-over.
  const open = new Set<string>();

  const entering = createBatcher<LimitedCall, Map<string, Usage>>({
    name: 'limits.enter',
    lanes: 1,
    maxItems,
    run: (calls) => enterLimitedCalls(database, { calls, instanceId, at: now() }),
  });
  const leaving = createBatcher<string, string>({
    name: 'limits.leave',
    lanes: 1,
    maxItems,
    run: async (requestIds) => {
      await leaveLimitedCalls(database, requestIds, now());
      return requestIds;
    },
  });

  async function sweep(): Promise<void> {
    const calls = await listOpenCalls(database, instanceId);
    const lost = calls.filter(({ of, requestId }) => of !== 'self' || !open.has(requestId));
    const over = idsOf(lost.filter(({ isOver }) => isOver));
    const unknown = idsOf(lost.filter(({ isOver }) => !isOver));
    if (over.length > 0) await leaveLimitedCalls(database, over, now());
    // A process that is dead for the others may come back and charge, and others pay for the answers that it has kept.
    if (unknown.length > 0) await setAsideLimitedCalls(database, unknown);
  }

  const onError = (error: unknown) => log?.warn({ err: error }, 'no sweep of limited calls');
  const tidy = () => deleteRestingCounters(database, now());
  const tasks = joinIntervalTasks([
    createIntervalTask({ pauseMs: sweepMs, first: 'after a pause', work: sweep, onError }),
    createIntervalTask({ pauseMs: tidyMs, first: 'after a pause', work: tidy, onError }),
  ]);

  async function leave(requestId: string): Promise<void> {
    if (!open.delete(requestId)) return;
    // What fails is left over, and the next sweep finds it.
    await leaving.submit(requestId).catch(() => {});
  }

  async function setAside(requestId: string): Promise<void> {
    if (!open.delete(requestId)) return;
    await setAsideLimitedCalls(database, [requestId]).catch(() => {});
  }

  return {
    async enter(call) {
      await registered();
      open.add(call.requestId);
      let isIn = false;
      try {
        const checked = withUsage(call.subjects, await entering.submit(call));
        const refusal = refusalOf(checked);
        if (refusal) throw refusal;
        isIn = true;
        return {
          headers: limitHeaders(checked),
          leave: () => leave(call.requestId),
          setAside: () => setAside(call.requestId),
        };
      } finally {
        // When the outcome is unknown, there may be a row nevertheless.
        if (!isIn) open.delete(call.requestId);
      }
    },

    start: tasks.start,

    async stop() {
      await tasks.stop();
      open.clear();
      await sweep().catch(onError);
    },
  };
}

function idsOf(calls: readonly { requestId: string }[]): string[] {
  return calls.map(({ requestId }) => requestId);
}

function withUsage(subjects: readonly LimitedSubject[], used: ReadonlyMap<string, Usage>): Checked[] {
  return subjects.map((subject) => {
    const usage = used.get(subject.id);
    if (!usage) throw new Error(`The limits of ${subject.id} were not checked. This is a bug.`);
    return { ...subject, usage };
  });
}
