import { PgBoss } from 'pg-boss';
import { driverUrl, missingRights, type Sql, sessionOptions } from '#db';
import type { IntervalTask, Log } from '#kernel';
import { nextTurn, noteLook, schema } from './queue.store.ts';
import type { Task, TaskHandler } from './task.ts';
import { createWatch } from './watch.ts';
import { createWorkers, type Handled } from './workers.ts';

/**
 * Background work in the same database: what is enqueued in a transaction runs once it has committed, at least once,
 * on some replica, also when the process that had begun it dies (the next attempt starts within about half a minute).
 */
export type Jobs = {
  /** False: this process enqueues only, and others work. */
  works: boolean;
  /** Says what does a task's work. All tasks are known before `start`. */
  handle: <Payload extends object>(task: Task<Payload>, handler: TaskHandler<Payload>) => void;
  /**
   * Enqueues within the caller's transaction.
   * @param options.key while work with this key waits, nothing is added.
   * @param options.afterSeconds earliest start.
   * @param options.turnOf whose work it is. Of the work of one task that waits, each of them has one after the other in turn, so
   *   nobody waits for all that somebody else has asked for. Either all work of a task says it, or none.
   */
  enqueue: <Payload extends object>(
    sql: Sql,
    task: Task<Payload>,
    payload: Payload,
    options?: { key?: string; afterSeconds?: number; turnOf?: string },
  ) => Promise<void>;
  /** Installs what the queue needs in the database, then begins to work. */
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

const maxConnections = 3;
/**
 * Connections are kept open between uses: opening one costs as much as dozens of the queue's statements, and the
 * queue needs two about once a minute.
 */
const keptConnections = { idleTimeoutMillis: 300_000 };
/**
 * Behind a network that has swallowed a statement or its answer the queue would wait for good, and nothing would be worked on
 * any more, also once the network is back. Longer than its supervision takes on a database that is slow.
 */
const longestAnswerMs = 60_000;
/** Silence of a worker, 10 at least, that means that it is dead. */
const heartbeatSeconds = 10;
/** Less than the watch takes from one supervision to the next. */
const monitorIntervalSeconds = 3;
const retryDelaySeconds = 1;
const retryDelayMaxSeconds = 60;
const keepDoneSeconds = 24 * 3_600;

export function createJobs({ url, log, works = true, answerMs = longestAnswerMs }: JobsOptions): Jobs {
  const boss = openBoss(url, answerMs, log);
  const own: Sql = sqlOf(boss);
  const handled = new Map<string, Handled>();
  const workers = createWorkers(boss, log);
  let watch: IntervalTask | null = null;

  return {
    works,

    handle(task, handler) {
      if (handled.has(task.name)) throw new Error(`The task ${task.name} has a handler already. This is a bug.`);
      // The queue gives back what `enqueue` took, and that takes this payload only.
      handled.set(task.name, { task, handler: handler as TaskHandler<object> });
    },

    async enqueue(sql, task, payload, { key, afterSeconds, turnOf } = {}) {
      const db = { executeSql: async (text: string, values?: unknown[]) => ({ rows: await sql.query(text, values) }) };
      await boss.send(task.name, payload, {
        db,
        // Without a key of its own, work never waits for other work.
        singletonKey: key ?? crypto.randomUUID(),
        // Said with the work: a queue keeps the number of the version that made it.
        retryLimit: task.retries,
        ...(afterSeconds === undefined ? {} : { startAfter: afterSeconds }),
        ...(turnOf === undefined ? {} : await inTurn(sql, task.name, turnOf)),
      });
    },

    async start() {
      await boss.start().catch((error: unknown) => {
        throw missingRights(error);
      });
      for (const { task } of handled.values()) await prepareQueue(boss, task);
      if (!works) return;
      for (const each of handled.values()) await workers.add(each);
      const queues = workers.queues();
      watch = createWatch({
        sql: own,
        queues,
        wake: workers.wake,
        log,
        supervise: () => boss.supervise(),
        note: () => noteLook(own, queues),
      });
      watch.start();
    },

    async stop(graceMs) {
      await watch?.stop();
      await boss.stop({ graceful: true, timeout: graceMs });
    },
  };
}

function openBoss(url: string, answerMs: number, log: JobsOptions['log']): PgBoss {
  // Passed through to the driver's pool, though the queue's types do not name them.
  const driverOptions = { query_timeout: answerMs, keepAlive: true, options: sessionOptions() };
  const boss = new PgBoss({
    connectionString: driverUrl(url),
    schema,
    max: maxConnections,
    ...keptConnections,
    ...driverOptions,
    application_name: 'fanfold jobs',
    useListenNotify: true,
    // Schedules are not used, and the watch says when to supervise; one replica of all does it at a time.
    schedule: false,
    supervise: false,
    monitorIntervalSeconds,
  });
  boss.on('error', (error) => log?.warn({ err: error }, 'trouble with the job queue'));
  return boss;
}

/** The queue's own connections. */
function sqlOf(boss: PgBoss): Sql {
  return {
    // The caller states the shape of its own statement's rows.
    query: async <R>(text: string, values?: readonly unknown[]) =>
      (await boss.getDb().executeSql(text, values as unknown[])).rows as R[],
  };
}

/** The queue begins with what has the highest priority, so a turn counts down. */
async function inTurn(sql: Sql, queue: string, turnOf: string) {
  return { group: { id: turnOf }, priority: -(await nextTurn(sql, { queue, turnOf })) };
}

async function prepareQueue(boss: PgBoss, task: Task<object>): Promise<void> {
  await boss.createQueue(task.name, {
    // With a key, one job waits at most.
    policy: 'short',
    retryLimit: task.retries,
    retryDelay: retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: retryDelayMaxSeconds,
    expireInSeconds: task.longestSeconds,
    heartbeatSeconds,
    deleteAfterSeconds: keepDoneSeconds,
    notify: true,
  });
}
