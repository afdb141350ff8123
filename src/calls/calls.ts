import type { Database, PartitionedTable } from '#db';
import { type Clock, createInFlight, createIntervalTask, fault, joinIntervalTasks, type Log, timeOfId } from '#kernel';
import { deleteOldAnswers, deleteUnusedCounters, findByKey } from './answers.store.ts';
import { createCallBatches } from './call-batches.ts';
import { type StoredAnswer, voidCalls } from './calls.store.ts';
import { keptDays, keptMs } from './kept-time.ts';
import { type NewCall, OpenCall } from './open-call.ts';
import { createReaper, type ReaperTiming } from './reaper.ts';
import { deleteOldRequests } from './request-log.store.ts';
import { createRequestLog, type RequestLogOptions } from './request-log.ts';
import { type RequestRecord, recordOf } from './request-record.ts';
import { findTraces } from './requests.store.ts';
import { renewServer, type ServerFacts } from './servers.store.ts';

/** Calls of models and other paid work of this server: what they reserve, what becomes of them, and what they cost. */
export type Calls = {
  /** A call that has arrived. Whoever opens it closes it. Refuses while the server stops. */
  open: (call: NewCall) => OpenCall;
  /** Calls that are open. */
  inFlight: () => number;
  /**
   * The answer that is stored under a key; null: the request has to run. Throws `idempotency_conflict`, and
   * `idempotency_in_progress` while it runs.
   */
  findAnswer: (request: {
    accountId: string;
    key: string;
    fingerprint: Buffer;
  }) => Promise<{ requestId: string; answer: StoredAnswer } | null>;
  /** Ends work without a charge that another server began. */
  void: (callId: string) => Promise<void>;
  /** Throws `not_found` for another account's call, for one that left no trace and for one of more than 30 days ago. */
  find: (request: { id: string; accountId: string }) => Promise<RequestRecord>;
  /** Resolves once other servers can see that this one lives. */
  registered: () => Promise<void>;
  start: () => void;
  /** Refuses new calls, waits for the open ones, and gives back what is left. */
  stop: () => Promise<void>;
};

export type CallsTiming = ReaperTiming & { endForMs: number };

export type CallsOptions = Pick<RequestLogOptions, 'maxWaiting' | 'perMinute' | 'pauseMs'> & {
  database: Database;
  /** Unique per process and start. */
  serverId: string;
  /** For operators, who see which servers run. */
  server?: ServerFacts | undefined;
  clock: Clock;
  log?: Log | undefined;
  timing?: Partial<CallsTiming>;
  /** Each account that is charged is added here. */
  charged?: Set<string>;
  /** The time of limits, for tests; null is the database's own, which is the same for all servers. */
  now?: () => Date | null;
  /** Pause between deletions of what is no longer kept. */
  cleanUpMs?: number;
};

const defaultTiming: CallsTiming = {
  heartbeatMs: 3_000,
  // So that 15 s are noticed at 16, with the looks of others every two seconds.
  reapMs: 2_500,
  deadAfterMs: 15_000,
  endForMs: 10_000,
};

const deletedAtOnce = 500;

/** Their months go when they are no longer shown. */
export function requestMonths(clock: Clock): PartitionedTable[] {
  const keptSince = () => new Date(clock.nowMs() - keptMs);
  return [
    { table: 'request_log', key: 'req', keptSince, removal: 'drop' },
    { table: 'token_hours', key: 'time', keptSince, removal: 'drop' },
  ];
}

export function createCalls(options: CallsOptions): Calls {
  const { database, serverId, clock, log, charged = new Set(), now = () => null, cleanUpMs = 60_000 } = options;
  const times = { ...defaultTiming, ...options.timing };
  const open = new Map<string, OpenCall>();
  const inFlight = createInFlight();
  let registration: Promise<void> | null = null;
  const reaper = createReaper({
    database,
    serverId,
    clock,
    log,
    times,
    registered,
    isOpen: (id) => open.has(id),
    server: options.server,
  });
  const requestLog = createRequestLog({ ...options, sql: database });
  const batches = createCallBatches({ database, serverId, registered, clock, now });
  const deps = { batches, ended: requestLog.ended, clock, open, serverId, endForMs: times.endForMs, charged, inFlight };
  let isStopping = false;

  function registered(): Promise<void> {
    registration ??= renewServer(database, serverId, options.server).catch((error: unknown) => {
      registration = null;
      throw error;
    });
    return registration;
  }

  async function cleanUp(): Promise<void> {
    while ((await deleteOldAnswers(database, deletedAtOnce)) === deletedAtOnce);
    while ((await deleteOldRequests(database, keptDays, deletedAtOnce)) === deletedAtOnce);
    await deleteUnusedCounters(database, now());
  }

  const tasks = joinIntervalTasks([
    reaper,
    requestLog,
    createIntervalTask({
      pauseMs: cleanUpMs,
      first: 'after a pause',
      work: cleanUp,
      onError: (err) => log?.warn({ err }, 'deletion of old calls failed'),
    }),
  ]);

  return {
    open(call) {
      if (isStopping) throw fault('service_unavailable', { retryAfterSeconds: 1 });
      if (open.has(call.id)) throw new Error(`${call.id} is open already. This is a bug.`);
      const opened = new OpenCall(call, deps);
      open.set(call.id, opened);
      return opened;
    },

    inFlight: () => open.size,

    async findAnswer({ accountId, key, fingerprint }) {
      const found = await findByKey(database, { accountId, key });
      if (!found) return null;
      if (!found.fingerprint.equals(fingerprint)) throw fault('idempotency_conflict');
      const { requestId, answer } = found;
      if (answer) return { requestId, answer };
      const runs = found.serverId === serverId ? open.has(requestId) : found.isServerAlive;
      if (runs) throw fault('idempotency_in_progress');
      return null;
    },

    void: (callId) => voidCalls(database, [callId]),

    async find({ id, accountId }) {
      const madeMs = timeOfId('req', id);
      if (madeMs === null || madeMs < clock.nowMs() - keptMs) throw noSuchRequest();
      // Looked up first: a call that ends meanwhile has left its trace by then.
      const current = open.get(id);
      const traces = await findTraces(database, { id, accountId });
      const isOwn = current?.target.accountId === accountId && current.target.project !== null;
      const record = recordOf({ id, createdAt: new Date(madeMs) }, traces, isOwn ? current.toReceived() : null);
      if (!record) throw noSuchRequest();
      return record;
    },

    registered,
    start: tasks.start,

    async stop() {
      isStopping = true;
      await inFlight.drained();
      await tasks.stop();
    },
  };
}

/** Another account's request is as unknown as one that never was. */
function noSuchRequest() {
  return fault('not_found', { message: 'There is no such request, or nothing is known of it any more.' });
}
