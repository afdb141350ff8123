import { randomBytes } from 'node:crypto';
import type { Calls, OpenCall } from '#calls';
import { findVersion, streamVersion } from '#datasets';
import type { Sql } from '#db';
import { defineTask, type Jobs, type TaskRun } from '#jobs';
import { Fault, isStorageFull, isUnavailableFault } from '#kernel';
import type { TrainedModels } from '#models';
import type { Embedder } from '../embedding.ts';
import { type BuildCost, endWithFailure, endWithSuccess } from '../ending.ts';
import { evaluate } from '../evaluation/evaluate.ts';
import { corpusOf, type SearchDeps } from '../index-corpus.ts';
import { openEmbedder } from '../open-embedder.ts';
import {
  accountOfIndex,
  type Build,
  beginBuild,
  listUnfinished,
  type Measurement,
  returnTry,
  updateBuild,
} from './build.store.ts';
import { BuildFailure, BuildSuperseded } from './build-end.ts';
import { collectDocuments } from './collect.ts';
import { type BuildDeps, embedDocuments } from './embed-documents.ts';

export type BuildTaskOptions = BuildDeps & {
  jobs: Pick<Jobs, 'handle' | 'enqueue'>;
  calls: Pick<Calls, 'open' | 'void'>;
  search: SearchDeps;
  costOf: (build: Build) => Promise<BuildCost>;
  trainedModels: TrainedModels;
  /** SHA-256 of the base model as it is installed now; null: it is not. */
  digestOf: (baseModelId: string) => string | null;
  maxDocuments: number;
};

export type BuildTask = ReturnType<typeof createBuildTask>;

/** A build that takes the server with it as often as this, without getting on, is given up. */
const triesAtMost = 4;
/** Queries that an evaluation asks at most; a mean over more would hardly be another one. */
const maxQueries = 2_000;

/** As long as a full disk or an outage may last: a try a minute, for a day. What fails otherwise ends by `triesAtMost`. */
const task = defineTask<{ indexId: string }>('indexes.build', { concurrency: 2, retries: 1_440 });

/** Builds in the background. What is to be built stands in the index itself; the queue only says when. */
export function createBuildTask(options: BuildTaskOptions) {
  const { database, jobs } = options;
  const enqueue = async (sql: Sql, indexId: string) => {
    const accountId = await accountOfIndex(sql, indexId);
    if (accountId !== null) await jobs.enqueue(sql, task, { indexId }, { key: indexId, accountId });
  };
  jobs.handle(task, ({ indexId }, run) => buildIndex(options, indexId, run));
  return {
    enqueue,
    /** Asks again for every build that has not ended: after a start, whatever became of the process before. */
    resume: async (): Promise<void> => {
      for (const id of await listUnfinished(database)) await enqueue(database, id);
    },
  };
}

/** One attempt. It goes on where the one before was; of two at once the later one goes on, and the other ends. */
export async function buildIndex(
  options: BuildTaskOptions,
  indexId: string,
  run: Pick<TaskRun, 'signal' | 'isLastAttempt'>,
): Promise<void> {
  const { database, calls } = options;
  const lease = `build_${randomBytes(12).toString('hex')}`;
  const build = await beginBuild(database, { id: indexId, lease });
  if (!build) return;
  const target = { accountId: build.accountId, project: null, model: build.model, key: null };
  const call = calls.open({ id: lease, operation: 'dataset_indexes.create', target });
  try {
    await attempt(options, { build, call, signal: run.signal });
  } catch (error) {
    if (error instanceof BuildSuperseded) return await returnTry(database, { id: build.id, lease: null });
    // An outage or a full disk takes no server with it.
    const isOutage = isUnavailableFault(error) || isStorageFull(error);
    if (run.signal.aborted || (isOutage && !run.isLastAttempt)) await returnTry(database, build);
    else {
      const isLast = run.isLastAttempt || build.tries >= triesAtMost;
      const failure = failureOf(error) ?? (isLast ? unknownFailure : null);
      if (failure) return void (await endWithFailure(database, build, failure));
    }
    throw error;
  } finally {
    await call.close();
  }
}

