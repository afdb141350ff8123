import type { Database } from '#db';
import { fault, firstIdAt, timeOfId } from '#kernel';
import { createFailureLog, type FailureLogOptions } from './failure-log.ts';
import { type RequestRecord, type Running, recordOf } from './request-record.ts';
import { deleteFailedBefore, type FailedState, findTraces } from './requests.store.ts';

/** A call that was let in: who makes it, and what it asks for. */
export type ReceivedRequest = {
  id: string;
  accountId: string;
  operation: string;
  project: { id: string; owner: string; slug: string };
  model: string | null;
};

export type Failure = { state: FailedState; httpStatus: number | null; errorCode: string | null };

/** Follows one call to its end. */
export type RequestTrack = {
  /** The model works on it. */
  running: () => void;
  /** It ended without a charge. Nothing needs to be said of one that was charged: its ledger row does. */
  failed: (failure: Failure) => void;
  /** It is over, however it went. */
  over: () => void;
};

/** Knows what became of calls of models. Those that succeed cost nothing here: the ledger has them. */
export type Requests = {
  begin: (request: ReceivedRequest) => RequestTrack;
  /** Calls whose process died: their holds were given back, so they were not charged. */
  lost: (calls: readonly { requestId: string; accountId: string }[]) => void;
  /** Throws `not_found` for another account's call, for one that left no trace and for one of more than 30 days ago. */
  find: (request: { id: string; accountId: string }) => Promise<RequestRecord>;
  start: () => void;
  /** Writes what waits to be written. */
  stop: () => Promise<void>;
};

export type RequestsOptions = Omit<FailureLogOptions, 'sql'> & { database: Database; sweepMs?: number };

const keptMs = 30 * 24 * 60 * 60_000;
const deletedAtOnce = 500;
const longestModel = 200;

export function createRequests({ database, sweepMs = 600_000, ...options }: RequestsOptions): Requests {
  const { clock, log } = options;
  const failures = createFailureLog({ ...options, sql: database });
  const running = new Map<string, Running>();
  let timer: NodeJS.Timeout | null = null;
  let sweeping = Promise.resolve();

  async function sweep(): Promise<void> {
    const firstKept = firstIdAt('req', clock.nowMs() - keptMs);
    try {
      while ((await deleteFailedBefore(database, firstKept, deletedAtOnce)) === deletedAtOnce);
    } catch (error) {
      log?.warn({ err: error }, 'no sweep of failed requests');
    }
  }

  return {
    begin({ id, accountId, operation, project, model }) {
      const { owner, slug } = project;
      const call = { accountId, operation, project: { owner, slug }, model: model?.slice(0, longestModel) ?? null };
      const current: Running = { ...call, isRunning: false };
      running.set(id, current);
      return {
        running: () => {
          current.isRunning = true;
        },
        failed: (failure) =>
          failures.note({ id, ...call, ...failure, projectId: project.id, finishedAt: new Date(clock.nowMs()) }),
        over: () => void running.delete(id),
      };
    },

    lost(calls) {
      const nothing = { operation: null, projectId: null, model: null, httpStatus: null, errorCode: null };
      const finishedAt = new Date(clock.nowMs());
      for (const { requestId: id, accountId } of calls)
        failures.note({ id, accountId, state: 'unknown', ...nothing, finishedAt });
    },

    async find({ id, accountId }) {
      const madeMs = timeOfId('req', id);
      if (madeMs === null || madeMs < clock.nowMs() - keptMs) throw noSuchRequest();
      // Looked up first: a call that ends meanwhile has left its trace by then.
      const here = running.get(id);
      const traces = await findTraces(database, { id, accountId });
      const isOwn = here?.accountId === accountId;
      const record = recordOf({ id, createdAt: new Date(madeMs) }, traces, isOwn ? here : null);
      if (!record) throw noSuchRequest();
      return record;
    },

    start() {
      timer ??= setInterval(() => {
        sweeping = sweep();
      }, sweepMs).unref();
    },

    async stop() {
      if (timer) clearInterval(timer);
      timer = null;
      await Promise.all([sweeping, failures.flush()]);
    },
  };
}

/** Another account's request is as unknown as one that never was. */
function noSuchRequest() {
  return fault('not_found', { message: 'There is no such request, or nothing is known of it any more.' });
}
