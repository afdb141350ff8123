import { systemActor } from '#activity';
import type { Database, Sql } from '#db';
import { defineTask, type Jobs, type TaskRun } from '#jobs';
import { type Clock, Fault } from '#kernel';
import {
  accountOfHosted,
  beginAttempt,
  endAsActive,
  endAsFailed,
  giveAttemptBack,
  listWarming,
  type Warming,
} from './hosted-activation.store.ts';
import { tellOfHosted } from './hosted-activity.ts';
import { checkLoad, type LoadCheckEngine } from './hosted-load-check.ts';
import { findTarget, type TargetDeps } from './hosted-target.ts';

/** Load checks in the background. What is to be checked stands in the alias itself; the queue only says when. */
export type Activations = {
  /** Asks for the load check of an alias that warms, in the transaction that made it so. */
  enqueue: (tx: Sql, hostedModelId: string) => Promise<void>;
  /** Asks again for every check that has not ended: after a start, whatever became of the process before. */
  resume: () => Promise<void>;
};

export type ActivationsOptions = {
  database: Database;
  jobs: Pick<Jobs, 'handle' | 'enqueue'>;
  engine: LoadCheckEngine;
  targets: TargetDeps;
  clock: Clock;
};

type Outcome = { sha256: string | null } | { error: { code: string; message: string } };

/** A model that takes the server with it as often as this is not tried again until somebody asks. */
const triesAtMost = 3;

const task = defineTask<{ hostedModelId: string }>('hosted_models.warm', {
  concurrency: 2,
  retries: 8,
  // The engine itself gives up on loads that take too long.
  longestSeconds: 3_600,
});

export function createActivations(options: ActivationsOptions): Activations {
  const { database, jobs } = options;
  const enqueue = async (sql: Sql, hostedModelId: string) => {
    const turnOf = await accountOfHosted(sql, hostedModelId);
    if (turnOf !== null) await jobs.enqueue(sql, task, { hostedModelId }, { key: hostedModelId, turnOf });
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
    else await giveAttemptBack(database, warming);
    throw error;
  }
}

async function outcomeOf(options: ActivationsOptions, warming: Warming, signal: AbortSignal): Promise<Outcome> {
  const { targets, engine, clock } = options;
  const { activation, targetType, targetId } = warming;
  if (activation.tries > triesAtMost) {
    const message = `The server ended ${triesAtMost} times while it loaded this model.`;
    return { error: { code: 'worker_lost', message } };
  }
  try {
    const target = await findTarget(targets, { type: targetType, id: targetId }, activation.accountId);
    const error = await checkLoad({ engine, clock, target, signal });
    return error === null ? { sha256: target.sha256 } : { error };
  } catch (error) {
    // The target is gone since the activation. Trouble with the database is no verdict about the model.
    if (error instanceof Fault && error.row.status < 500) {
      return { error: { code: codeOf(error), message: error.message } };
    }
    throw error;
  }
}

/** What is the matter with the target, rather than what kind of refusal that is. */
function codeOf({ row, options: { details } }: Fault): string {
  return typeof details?.reason === 'string' ? details.reason : row.code;
}

async function end(database: Database, warming: Warming, outcome: Outcome): Promise<void> {
  const { activation, alias } = warming;
  await database.transaction(async (tx) => {
    if ('error' in outcome) {
      const model = await endAsFailed(tx, warming, outcome.error);
      if (!model) return;
      await tellOfHosted(
        tx,
        { by: { ...activation, actor: systemActor }, model },
        {
          type: 'model.failed',
          severity: 'error',
          message: `The model "${alias}" could not be activated: ${outcome.error.message}`,
          data: { error: outcome.error },
        },
      );
      return;
    }
    const model = await endAsActive(tx, warming, outcome.sha256);
    if (!model) return;
    const happening = {
      type: 'model.activated',
      severity: 'success',
      message: `The model "${alias}" is active.`,
    } as const;
    await tellOfHosted(tx, { by: activation, model }, happening);
  });
}
