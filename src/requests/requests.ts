import type { Database, PartitionedTable } from '#db';
import { type Clock, createIntervalTask, createIntervalTasks, fault, joinIntervalTasks, timeOfId } from '#kernel';
import { createFailureLog, type FailureLogOptions } from './failure-log.ts';
import { type RequestRecord, recordOf } from './request-record.ts';
import { buryRunning, deleteOldFailures, deleteRunning, findTraces, writeRunning } from './requests.store.ts';
import { type NewCall, type RequestTrack, RunningCall, type RunningCalls } from './running-call.ts';

/** Knows what became of calls of models. Those that succeed cost no statement here: the ledger has them. */
export type Requests = {
  /**
   * Costs one map entry.
   */
  begin: (call: NewCall) => RequestTrack;
  /** Throws `not_found` for another account's call, for one that left no trace and for one of more than 30 days ago. */
  find: (request: { id: string; accountId: string }) => Promise<RequestRecord>;
  start: () => void;
  /** Writes what waits to be written. */
  stop: () => Promise<void>;
};

export type RequestsOptions = Omit<FailureLogOptions, 'sql'> & {
  database: Database;
  instanceId: string;
  /** Resolves once other processes can see that this one lives. */
  registered: () => Promise<void>;
  /** Pause between notes of what runs, and the age from which a call is noted. */
  pageMs?: number;
  sweepMs?: number;
  /** Pause between looks for what is no longer told. */
  tidyMs?: number;
};

const keptDays = 30;
const keptMs = keptDays * 24 * 60 * 60_000;
const deletedAtOnce = 500;

/** Their months go when nothing is told of them any more. */
export function failedRequestMonths(clock: Clock): PartitionedTable {
  return { table: 'failed_requests', key: 'req', keptSince: () => new Date(clock.nowMs() - keptMs), removal: 'drop' };
}

export function createRequests(options: RequestsOptions): Requests {
  const { database, instanceId, registered, ...rest } = options;
  const { clock, log, pageMs = 1_000, sweepMs = 10_000, tidyMs = 60_000 } = rest;
  const failures = createFailureLog({ ...rest, sql: database });
  const here: RunningCalls = new Map();
  let noted = 0;

  /** Tells the other processes what takes longer here. Quick calls are never written down. */
  async function noteRunning(): Promise<void> {
    const old = clock.monotonicMs() - pageMs;
    const slow = [...here.values()].filter(({ sinceMs }) => sinceMs <= old);
    if (slow.length === 0 && noted === 0) return;
    await registered();
    await writeRunning(
      database,
      instanceId,
      slow.map((call) => call.toRunning()),
    );
    noted = slow.length;
  }

  const notes = createIntervalTask({
    pauseMs: pageMs,
    first: 'after a pause',
    work: noteRunning,
    isNeeded: () => here.size > 0 || noted > 0,
    onError: (err) => log?.warn({ err }, 'no note of running requests'),
  });

  const onError = (err: unknown, task: string) => log?.warn({ err, task }, 'no sweep of requests');
  const burials = createIntervalTask({
    pauseMs: sweepMs,
    first: 'after a pause',
    work: () => buryRunning(database, instanceId),
    onError: (err) => onError(err, 'dead processes'),
  });
  const care = createIntervalTasks({
    tasks: {
      'old failures': async (isStopped) => {
        while (!isStopped() && (await deleteOldFailures(database, keptDays, deletedAtOnce)) === deletedAtOnce);
      },
    },
    pauseMs: tidyMs,
    onError,
  });

  const tasks = joinIntervalTasks([notes, burials, care]);

  return {
    begin(begun) {
      const call = new RunningCall(begun, { here, failures, clock });
      here.set(call.id, call);
      notes.wake();
      return call;
    },

    async find({ id, accountId }) {
      const madeMs = timeOfId('req', id);
      if (madeMs === null || madeMs < clock.nowMs() - keptMs) throw noSuchRequest();
      // Looked up first: a call that ends meanwhile has left its trace by then.
      const current = here.get(id);
      const traces = await findTraces(database, { id, accountId });
      const isOwn = current?.target.accountId === accountId;
      const record = recordOf({ id, createdAt: new Date(madeMs) }, traces, isOwn ? current.toReceived() : null);
      if (!record) throw noSuchRequest();
      return record;
    },

    start: tasks.start,

    async stop() {
      await Promise.all([tasks.stop(), failures.flush()]);
      if (noted > 0) await deleteRunning(database, instanceId).catch(() => {});
    },
  };
}

/** Another account's request is as unknown as one that never was. */
function noSuchRequest() {
  return fault('not_found', { message: 'There is no such request, or nothing is known of it any more.' });
}
