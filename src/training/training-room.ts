import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Datasets } from '#datasets';
import type { Database } from '#db';
import type { AdapterProbe, ExampleEncoder } from '#engine';
import type { CursorCodec, Log } from '#kernel';
import type { FinishedJobs, ModelsService } from '#models';
import type { ObjectStore } from '#objects';
import type { CancelableWork } from '#projects';
import { cancelJobsIn } from './jobs/advance.ts';
import { countLiveJobs, readTrainingOverview } from './jobs/jobs.store.ts';
import { createTrainingMaintenance } from './maintenance.ts';
import { createPublisher } from './publish/publish.ts';
import { jobsRoutes } from './routes/jobs.routes.ts';
import { createJobChanges } from './routes/log-stream.ts';
import { recordsRoutes } from './routes/records.routes.ts';
import type { Runner } from './runners/runner.ts';
import { createAdapterFiles } from './serve/adapter-files.ts';
import { listRegistryJobs } from './serve/served-jobs.store.ts';
import { createServedJobs, type ServedJobs } from './serve/trained-models.ts';
import { draftsName } from './supervise/attempt-folder.ts';
import { baseWeightsOf } from './supervise/base-weights.ts';
import { createDeployments, type DeployTo } from './supervise/deployments.ts';
import { createSnapshots } from './supervise/snapshots.ts';
import { createSupervisor } from './supervise/supervisor.ts';

export type TrainingOptions = {
  database: Database;
  cursors: CursorCodec;
  models: ModelsService;
  datasets: Datasets;
  onCharge: (accountId: string) => void;
  objects: ObjectStore;
  encoder: ExampleEncoder;
  probe: AdapterProbe;
  runner: Runner;
  dataDir: string;
  /** Total size of the adapters that are cached as files in it. */
  adapterFileBytes: number;
  instanceId: string;
  log: Log;
  slots: number;
  maxActiveJobs: number;
  checkpointDays: number;
  /** Without a heartbeat for so long, another server takes a job. */
  leaseSeconds: number;
  checkpointSeconds: number;
};

export type Training = {
  routes: (app: FastifyInstance) => Promise<void>;
  /** Keeps its project out of the archive. */
  work: CancelableWork;
  served: ServedJobs;
  finishedJobs: FinishedJobs;
  overview: (query: { accountId: string; since: Date }) => ReturnType<typeof readTrainingOverview>;
  /** @param deploy points the alias of a job at it once it has succeeded. */
  start: (deploy: DeployTo) => void;
  /** Releases the jobs that run; they go on later, or elsewhere. */
  stop: () => Promise<void>;
  /** Trainers have ended when it resolves, whatever became of `stop`. */
  closeRunner: () => Promise<void>;
};

export function createTraining(options: TrainingOptions): Training {
  const { database, models, objects, runner, log, dataDir } = options;
  const changes = createJobChanges();
  const files = createAdapterFiles({ objects, folder: join(dataDir, 'adapters'), maxBytes: options.adapterFileBytes });
  const served = createServedJobs({ sql: database, files, objects });
  let deployTo: DeployTo = async () => {};
  const deployments = createDeployments(database, () => deployTo);
  const root = join(dataDir, 'training');
  const { leaseSeconds, checkpointSeconds, slots, checkpointDays } = options;
  const supervisor = createSupervisor({
    database,
    objects,
    runner,
    log,
    slots,
    root,
    instanceId: options.instanceId,
    makeSnapshot: createSnapshots({ ...options, draftFolder: join(root, draftsName) }),
    weightsOf: (job) => baseWeightsOf(models, job),
    publish: createPublisher({ objects, probe: options.probe, models }),
    deploy: deployments.deploy,
    onChange: changes.notify,
    onCharge: options.onCharge,
    timing: { leaseSeconds, heartbeatMs: Math.min(1_500, leaseSeconds * 100), batchMs: 200, checkpointSeconds },
  });
  const { deployDue } = deployments;
  const maintenance = createTrainingMaintenance({ database, objects, checkpointDays, root, deployDue, runner, log });
  return {
    routes: async (app) => {
      await app.register(jobsRoutes({ ...options, wake: supervisor.wake }));
      await app.register(recordsRoutes({ ...options, changes }));
    },
    work: {
      kind: 'training_jobs',
      countRunning: countLiveJobs,
      cancelAll: ({ id }) => cancelJobsIn(database, id),
    },
    served,
    finishedJobs: { list: (filter, page) => listRegistryJobs(database, filter, page) },
    overview: (query) => readTrainingOverview(database, query),
    start(deploy) {
      deployTo = deploy;
      maintenance.start();
      if (slots > 0) supervisor.start();
    },
    async stop() {
      await Promise.all([supervisor.stop(), runner.close()]);
      await maintenance.stop();
    },
    closeRunner: runner.close,
  };
}