async function attempt(
  options: BuildTaskOptions,
  { build, call, signal }: { build: Build; call: OpenCall; signal: AbortSignal },
): Promise<void> {
  const { database, trainedModels, digestOf, maxDocuments } = options;
  if (build.tries > triesAtMost)
    throw new BuildFailure('worker_lost', `The server ended ${triesAtMost} times while it built this index.`);
  if (digestOf(build.baseModelId) !== build.baseModelSha256)
    throw new BuildFailure(
      'model_changed',
      `The model ${build.baseModelId} was removed or replaced. Build the index anew.`,
    );
  const version = await findVersion(database, { projectId: build.projectId, id: build.versionId });
  if (!version) throw new Error(`The version of ${build.id} is not there. This is a bug.`);
  await holdCredits(options, build, call);
  const lease = { id: build.id, lease: build.lease };
  let { documents } = build;
  if (documents === null) {
    documents = await collectDocuments({ database, lease, version, maxDocuments, signal });
    if (!(await updateBuild(database, lease, { phase: 'embedding', documents }))) throw new BuildSuperseded();
  }
  const embedder = await openEmbedder(trainedModels, build);
  await embedDocuments(options, { build, embedder, documents, signal });
  const measured = await measure(options, { build, embedder, documents, version, signal });
  await endWithSuccess(database, build, measured);
}

async function holdCredits({ database, calls, costOf }: BuildTaskOptions, build: Build, call: OpenCall): Promise<void> {
  const { boundMicro, describe } = await costOf(build);
  // Credits that a dead server still holds for this build would reduce what is available, so they are released first; if that
  // server still lives, it has lost the lease.
  if (build.formerLease !== null) await calls.void(build.formerLease);
  const begun = await call.begin({ keyId: null, heldMicro: boundMicro, limits: null, idempotency: null });
  if (begun.state === 'insufficient') throw new BuildFailure('insufficient_credits', describe(begun.availableMicro));
  if (!(await updateBuild(database, build, { heldMicro: boundMicro }))) throw new BuildSuperseded();
}

type Measuring = {
  build: Build;
  embedder: Embedder;
  documents: number;
  version: NonNullable<Awaited<ReturnType<typeof findVersion>>>;
  signal: AbortSignal;
};

/** How well the model finds the positives of the test split among all documents. */
async function measure(
  options: BuildTaskOptions,
  { build, embedder, documents, version, signal }: Measuring,
): Promise<Measurement> {
  const { database, embed, search } = options;
  if (version.testCount === 0 || documents === 0) return null;
  if (!(await updateBuild(database, build, { phase: 'evaluating' }))) throw new BuildSuperseded();
  const { id, dimensions } = build;
  const spent = { promptTokens: 0, activeMs: 0 };
  const metrics = await evaluate({
    examplesOf: (split) => streamVersion(database, version, { split }),
    split: 'test',
    corpus: corpusOf(search, { id, dimensions, documents }),
    maxQueries,
    embedQueries: async (texts) => {
      const request = { embedder, role: 'query', texts, truncate: true, signal } as const;
      const { vectors, promptTokens, activeMs } = await embed(request);
      spent.promptTokens += promptTokens;
      spent.activeMs += activeMs;
      return vectors;
    },
    // A cancellation is seen here.
    onProgress: async () => {
      if (!(await updateBuild(database, build, { phase: 'evaluating' }))) throw new BuildSuperseded();
    },
  });
  return { metrics, ...spent };
}

const unknownFailure = { code: 'internal_error', message: 'Something went wrong on our side, several times.' };

/** Why trying again would not help; null: it may. */
function failureOf(error: unknown): { code: string; message: string } | null {
  if (error instanceof BuildFailure) return { code: error.code, message: error.message };
  if (error instanceof Fault && error.row.status < 500) return { code: error.row.code, message: error.message };
  return null;
}
