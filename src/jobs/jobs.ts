import { type JobWithMetadata, PgBoss } from 'pg-boss';
import { driverUrl, missingRights, type Sql, sessionOptions } from '#db';
import type { Log } from '#kernel';
import { nextQueueRound, schema } from './queue.store.ts';
import type { Task, TaskHandler } from './task.ts';

/**
 * Background work in the same database: what is enqueued in a transaction runs once it has committed, at least once,
 * on some replica, also when the process that had begun it dies (the next attempt starts within about half a minute).
 */
export type Jobs = {
  /** False: this process enqueues only, and others work. */
  works: boolean;
  /** All tasks are known before `start`. */
  handle: <Payload extends object>(task: Task<Payload>, handler: TaskHandler<Payload>) => void;
  /**
   * Enqueues within the caller's transaction.
   * @param options.key while work with this key waits, nothing is added.
   * @param options.afterSeconds earliest start.
   * @param options.accountId whose work it is: accounts are served in rounds. Either all work of a task has one, or none.
   */
  enqueue: <Payload extends object>(
    sql: Sql,
    task: Task<Payload>,
    payload: Payload,
    options?: { key?: string; afterSeconds?: number; accountId?: string },
  ) => Promise<void>;
  start: () => Promise<void>;
  /** Takes nothing new, gives running work `graceMs`, then aborts it; what was aborted is tried again elsewhere. */
  stop: (graceMs: number) => Promise<void>;
};

export type JobsOptions = {
  url: string;
  log?: Log;
  works?: boolean;
  /** Longest wait for an answer of the database, ms. */
  answerMs?: number;
};

/**
 * Behind a network that has swallowed a statement or its answer the queue would wait for good. Longer than its
 * supervision takes on a slow database.
 */
const longestAnswerMs = 60_000;
const retries = { retryDelay: 1, retryBackoff: true, retryDelayMax: 60 };
/** Silence of a worker, 10 s at least, that means that it is dead. */
const heartbeatSeconds = 10;
const heartbeatRefreshSeconds = 3;
/** Notifications wake workers at once; work that is delayed or tried again is found by a poll. */
const pollSeconds = 5;
/** How often work of dead processes is given to others. */
const superviseSeconds = 5;
const keepDoneSeconds = 24 * 3_600;

type HandledTask = { task: Task<object>; handler: TaskHandler<object> };

export function createJobs({ url, log, works = true, answerMs = longestAnswerMs }: JobsOptions): Jobs {
  const boss = openBoss({ url, answerMs, works, log });
  const handled = new Map<string, HandledTask>();

  return {
    works,

    handle(task, handler) {
      if (handled.has(task.name)) throw new Error(`The task ${task.name} has a handler already. This is a bug.`);
      // as: the queue gives back what `enqueue` took, and that takes this payload only.
      handled.set(task.name, { task, handler: handler as TaskHandler<object> });
    },

    async enqueue(sql, task, payload, { key, afterSeconds, accountId } = {}) {
      const db = { executeSql: async (text: string, values?: unknown[]) => ({ rows: await sql.query(text, values) }) };
      await boss.send(task.name, payload, {
        db,
        // Without a key of its own, work never waits for other work.
        singletonKey: key ?? crypto.randomUUID(),
        // Stated with the work, because a queue keeps the number of the version that made it.
        retryLimit: task.retries,
        ...(afterSeconds === undefined ? {} : { startAfter: afterSeconds }),
        // The queue begins with what has the highest priority, so rounds count down.
        ...(accountId === undefined
          ? {}
          : { group: { id: accountId }, priority: -(await nextQueueRound(sql, { queue: task.name, accountId })) }),
      });
    },

    async start() {
      await boss.start().catch((error: unknown) => {
        throw missingRights(error);
      });
      for (const { task } of handled.values()) await prepareQueue(boss, task);
      if (!works) return;
      for (const each of handled.values())
        for (let n = 0; n < each.task.concurrency; n++) await addWorker(boss, each, log);
    },

    stop: (graceMs) => boss.stop({ graceful: true, timeout: graceMs }),
  };
}

type BossOptions = { url: string; answerMs: number; works: boolean; log: Log | undefined };

function openBoss({ url, answerMs, works, log }: BossOptions): PgBoss {
  // Passed through to the driver's pool, though the queue's types do not name them. Connections are kept open, because
  // opening one costs as much as dozens of statements.
  const driverOptions = {
    query_timeout: answerMs,
    keepAlive: true,
    idleTimeoutMillis: 300_000,
    options: sessionOptions(),
  };
  const boss = new PgBoss({
    connectionString: driverUrl(url),
    schema,
    max: 3,
    ...driverOptions,
    application_name: 'fanfold jobs',
    useListenNotify: true,
    schedule: false,
    supervise: works,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  });
  boss.on('error', (error) => log?.warn({ err: error }, 'job queue failed'));
  return boss;
}

/** Works on one attempt at a time. */
async function addWorker(boss: PgBoss, { task, handler }: HandledTask, log: JobsOptions['log']): Promise<void> {
  const options = {
    heartbeatRefreshSeconds,
    pollingIntervalSeconds: pollSeconds,
    notifyPollingIntervalSeconds: pollSeconds,
    includeMetadata: true,
  } as const;
  const id: string = await boss.work(task.name, options, async ([attempt]: JobWithMetadata[]) => {
    try {
      if (attempt) await runAttempt({ task, handler }, attempt, log);
    } finally {
      // Work that came meanwhile has notified nobody: ask for it at once.
      boss.notifyWorker(id);
    }
  });
}

async function runAttempt(
  { task, handler }: HandledTask,
  job: JobWithMetadata,
  log: JobsOptions['log'],
): Promise<void> {
  const attempt = job.retryCount + 1;
  try {
    await handler(job.data, { signal: job.signal, attempt, isLastAttempt: job.retryCount >= task.retries });
  } catch (error) {
    log?.warn({ err: error, task: task.name, attempt }, 'attempt at background work failed');
    throw error;
  }
}

async function prepareQueue(boss: PgBoss, task: Task<object>): Promise<void> {
  await boss.createQueue(task.name, {
    // With a key, one job waits at most.
    policy: 'short',
    retryLimit: task.retries,
    ...retries,
    expireInSeconds: task.longestSeconds,
    heartbeatSeconds,
    deleteAfterSeconds: keepDoneSeconds,
    notify: true,
  });
}
