import { systemActor } from '#activity';
import type { Database, Sql } from '#db';
import { defineTask, type Jobs, type TaskRun } from '#jobs';
import { type Clock, Fault } from '#kernel';
import {
  accountOfHosted,
  beginAttempt,
  endAsActive,
  endAsFailed,
  listWarming,
  uncountAttempt,
  type WarmingModel,
} from './hosted-changes.store.ts';
import { checkLoad, type LoadCheckEngine } from './hosted-load-check.ts';
import type { PendingActivation } from './hosted-models.store.ts';
import { type HostedChange, recordHostedActivity } from './hosted-scope.ts';
import { findTarget, type TargetDeps } from './hosted-target.ts';

/** Load checks in the background. The row of the alias says what to check; the queue only says when. */
export type Activations = {
  /** Enqueues the load check of an alias that warms, in the transaction that made it so. */
  enqueue: (tx: Sql, hostedModelId: string) => Promise<void>;
  /** Enqueues every check that has not ended: after a start, whatever became of the process before. */
  resume: () => Promise<void>;
};

export type HostedDeps = {
  database: Database;
  targets: TargetDeps;
  engine: LoadCheckEngine;
  activations: Activations;
  clock: Clock;
};

type ActivationsOptions = {
  database: Database;
  jobs: Pick<Jobs, 'handle' | 'enqueue'>;
  engine: LoadCheckEngine;
  targets: TargetDeps;
  clock: Clock;
};

type LoadCheckOutcome = { sha256: string | null } | { error: { code: string; message: string } };

/** A model that takes the server down as often as this is not tried again until somebody activates it. */
const maxTries = 3;

const task = defineTask<{ hostedModelId: string }>('hosted_models.warm', {
  concurrency: 2,
  retries: 8,
  // The engine itself gives up on loads that take too long.
  longestSeconds: 3_600,
});

export function createActivations(options: ActivationsOptions): Activations {
  const { database, jobs } = options;
  const enqueue = async (sql: Sql, hostedModelId: string) => {
    const accountId = await accountOfHosted(sql, hostedModelId);
    if (accountId !== null) await jobs.enqueue(sql, task, { hostedModelId }, { key: hostedModelId, accountId });
  };
  jobs.handle(task, ({ hostedModelId }, run) => warmUp(options, hostedModelId, run));
  return {
    enqueue,
    resume: async () => {
      for (const id of await listWarming(database)) await enqueue(database, id);
    },
  };
}

/** One attempt at the load check of an alias. Two of them at once agree: whoever ends first decides. */
async function warmUp(options: ActivationsOptions, hostedModelId: string, run: TaskRun): Promise<void> {
  const { database } = options;
  const warming = await beginAttempt(database, hostedModelId);
  if (!warming) return;
  try {
    await end(database, warming, await outcomeOf(options, warming, run.signal));
  } catch (error) {
    // This process has survived the attempt, so it does not count: only attempts that ended with their process do.
    if (run.isLastAttempt && !run.signal.aborted)
      await end(database, warming, { error: { code: 'internal_error', message: 'The load check could not be done.' } });
    else await uncountAttempt(database, warming);
    throw error;
  }
}

async function outcomeOf(
  options: ActivationsOptions,
  warming: WarmingModel,
  signal: AbortSignal,
): Promise<LoadCheckOutcome> {
  const { targets, engine, clock } = options;
  const { activation, targetType, targetId } = warming;
  if (activation.tries > maxTries) {
    const message = `The server ended ${maxTries} times while it loaded this model.`;
    return { error: { code: 'worker_lost', message } };
  }
  try {
    const target = await findTarget(targets, { type: targetType, id: targetId }, activation.accountId);
    const error = await checkLoad({ engine, clock, target, signal });
    return error === null ? { sha256: target.sha256 } : { error };
  } catch (error) {
    // The target is gone since the activation. An error of the database says nothing about the model.
    if (error instanceof Fault && error.row.status < 500) {
      return { error: { code: codeOf(error), message: error.message } };
    }
    throw error;
  }
}

/** The reason rather than the kind of refusal. */
function codeOf({ row, options: { details } }: Fault): string {
  return typeof details?.reason === 'string' ? details.reason : row.code;
}

async function end(database: Database, warming: WarmingModel, outcome: LoadCheckOutcome): Promise<void> {
  const { activation, alias } = warming;
  await database.transaction(async (tx) => {
    if ('error' in outcome) {
      const { error } = outcome;
      const model = await endAsFailed(tx, warming, error);
      const message = `The model "${alias}" could not be activated: ${error.message}`;
      const change = { ...hostedChangeOf(activation), actor: systemActor };
      if (model)
        await recordHostedActivity(tx, change, model, {
          type: 'model.failed',
          severity: 'error',
          message,
          data: { error },
        });
      return;
    }
    const model = await endAsActive(tx, warming, outcome.sha256);
    const message = `The model "${alias}" is active.`;
    if (model)
      await recordHostedActivity(tx, hostedChangeOf(activation), model, {
        type: 'model.activated',
        severity: 'success',
        message,
      });
  });
}

function hostedChangeOf({ id: _id, tries: _tries, ...change }: PendingActivation): HostedChange {
  return change;
}
