import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { Log } from '#kernel';
import type { Task, TaskHandler } from './task.ts';

/** A task, and what does its work. */
export type Handled = { task: Task<object>; handler: TaskHandler<object> };

/** Those of this process. */
export type Workers = {
  /** As many as work on the task at a time. */
  add: (handled: Handled) => Promise<void>;
  /** The names of the queues that they work on. */
  queues: () => string[];
  /** Has those of a queue ask for work at once. */
  wake: (queue: string) => void;
};

/** A worker shows life this often; its queue says after which silence it is dead. */
const refreshSeconds = 3;
/** Without notifications, workers ask so often. */
const pollSeconds = 2;
/** A notification or our watch wakes a worker; this is for both of them to fail. */
const idlePollSeconds = 300;

export function createWorkers(boss: PgBoss, log: Pick<Log, 'warn'> | undefined): Workers {
  const idsOfQueue = new Map<string, string[]>();

  /** One that works on one attempt at a time; each has an id of its own to be woken by. */
  async function addOne({ task, handler }: Handled): Promise<string> {
    const options = {
      heartbeatRefreshSeconds: refreshSeconds,
      pollingIntervalSeconds: pollSeconds,
      notifyPollingIntervalSeconds: idlePollSeconds,
      includeMetadata: true,
    } as const;
    const id: string = await boss.work(task.name, options, async ([attempt]: JobWithMetadata[]) => {
      try {
        if (attempt) await runAttempt(task, handler, attempt);
      } finally {
        // What came while it worked has told nobody else: it asks again at once.
        boss.notifyWorker(id);
      }
    });
    return id;
  }

  async function runAttempt(task: Task<object>, handler: TaskHandler<object>, attempt: JobWithMetadata): Promise<void> {
    const run = {
      signal: attempt.signal,
      attempt: attempt.retryCount + 1,
      isLastAttempt: attempt.retryCount >= task.retries,
    };
    try {
      await handler(attempt.data, run);
    } catch (error) {
      log?.warn({ err: error, task: task.name, attempt: run.attempt }, 'an attempt at background work failed');
      throw error;
    }
  }

  return {
    async add(handled) {
      const ids: string[] = [];
      for (let n = 0; n < handled.task.concurrency; n++) ids.push(await addOne(handled));
      idsOfQueue.set(handled.task.name, ids);
    },
    queues: () => [...idsOfQueue.keys()],
    wake(queue) {
      for (const id of idsOfQueue.get(queue) ?? []) boss.notifyWorker(id);
    },
  };
}
