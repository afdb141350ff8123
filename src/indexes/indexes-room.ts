import type { FastifyInstance } from 'fastify';
import type { Calls } from '#calls';
import { type Datasets, findVersion, streamVersion } from '#datasets';
import type { Database } from '#db';
import type { Engine } from '#engine';
import type { Jobs } from '#jobs';
import type { Clock, CursorCodec } from '#kernel';
import type { ModelsService } from '#models';
import type { CancelableWork } from '#projects';
import { createBackground } from './background.ts';
import { createBuildTask } from './building/build-task.ts';
import { createCancelBuilds } from './cancel-builds.ts';
import { createCleanUp } from './clean-up.ts';
import { boundOfBuild, describeBound, digestOf, type IndexedModels } from './create-index.ts';
import { removeIndexesOf } from './deleted-projects.ts';
import { indexesRoutes } from './indexes.routes.ts';
import { countBuilding, type Digests } from './indexes.store.ts';
import { createKnownAnswers } from './mining/known-answers.ts';
import { miningRoutes } from './mining/mining.routes.ts';
import { searchRoutes } from './search/search.routes.ts';
import { createScanner } from './vectors/scanner.ts';
import { createVectorFiles } from './vectors/vector-files.ts';

export type IndexesOptions = {
  database: Database;
  cursors: CursorCodec;
  clock: Clock;
  /** Not started yet: builds are tasks of it. */
  jobs: Jobs;
  models: ModelsService;
  trainedModels: IndexedModels;
  engine: Engine;
  calls: Calls;
  datasets: Datasets;
  environment: Readonly<Record<string, string | undefined>>;
  /** Keeps vectors as files; what is in it can be made anew. */
  folder: string;
  maxFileBytes: number;
  maxDocuments: number;
};

/** Vector indexes over dataset versions: search, hard negatives, and how well models find. */
export function createIndexes(options: IndexesOptions) {
  const { database, engine, models, calls, datasets, folder, environment, maxFileBytes } = options;
  const scanner = createScanner(environment);
  const files = createVectorFiles({ sql: database, folder, maxBytes: maxFileBytes });
  const search = { sql: database, scanner, files };
  const digests = () => digestsOf(models);
  const answers = createKnownAnswers({ examplesOf: (version) => streamVersion(database, version) });
  const cleanUp = createCleanUp({ ...options, files });
  const buildTask = createBuildTask({
    ...options,
    search,
    digestOf: (id) => digests()[id] ?? null,
    embed: createBackground({ ...options, models: () => models.engineModels().map(({ id }) => id) }),
    costOf: async (build) => {
      const version = await findVersion(database, { projectId: build.projectId, id: build.versionId });
      if (!version) throw new Error(`The version of ${build.id} is not there. This is a bug.`);
      const boundMicro = boundOfBuild({ engine }, { version, index: build });
      return { boundMicro, describe: describeBound(boundMicro) };
    },
  });
  const paid = { sql: database, calls, pace: engine.throughput };
  const { maxIndexes } = datasets.limits;
  return {
    routes: async (app: FastifyInstance): Promise<void> => {
      await app.register(indexesRoutes({ ...options, buildTask, maxIndexes, digests, cleanUp: cleanUp.enqueue }));
      await app.register(searchRoutes({ ...options, ...search, paid, digests }));
      await app.register(miningRoutes({ ...options, ...search, answers, paid, digests }));
    },
    /** Removes what is stored of the indexes of a deleted project. */
    removal: removeIndexesOf({ database, files }),
    /** Keeps its project out of the archive. */
    work: {
      kind: 'dataset_indexes',
      countRunning: countBuilding,
      cancelAll: createCancelBuilds({ database, digests, cleanUp: cleanUp.enqueue }),
    } satisfies CancelableWork,
    start: async (): Promise<void> => {
      await cleanUp.resume();
      await buildTask.resume();
    },
    stop: scanner.stop,
  };
}

function digestsOf(models: ModelsService): Digests {
  return Object.fromEntries(
    models.baseModels().flatMap((model) => {
      const digest = digestOf(model);
      return digest === null ? [] : [[model.id, digest] as const];
    }),
  );
}
