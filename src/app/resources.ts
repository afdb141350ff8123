import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countCallsByAccount } from '#billing';
import { createDatasets, createImports } from '#datasets';
import { createFeedback } from '#feedback';
import { createIndexes } from '#indexes';
import { createHosting } from '#models';
import { datasetLimitsOf } from '../settings/dataset-settings.ts';
import { openTraining } from '../settings/job-settings.ts';
import { objectPlaceOf } from '../settings/object-settings.ts';
import type { Accounting } from './accounting.ts';
import type { Engines } from './engines.ts';
import type { Infrastructure } from './infrastructure.ts';

export type Resources = ReturnType<typeof openResources>;

/** The rooms of what belongs to projects: datasets, training, hosted models, imports, feedback and indexes. */
export function openResources(infrastructure: Infrastructure, engines: Engines, { credits, calls }: Accounting) {
  const { config, database, log, works, clock, cursors, publicUrl, objects, jobs, instanceId } = infrastructure;
  const { models, engine, tokenCounter } = engines;
  const datasets = createDatasets({
    database,
    cursors,
    jobs,
    models,
    tokenCounter,
    limits: datasetLimitsOf(config),
  });
  const { training, close: closeEncoder } = openTraining(
    config,
    { database, cursors, models, datasets, objects, instanceId, log, onCharge: credits.touch, works },
    engines.forChildren,
  );
  const hosting = createHosting({
    database,
    cursors,
    publicUrl,
    clock,
    models,
    engine,
    jobs,
    finishedJobs: training.finishedJobs,
    trainedModels: training.served,
    countCalls: countCallsByAccount,
  });
  const imports = createImports({
    database,
    cursors,
    publicUrl,
    objects,
    jobs,
    log,
    limits: datasets.limits,
    environment: config.environment,
    objectPlace: objectPlaceOf(config),
    tempDir: join(tmpdir(), 'fanfold-imports'),
    counting: () => ({ baseModels: models.baseModels(), engineModels: models.engineModels() }),
  });
  const feedback = createFeedback({
    database,
    cursors,
    clock,
    datasets,
    models,
    log,
    retentionDays: config.feedbackRetentionDays,
  });
  const indexes = createIndexes({
    database,
    cursors,
    clock,
    jobs,
    models,
    engine,
    calls,
    datasets,
    environment: config.environment,
    trainedModels: training.served,
    folder: join(config.dataDir, 'indexes'),
    maxFileBytes: config.indexFileBytes,
    maxDocuments: config.maxIndexDocuments,
  });
  return { datasets, training, closeEncoder, hosting, imports, feedback, indexes };
}
