import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countCallsByAccount } from '#billing';
import { createDatasets, createImports, type DatasetLimits } from '#datasets';
import { createAdapterProbe, createExampleEncoder } from '#engine';
import { createFeedback } from '#feedback';
import { createIndexes } from '#indexes';
import { createHosting, createModelPulls } from '#models';
import { createTraining, openRunner } from '#training';
import type { Config } from '../config.ts';
import type { Accounting } from './accounting.ts';
import type { Engines } from './engines.ts';
import type { Infrastructure } from './infrastructure.ts';
import { objectLocationOf } from './object-store.ts';

export type Resources = ReturnType<typeof openResources>;

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
  const encoder = createExampleEncoder(engines.forChildren);
  const training = createTraining({
    database,
    cursors,
    models,
    datasets,
    objects,
    instanceId,
    log,
    encoder,
    onCharge: (accountId) => credits.changed.add(accountId),
    probe: createAdapterProbe(engines.forChildren),
    dataDir: config.dataDir,
    slots: works ? config.trainingSlots : 0,
    runner: openRunner(config, works && config.trainingSlots > 0),
    adapterFileBytes: config.adapterFileBytes,
    maxActiveJobs: config.maxActiveTrainingJobs,
    checkpointDays: config.trainingCheckpointDays,
    checkpointSeconds: config.trainingCheckpointSeconds,
    leaseSeconds: config.trainingLeaseSeconds,
  });
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
    objectLocation: objectLocationOf(config),
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
  const { usePlanner } = engines;
  const pulls = createModelPulls({ database, cursors, jobs, models, hub: hubOf(config), usePlanner, log });
  return { pulls, datasets, training, closeEncoder: encoder.close, hosting, imports, feedback, indexes };
}

export const hubOf = ({ hubEndpoint: endpoint, hubToken: token }: Config) => ({ endpoint, token });

function datasetLimitsOf(config: Config): DatasetLimits {
  const { maxDatasets, maxExamplesPerDataset, maxVersionsPerDataset, maxIndexes } = config;
  const { maxImportBytes, maxImportRows, minTrainingExamples } = config;
  const counts = { maxDatasets, maxExamplesPerDataset, maxVersionsPerDataset, maxIndexes };
  return { ...counts, maxImportBytes, maxImportRows, minTrainingExamples };
}
