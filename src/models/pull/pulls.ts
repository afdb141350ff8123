import type { Database, Sql } from '#db';
import type { ModelPlanner } from '#engine';
import { defineTask, type Jobs, type TaskRun } from '#jobs';
import {
  type CursorCodec,
  createIntervalTask,
  fault,
  type ListPage,
  type Log,
  newId,
  type PageRequest,
  readListPage,
} from '#kernel';
import { ModelBusyError, ModelError } from '../model-error.ts';
import type { ModelsService } from '../models-service.ts';
import { pullModel } from './pull-model.ts';
import { findTarget } from './pull-target.ts';
import { findWeightsSource, pullWeights } from './pull-weights.ts';
import {
  beginPull,
  cancelPull,
  countPulls,
  endPull,
  findLivePull,
  findPull,
  insertPull,
  listPulls,
  type ModelPull,
  type PullEnd,
  type PullProgress,
  updatePullProgress,
} from './pulls.store.ts';
import { type HubAccess, hubAddress } from './transfer-options.ts';

/** Lends a planner of this process for some work. */
export type UsePlanner = <Result>(work: (planner: ModelPlanner) => Promise<Result>) => Promise<Result>;

export type { ModelPull } from './pulls.store.ts';

export type PullRequest = Pick<ModelPull, 'model' | 'modelId' | 'isWeights' | 'isForced'> & { createdBy: string };

/** Pulls in the background: they outlive the request, and a process that dies leaves them to another one. */
export type ModelPulls = {
  /** The same that is in flight already is that pull. Throws `ModelError` for what names no model. */
  request: (request: PullRequest) => Promise<{ pull: ModelPull; isNew: boolean }>;
  list: (page: PageRequest) => Promise<ListPage<ModelPull>>;
  /** Throws `not_found`. */
  find: (id: string) => Promise<ModelPull>;
  /** What was fetched stays for the next pull. Throws `not_found`. */
  cancel: (id: string) => Promise<ModelPull>;
};

export type ModelPullsOptions = {
  database: Database;
  cursors: CursorCodec;
  jobs: Jobs;
  models: ModelsService;
  hub: Pick<HubAccess, 'endpoint' | 'token' | 'retryDelaysMs'>;
  usePlanner: UsePlanner;
  log: Log;
};

/** A large model takes hours, and servers may be updated meanwhile: each end of a process counts as an attempt. */
const pullTask = defineTask<{ pullId: string }>('models.pull', { retries: 1_000 });
const progressEveryMs = 1_000;

export function createModelPulls(options: ModelPullsOptions): ModelPulls {
  const { database, cursors, jobs, models } = options;
  jobs.handle(pullTask, ({ pullId }, run) => runPull(options, pullId, run));

  return {
    async request(request) {
      const { model, modelId, isWeights } = request;
      const named = modelId === null ? { model } : { model, id: modelId };
      if (isWeights) findWeightsSource(models, model);
      else findTarget(models, named, hubAddress(options.hub.endpoint));
      return database.transaction((tx) => requestPull(tx, jobs, request));
    },
    list: (page) =>
      readListPage({ cursors, scope: ['model-pulls'] }, page, {
        list: (part) => listPulls(database, part),
        count: () => countPulls(database),
      }),
    find: async (id) => required(await findPull(database, id)),
    cancel: async (id) => required(await cancelPull(database, id)),
  };
}

function required(pull: ModelPull | null): ModelPull {
  if (pull) return pull;
  throw fault('not_found', { message: 'There is no such pull.' });
}

async function requestPull(tx: Sql, jobs: Jobs, request: PullRequest): Promise<{ pull: ModelPull; isNew: boolean }> {
  const pull = await insertPull(tx, { id: newId('pul'), ...request });
  if (pull) {
    await jobs.enqueue(tx, pullTask, { pullId: pull.id });
    return { pull, isNew: true };
  }
  // It may have ended since.
  const live = await findLivePull(tx, request);
  return live ? { pull: live, isNew: false } : requestPull(tx, jobs, request);
}

async function runPull(options: ModelPullsOptions, id: string, run: TaskRun): Promise<void> {
  const { database, log } = options;
  const pull = await beginPull(database, id);
  // Null as well where it was canceled while its process died.
  if (!pull) return endPull(database, id, { state: 'canceled' });
  const end = await fetchPull(options, pull, run);
  options.models.refresh();
  await endPull(database, id, end);
  log.info({ pull: id, model: pull.model, state: end.state }, 'model pull ended');
}

/** Rejects where another attempt shall go on. */
async function fetchPull(options: ModelPullsOptions, pull: ModelPull, { signal }: TaskRun): Promise<PullEnd> {
  const { database, log } = options;
  const canceled = new AbortController();
  const progress: PullProgress = { phase: null, receivedBytes: 0n, totalBytes: null, bytesPerSecond: 0n, note: null };
  const write = async () => {
    if (!(await updatePullProgress(database, pull.id, progress))) canceled.abort();
  };
  const writing = createIntervalTask({
    pauseMs: progressEveryMs,
    first: 'at once',
    work: write,
    onError: (err) => log.warn({ err, pull: pull.id }, 'progress of a model pull was not written'),
  });
  writing.start();
  try {
    const access: HubAccess = {
      ...options.hub,
      signal: AbortSignal.any([signal, canceled.signal]),
      onNote: (line) => {
        progress.note = line;
      },
      onProgress: ({ phase, receivedBytes, totalBytes, bytesPerSecond }) => {
        progress.phase = phase;
        progress.receivedBytes = BigInt(receivedBytes);
        progress.totalBytes = BigInt(totalBytes);
        progress.bytesPerSecond = BigInt(Math.round(bytesPerSecond));
      },
    };
    const baseModelId = await fetchModel(options, pull, access);
    await write();
    return { state: 'succeeded', baseModelId };
  } catch (error) {
    if (signal.aborted || error instanceof ModelBusyError) throw error;
    if (canceled.signal.aborted) return { state: 'canceled' };
    if (error instanceof ModelError) return { state: 'failed', error: error.requestMessage };
    throw error;
  } finally {
    await writing.stop();
  }
}

async function fetchModel(
  { models, usePlanner }: ModelPullsOptions,
  { model, modelId, isWeights, isForced: force }: ModelPull,
  access: HubAccess,
): Promise<string> {
  if (isWeights) return (await pullWeights(models, { ...access, id: model, force })).id;
  const id = modelId === null ? {} : { id: modelId };
  const onChosen = access.onNote;
  const { id: installed } = await usePlanner((planner) =>
    pullModel(models, { ...access, ...id, model, force, planner, onChosen }),
  );
  return installed;
}
