import type { FastifyInstance } from 'fastify';
import type { Database } from '#db';
import type { PublicUrl } from '#http';
import type { Jobs } from '#jobs';
import type { Clock, CursorCodec } from '#kernel';
import { createActivations } from './hosted-activation.ts';
import type { LoadCheckEngine } from './hosted-load-check.ts';
import { hostedModelsRoutes } from './hosted-models.routes.ts';
import type { TrainedModels } from './hosted-trained.ts';
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
  trainedModels: TrainedModels;
  engine: LoadCheckEngine;
  /** Not started yet: load checks are tasks of it. */
  jobs: Pick<Jobs, 'handle' | 'enqueue'>;
  countCalls: CountCalls;
};

/** What projects host: the aliases with their load checks, revisions and shares, and the registry of all of them. */
export type Hosting = {
  routes: (app: FastifyInstance) => Promise<void>;
  usage: ModelUsage;
  /** Goes on with load checks that ended with an earlier process. After the start of `jobs`. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

export function createHosting(options: HostingOptions): Hosting {
  const { database, clock, engine, jobs, models, trainedModels } = options;
  const targets = { models, trainedModels };
  const usage = createModelUsage({ sql: database, clock });
  const activations = createActivations({ database, jobs, engine, targets, clock });
  const deps = { ...options, targets, activations };
  return {
    routes: async (app) => {
      await app.register(hostedModelsRoutes(deps));
      await app.register(sharesRoutes(deps));
      await app.register(modelRegistryRoutes(deps));
    },
    usage,
    start: async () => {
      usage.start();
      await activations.resume();
    },
    stop: usage.stop,
  };
}
