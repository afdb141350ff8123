import type { Database, Sql } from '#db';
import { createIntervalTask, fault, joinIntervalTasks, type Log } from '#kernel';
import {
  deleteExpired,
  dropUnanswered,
  findKept,
  type KeptAnswer,
  type KeptRow,
  keepAnswer,
  listUnanswered,
  takeKey,
} from './idempotency.store.ts';
import type { RequestIdentity } from './request-identity.ts';

/*
 * A key goes through these states:
 *
 *   free -> running    `reserve`: one statement decides which of many equal requests runs
 *   running -> kept    `keep`: the answer is stored, before anybody is charged for it or sees it
 *   running -> free    `release`: the request failed, so the next one with this key runs
 *   running -> running the process died: the next request with this key takes it over
 *   kept -> free       a day after the key was first used
 *
 * A process that was taken for dead and was not finds at `keep` that the key is no longer its own; what it did is then
 * undone or not charged. So exactly one run of a key ever counts.
 */

/** A request under a key, on its way. */
export type Reservation = {
  /** The request that runs or ran under the key. */
  requestId: string;
  /** The answer of an earlier request; null: this one is to run. */
  kept: KeptAnswer | null;
  /**
   * Stores the answer, in the transaction `sql` if it is one: whoever cannot commit that calls `release`. Throws
   * `idempotency_in_progress` when the key is lost.
   */
  keep: (answer: KeptAnswer, sql?: Sql) => Promise<void>;
  /** Gives the key back unless an answer is kept. Never rejects: what cannot be done now is done in the background. */
  release: () => Promise<void>;
};

export type Idempotency = {
  /** Throws `idempotency_conflict` and `idempotency_in_progress`. */
  reserve: (request: RequestIdentity & { accountId: string; requestId: string }) => Promise<Reservation>;
  start: () => void;
  /** Gives back the keys of requests that have not ended. */
  stop: () => Promise<void>;
};

export type IdempotencyOptions = {
  database: Database;
  instanceId: string;
  /** Resolves once other processes can see that this one lives. */
  registered: () => Promise<void>;
  log?: Pick<Log, 'warn'>;
  sweepMs?: number;
  /** Pause between looks for rows that are a day old. */
  tidyMs?: number;
};

const attempts = 5;
const expiredAtOnce = 500;

export function createIdempotency(options: IdempotencyOptions): Idempotency {
  const { database, sweepMs = 15_000 } = options;
  const { instanceId, registered, log, tidyMs = 60_000 } = options;
  // Requests that have, or may come to have, a key. A row of this process that is not in here is a left-over.
  const running = new Set<string>();

  async function dropLeftOvers(): Promise<void> {
    const leftOver = (await listUnanswered(database, instanceId)).filter((requestId) => !running.has(requestId));
    if (leftOver.length > 0) await dropUnanswered(database, instanceId, leftOver);
  }

  async function tidy(): Promise<void> {
    while ((await deleteExpired(database, expiredAtOnce)) === expiredAtOnce);
  }

  const onError = (error: unknown) => log?.warn({ err: error }, 'no sweep of kept answers');
  const tasks = joinIntervalTasks([
    createIntervalTask({ pauseMs: sweepMs, first: 'after a pause', work: dropLeftOvers, onError }),
    createIntervalTask({ pauseMs: tidyMs, first: 'after a pause', work: tidy, onError }),
  ]);

  async function release(requestId: string): Promise<void> {
    running.delete(requestId);
    // If this fails, the row is left over: a repeated request with the key at this process removes it, or the next
    // sweep does.
    await dropUnanswered(database, instanceId, [requestId]).catch(() => {});
  }

  /** Null: the key is the applicant's. Otherwise what an earlier request has kept. */
  async function takeOrFind(applicant: Parameters<typeof takeKey>[1]): Promise<KeptRow | null> {
    // A row can go away between the two looks, but not again and again.
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (await takeKey(database, applicant)) return null;
      const row = await findKept(database, applicant);
      if (row && isLeftOver(row)) {
        // Where an answer is being committed, this waits until it is there.
        await dropUnanswered(database, instanceId, [row.requestId]);
        continue;
      }
      if (row && !row.fingerprint.equals(applicant.fingerprint)) throw fault('idempotency_conflict');
      if (row?.answer) return row;
      if (row) throw fault('idempotency_in_progress');
    }
    throw fault('idempotency_in_progress');
  }

  /** Whether a row of this process has no answer, and nothing that runs will give it one. */
  function isLeftOver(row: KeptRow): boolean {
    return row.answer === null && row.instanceId === instanceId && !running.has(row.requestId);
  }

  return {
    async reserve({ accountId, key, fingerprint, requestId }) {
      await registered();
      running.add(requestId);
      const address = { accountId, key };
      try {
        const other = await takeOrFind({ ...address, fingerprint, requestId, instanceId });
        if (other) running.delete(requestId);
        return {
          requestId: other?.requestId ?? requestId,
          kept: other?.answer ?? null,
          async keep(answer, sql = database) {
            if (!(await keepAnswer(sql, { ...address, requestId }, answer))) throw keyIsElsewhere();
            // Nothing runs any more, whatever becomes of the transaction.
            running.delete(requestId);
          },
          release: async () => {
            if (!other) await release(requestId);
          },
        };
      } catch (error) {
        // The row may exist nevertheless.
        running.delete(requestId);
        throw error;
      }
    },

    start: tasks.start,

    async stop() {
      await tasks.stop();
      running.clear();
      await dropLeftOvers().catch(() => {});
    },
  };
}

function keyIsElsewhere() {
  return fault('idempotency_in_progress', { message: 'Another process has taken this request over.' });
}
