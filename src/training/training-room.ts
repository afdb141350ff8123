import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Billing } from '#billing';
import type { Datasets } from '#datasets';
import type { Database } from '#db';
import type { AdapterProbe, ExampleEncoder } from '#engine';
import type { CursorCodec, Log } from '#kernel';
import type { FinishedJobs, ModelsService } from '#models';
import type { ObjectStore } from '#objects';
import type { RunningWork } from '#projects';
import { createCare } from './care.ts';
import { countLiveJobs } from './jobs/jobs.store.ts';
import { readOverview } from './jobs/overview.store.ts';
import { createChanges } from './logs/changes.ts';
import { createPublisher } from './publish/publish.ts';
import { jobsRoutes } from './routes/jobs.routes.ts';
import { recordsRoutes } from './routes/records.routes.ts';
import type { Runner } from './runners/runner.ts';
import { createAdapterFiles } from './serve/adapter-files.ts';
import { listRegistryJobs } from './serve/served-jobs.store.ts';
import { createServedJobs, type ServedJobs } from './serve/trained-models.ts';
import { draftsName } from './supervise/attempt-folder.ts';
import { createBases } from './supervise/bases.ts';
import { createDeployments, type DeployTo } from './supervise/deployments.ts';
import { createSnapshots } from './supervise/snapshots.ts';
import { createSupervisor } from './supervise/supervisor.ts';

type TrainingTiming = {
  beatMs: number;
  /** Silence after which others take a job. */
  leaseSeconds: number;
  lookMs: number;
  gatherMs: number;
  checkpointSeconds: number;
};

export type TrainingOptions = {
  database: Database;
  cursors: CursorCodec;
  models: ModelsService;
  datasets: Datasets;
  billing: Pick<Billing, 'gather'>;
  /** Told which account may have been charged. */
  onCharge: (accountId: string) => void;
  objects: ObjectStore;
  encoder: ExampleEncoder;
  probe: AdapterProbe;
  runner: Runner;
  dataDir: string;
  /** Adapters that are kept as files in it, together. */
  adapterFileBytes: number;
  instanceId: string;
  log: Log;
  /** Jobs that this server works on at a time; 0: none, others do. */
  slots: number;
  /** Of one account, jobs that are not over. */
  maxActiveJobs: number;
  checkpointDays: number;
  timing?: Partial<TrainingTiming>;
};

/** Training jobs, for the wiring. */
export type Training = {
  routes: (app: FastifyInstance) => Promise<void>;
  /** Keeps its project out of the archive. */
  work: RunningWork;
  served: ServedJobs;
  finishedJobs: FinishedJobs;
  overview: (question: { accountId: string; since: Date }) => ReturnType<typeof readTrainingOverview>;
  /** @param deploy puts what has succeeded behind its alias. */
  start: (deploy: DeployTo) => void;
  /** Puts down what runs; it goes on later, or elsewhere. */
  stop: () => Promise<void>;
  /** Trainers have ended when it resolves, whatever became of `stop`. */
  closeRunner: () => Promise<void>;
};

const defaultTiming: TrainingTiming = {
  ...{ beatMs: 1_500, leaseSeconds: 30, lookMs: 5_000, gatherMs: 200, checkpointSeconds: 60 },
};

export function createTraining(options: TrainingOptions): Training {
  const { database, models, objects, runner, log, dataDir } = options;
  const timing = { ...defaultTiming, ...options.timing };
  const changes = createChanges();
  const files = createAdapterFiles({ objects, folder: join(dataDir, 'adapters'), maxBytes: options.adapterFileBytes });
  const served = createServedJobs({ sql: database, files, objects });
  const bases = createBases(models);
  let deployTo: DeployTo = async () => {};
  const deployments = createDeployments(database, () => deployTo);
  const root = join(dataDir, 'training');
  const supervisor = createSupervisor({
    ...{ database, objects, runner, log, slots: options.slots, root },
    ...{ instanceId: options.instanceId, lookMs: timing.lookMs },
    makeSnapshot: createSnapshots({ ...options, draftFolder: join(root, draftsName) }),
    weightsOf: bases.weightsOf,
    publish: createPublisher({ objects, probe: options.probe, baseOf: bases.baseOf }),
    deploy: deployments.deploy,
    changed: changes.tell,
    settled: options.onCharge,
    timing: { ...timing, seconds: timing.leaseSeconds },
  });
  const care = createCare({ database, objects, keptDays: options.checkpointDays, root, deployments, runner, log });
  return {
    routes: async (app) => {
      await app.register(jobsRoutes({ ...options, wake: supervisor.wake }));
      await app.register(recordsRoutes({ ...options, changes }));
    },
    work: { kind: 'training_jobs', countRunning: countLiveJobs },
    served,
    finishedJobs: { list: (filter, page) => listRegistryJobs(database, filter, page) },
    overview: (question) => readTrainingOverview(database, question),
    start(deploy) {
      deployTo = deploy;
      care.start();
      if (options.slots > 0) supervisor.start();
    },
    async stop() {
      await Promise.all([supervisor.stop(), runner.close()]);
      await care.stop();
    },
    closeRunner: runner.close,
  };
}

async function readTrainingOverview(database: Database, question: { accountId: string; since: Date }) {
  const { active, last, queued, failed, any } = await readOverview(database, question);
  return {
    active: active.map(({ id, name, owner, slug, state, step, totalSteps }) => ({
      ...{ id, name, project: { owner, slug }, state },
      percent: totalSteps ? Math.round((1000 * (step ?? 0)) / totalSteps) / 10 : null,
    })),
    queued,
    failedInWindow: failed,
    lastSucceeded: last?.finishedAt
      ? { id: last.id, name: last.name, project: { owner: last.owner, slug: last.slug }, finishedAt: last.finishedAt }
      : null,
    hasAny: any,
  };
}
