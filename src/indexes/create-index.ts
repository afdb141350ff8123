import { actorOf } from '#activity';
import { balanceOf } from '#billing';
import { chargeOf, tooFewCredits } from '#calls';
import { type DatasetVersion, findVersion } from '#datasets';
import type { Sql } from '#db';
import type { Engine } from '#engine';
import type { Principal } from '#http';
import { fault, formatCredits, isId, type Micro, newId } from '#kernel';
import {
  type BaseModel,
  findHostedModel,
  indexRateOf,
  type ModelsService,
  resolveModel,
  type ServedModel,
  type TrainedModel,
  type TrainedModels,
} from '#models';
import type { ProjectSeen } from '#projects';
import type { BuildTask } from './building/build-task.ts';
import { countStored, insertIndex, type NewIndex } from './indexes.store.ts';

/** Where indexes learn about training jobs. */
export type IndexedModels = TrainedModels & {
  /** The finished job of the account that a name stands for; null: none. */
  ofAccount: (query: {
    requested: string;
    alias: { targetType: string; targetId: string } | null;
    accountId: string;
  }) => Promise<TrainedModel | null>;
};

export type CreateIndexDeps = {
  models: ModelsService;
  engine: Pick<Engine, 'status' | 'throughput'>;
  buildTask: Pick<BuildTask, 'enqueue'>;
  trainedModels: IndexedModels;
  maxIndexes: number;
};

export type IndexRequest = {
  versionId: string;
  model: string;
  project: ProjectSeen;
  principal: Principal;
  requestId: string;
};

/** Records an index that is to be built in the background; gives its id. The caller owns the project. */
export async function createIndex(tx: Sql, deps: CreateIndexDeps, request: IndexRequest): Promise<string> {
  const { project } = request;
  if (project.kind !== 'embedding') throw fault('kind_mismatch', { message: 'Indexes belong to embedding projects.' });
  const version = await versionOf(tx, request);
  const index = describe(deps, { request, version, ...(await servedModel(tx, deps, request)) });
  await refuseTooMany(tx, project.id, deps.maxIndexes);
  const boundMicro = boundOfBuild(deps, { version, index });
  const { availableMicro: available } = await balanceOf(tx, project.accountId);
  if (available < boundMicro) throw tooFewCredits('This index', { required: boundMicro, available });
  await insertIndex(tx, index);
  await deps.buildTask.enqueue(tx, index.id);
  return index.id;
}

async function refuseTooMany(tx: Sql, projectId: string, limit: number): Promise<void> {
  const actual = await countStored(tx, projectId);
  if (actual < limit) return;
  throw fault('state_conflict', {
    message: `The project has ${actual} indexes and may have ${limit}. Delete one first.`,
    details: { reason: 'max_indexes', limit, actual },
  });
}

async function versionOf(tx: Sql, { versionId, project }: IndexRequest): Promise<DatasetVersion> {
  const version = isId('dsv', versionId) ? await findVersion(tx, { projectId: project.id, id: versionId }) : null;
  if (!version) throw fault('not_found', { message: 'There is no such version in this project.', param: 'version_id' });
  if (version.trainCount + version.testCount === 0)
    throw fault('state_conflict', {
      message: 'This version has no examples, so there is nothing to find.',
      details: { reason: 'no_examples' },
    });
  return version;
}

/** What embeds, and the job whose adapter is in it; null: none. */
type Served = { served: ServedModel; trained: TrainedModel | null };

async function servedModel(
  tx: Sql,
  { models, engine, trainedModels }: CreateIndexDeps,
  { model, project }: IndexRequest,
): Promise<Served> {
  const alias = await findHostedModel(tx, project.id, model);
  const trained = await trainedModels.ofAccount({ requested: model, alias, accountId: project.accountId });
  const served = resolveModel({
    requested: model,
    alias,
    trained,
    isOwner: true,
    isShared: false,
    baseModels: { find: models.findKnown },
    etaMs: (id) => engine.status(id).etaMs,
  });
  if (served.baseModel.kind !== 'embedding')
    throw fault('kind_mismatch', { message: `The model ${JSON.stringify(model)} does not embed.`, param: 'model' });
  return { served, trained };
}

type Described = Served & { request: IndexRequest; version: DatasetVersion };

function describe({ models }: CreateIndexDeps, { request, version, served, trained }: Described): NewIndex {
  const { project, principal, requestId, model } = request;
  const { baseModel, revision, queryInstruction, limits, target } = served;
  const { dimensions } = baseModel;
  const baseModelSha256 = digestOf(baseModel);
  if (dimensions === null || baseModelSha256 === null)
    throw new Error(`${baseModel.id} is served and does not embed. This is a bug.`);
  return {
    id: newId('idx'),
    projectId: project.id,
    datasetId: version.datasetId,
    versionId: version.id,
    accountId: project.accountId,
    model,
    modelRevision: revision,
    baseModelId: baseModel.id,
    baseModelSha256,
    trainingJobId: target.adapter ? (trained?.jobId ?? null) : null,
    adapterSha256: target.adapter?.sha256 ?? null,
    queryInstruction,
    maxInputTokens: limits.maxInputTokens,
    dimensions,
    rateMicroPerMinute: indexRateFor(models, served),
    queryRateMicroPerMinute: served.rateMicroPerMinute,
    priceVersion: served.priceVersion,
    createdBy: actorOf(principal),
    keyId: principal.keyId,
    keyName: principal.keyName,
    requestId,
  };
}

/** What tells the files of a base model apart. Of what only a remote engine has, nothing is known; null: nothing serves it. */
export function digestOf({ installed, isRemote = false }: Pick<BaseModel, 'installed' | 'isRemote'>): string | null {
  return installed?.sha256 ?? (isRemote ? 'remote' : null);
}

/** Where the price list has no rate of its own for indexes, an alias keeps the rate that was frozen for it. */
function indexRateFor(models: ModelsService, { baseModel, rateMicroPerMinute }: ServedModel): Micro {
  const listed = indexRateOf(models, baseModel);
  return listed === null || listed === baseModel.rateMicroPerMinute ? rateMicroPerMinute : listed;
}

// A long run is near the average pace, unlike a call.
const slowdown = 3;
const startMs = 5_000;
/** Tokens around each text. */
const frameTokens = 2;

type Bounded = {
  version: Pick<DatasetVersion, 'bytes' | 'tokenStats'>;
  index: Pick<NewIndex, 'baseModelId' | 'rateMicroPerMinute'>;
};

/** The most that a build is charged. Texts that stand in several examples are embedded once, which makes it less. */
export function boundOfBuild({ engine }: Pick<CreateIndexDeps, 'engine'>, { version, index }: Bounded): Micro {
  // Where nothing counted: a token has at least one byte.
  const { total } = version.tokenStats;
  const tokens = total > 0 ? total * frameTokens : Number(version.bytes);
  const expectedMs = tokens * engine.throughput(index.baseModelId).prefillMsPerToken;
  return index.rateMicroPerMinute === 0n ? 0n : chargeOf(slowdown * expectedMs + startMs, index.rateMicroPerMinute);
}

export function describeBound(boundMicro: Micro) {
  return (available: Micro) =>
    `The build may cost up to ${formatCredits(boundMicro)} credits; ${formatCredits(available)} are available.`;
}
