import type { Database } from '#db';
import { Fault, isUnavailableFault, messageOf } from '#kernel';
import type { NewDeployment } from '#models';
import type { TrainingJob } from '../jobs/job.ts';
import { lockJob } from '../jobs/jobs.store.ts';
import { noteDeployed, takeDueDeployments } from '../jobs/transitions.store.ts';
import { appendLogs } from '../logs/logs.store.ts';

export type DeployTo = (deployment: NewDeployment) => Promise<void>;

type Deployments = {
  /** Puts a job that has succeeded behind its alias, where it shall have one; what cannot be yet stays due. It may be done twice. */
  deploy: (job: TrainingJob) => Promise<void>;
  /** Those whose server has died before it came to it. */
  deployDue: () => Promise<void>;
};

const atOnce = 20;

export function createDeployments(database: Database, deployTo: () => DeployTo): Deployments {
  async function deploy(job: TrainingJob): Promise<void> {
    if (!job.deploy) return;
    const { id: jobId, accountId, ownerSlug, projectSlug, attempt } = job;
    try {
      await deployTo()({ accountId, ownerSlug, projectSlug, jobId, ...job.deploy });
    } catch (error) {
      if (mayPass(error)) return;
      const why = messageOf(error);
      const message = `The job has succeeded, but it could not be put behind "${job.deploy.alias}": ${why}`;
      await appendLogs(database, { jobId, attempt }, [{ level: 'warn', source: 'system', message }]);
    }
    await noteDeployed(database, jobId);
  }

  return {
    deploy,
    async deployDue() {
      for (const id of await takeDueDeployments(database, atOnce)) {
        const job = await database.transaction((tx) => lockJob(tx, id));
        if (job) await deploy(job);
      }
    },
  };
}

/**
 * Whether the same may work in a minute: something that is needed is away, the target behind the alias still loads,
 * or somebody else was changing it at the same time.
 */
function mayPass(error: unknown): boolean {
  if (isUnavailableFault(error)) return true;
  if (!(error instanceof Fault)) return false;
  if (error.fault === 'model_warming' || error.fault === 'alias_taken') return true;
  const { reason, state } = error.options.details ?? {};
  return error.fault === 'state_conflict' && (reason === 'changed_meanwhile' || state === 'warming');
}
