import type { FastifyInstance } from 'fastify';
import type { Database } from '#db';
import type { PublicUrl } from '#http';
import type { Jobs } from '#jobs';
import type { Clock, CursorCodec } from '#kernel';
import { createActivations, type HostedDeps } from './hosted-activation.ts';
import type { LoadCheckEngine } from './hosted-load-check.ts';
import { hostedModelsRoutes } from './hosted-models.routes.ts';
import { findHostedModel, type HostedModel } from './hosted-models.store.ts';
import { activateHostedModel, changeHostedModel, createHostedModel } from './hosted-models.ts';
import { authorizeDeployment } from './hosted-scope.ts';
import { type FinishedJobs, noFinishedJobs, type TrainedJobs, type TrainedModels } from './hosted-target.ts';
import { createModelUsage, type ModelUsage } from './hosted-usage.ts';
import { modelRegistryRoutes } from './model-registry.routes.ts';
import type { ModelsService } from './models-service.ts';
import { sharesRoutes } from './shares.routes.ts';
import type { CountCalls } from './shares.ts';

export type HostingOptions = {
  database: Database;
  cursors: CursorCodec;
  publicUrl: PublicUrl;
  clock: Clock;
  models: ModelsService;
  trainedModels: TrainedModels & TrainedJobs;
  finishedJobs?: FinishedJobs;
  engine: LoadCheckEngine;
  /** Not started yet: load checks are tasks of it. */
  jobs: Pick<Jobs, 'handle' | 'enqueue'>;
  countCalls: CountCalls;
};

/** What projects host: the aliases with their load checks, revisions and shares, and the registry of all of them. */
export type Hosting = {
  routes: (app: FastifyInstance) => Promise<void>;
  usage: ModelUsage;
  deploy: (deployment: NewDeployment) => Promise<void>;
  /** Goes on with load checks that ended with an earlier process. After the start of `jobs`. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

export function createHosting(options: HostingOptions): Hosting {
  const { database, clock, engine, jobs, models, trainedModels, finishedJobs = noFinishedJobs } = options;
  const targets = { models, trainedModels };
  const usage = createModelUsage({ sql: database, clock });
  const activations = createActivations({ database, jobs, engine, targets, clock });
  const deps = { ...options, targets, activations, finishedJobs };
  return {
    routes: async (app) => {
      await app.register(hostedModelsRoutes(deps));
      await app.register(sharesRoutes(deps));
      await app.register(modelRegistryRoutes(deps));
    },
    usage,
    deploy: async (deployment) => void (await deployJob(deps, deployment)),
    start: async () => {
      usage.start();
      await activations.resume();
    },
    stop: usage.stop,
  };
}

export type NewDeployment = {
  accountId: string;
  ownerSlug: string;
  projectSlug: string;
  alias: string;
  jobId: string;
  activate: boolean;
};

/**
 * Puts a training job behind an alias in the name of its owner: a new one, or one that is there and then has a new revision.
 * Throws what the routes for the same would.
 */
async function deployJob(deps: HostedDeps, deployment: NewDeployment): Promise<HostedModel> {
  const scope = await authorizeDeployment(deps.database, deployment);
  const { alias, jobId, activate } = deployment;
  const target = { type: 'training_job', id: jobId } as const;
  const existing = await findHostedModel(deps.database, scope.project.id, alias);
  if (!existing) {
    const visibility = 'private' as const;
    return createHostedModel(deps, scope, { alias, target, displayName: null, visibility, activate });
  }
  const update = { displayName: null, visibility: null, target };
  const changed = await changeHostedModel(deps, scope, { id: existing.id, update });
  return activate ? activateHostedModel(deps, scope, changed.id) : changed;
}
