import type { FastifyInstance } from 'fastify';
import type { Database } from '#db';
import type { Engine, GpuSelector } from '#engine';
import { pageOf, plainPageQuery, readPage, type TypeBoxProvider, watchCaller } from '#http';
import { fault } from '#kernel';
import {
  addModel,
  type HubAccess,
  listModels,
  type MemoryPlans,
  type ModelPulls,
  type ModelsService,
  previewPull,
  removeModel,
  searchHub,
  setModel,
  showModel,
  type UsePlanner,
} from '#models';
import { foundToWire, pullBody, pullToWire, searchQuery, variantsQuery, variantsToWire } from './hub.schema.ts';
import { withModelFaults } from './model-faults.ts';
import { listModelUses } from './model-uses.ts';
import {
  addModelContract,
  cancelPullContract,
  catalogueContract,
  createPullContract,
  listOperatorModelsContract,
  listPullsContract,
  readOperatorModelContract,
  readPullContract,
  removeModelContract,
  searchHubContract,
  setModelContract,
  variantsContract,
} from './models.contract.ts';
import {
  addModelBody,
  catalogueToWire,
  modelDetailsToWire,
  operatorModelToWire,
  removeQuery,
  settingsBody,
} from './models.schema.ts';
import { operatorPath } from './operator-contract.ts';

export type OperatorModelsDeps = {
  database: Database;
  models: ModelsService;
  engine: Pick<Engine, 'status' | 'load'>;
  gpu: Pick<GpuSelector, 'select'>;
  memoryPlans: MemoryPlans;
  usePlanner: UsePlanner;
  pulls: ModelPulls;
  hub: Pick<HubAccess, 'endpoint' | 'token'>;
};

/** Somebody waits for the answer. */
const retryDelaysMs = [1_000];
const modelPath = `${operatorPath}/models/:baseModelId`;
type OfModel = { Params: { baseModelId: string } };

/** Base models of this installation, and those that could be. */
export function operatorModelsRoutes(deps: OperatorModelsDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    addModelRoutes(app, deps);
    addChangeRoutes(app, deps);
    addHubRoutes(app, deps);
    addPullRoutes(app, deps);
  };
}

function addModelRoutes(app: FastifyInstance, deps: OperatorModelsDeps): void {
  const { models, engine, gpu, memoryPlans, usePlanner } = deps;

  app.get(
    `${operatorPath}/models`,
    { config: { operation: 'operator_models.list', contract: listOperatorModelsContract } },
    async () => {
      const listings = listModels(models, await memoryPlans());
      const { chosen } = await gpu.select();
      const memoryBytes = await usePlanner(async (planner) => planner.budgetFor({ device: null }).ram);
      return {
        data: listings.map((listing) =>
          operatorModelToWire(listing, models.find(listing.id) ?? { name: listing.id }, {
            status: engine.status(listing.id),
            load: engine.load(listing.id),
          }),
        ),
        machine: {
          memory_bytes: memoryBytes,
          gpu: chosen && {
            label: chosen.label,
            devices: chosen.devices.names,
            memory_bytes: chosen.devices.totalBytes,
          },
        },
      };
    },
  );

  app.get<OfModel>(
    modelPath,
    { config: { operation: 'operator_models.read', contract: readOperatorModelContract } },
    async ({ params: { baseModelId } }) => showDetails(deps, baseModelId),
  );
}

async function showDetails({ models, usePlanner }: OperatorModelsDeps, id: string) {
  requireModel(models, id);
  return modelDetailsToWire(await withModelFaults(() => usePlanner((planner) => showModel(models, planner, id))));
}

function requireModel(models: ModelsService, id: string): void {
  if (!models.findKnown(id)) throw fault('not_found', { message: 'There is no such model.' });
}

function addChangeRoutes(app: FastifyInstance, deps: OperatorModelsDeps): void {
  const { database, models, usePlanner } = deps;
  const typed = app.withTypeProvider<TypeBoxProvider>();

  typed.post(
    `${operatorPath}/models`,
    { config: { operation: 'operator_models.add', contract: addModelContract }, schema: { body: addModelBody } },
    async ({ body }, reply) => {
      const { id, path: ggufPath, kind, name, rate, replace: force, kv } = body;
      const contextTokens = body.context_tokens ?? undefined;
      const sequences = body.sequences ?? undefined;
      const added = await withModelFaults(() =>
        usePlanner((planner) =>
          addModel(models, { id, ggufPath, kind, name, rate, force, contextTokens, sequences, kv, planner }),
        ),
      );
      models.refresh();
      reply.code(201);
      return {
        id,
        kind: added.kind,
        max_context_tokens: added.contextTokens,
        warnings: [...added.missing, ...added.warnings],
      };
    },
  );

  typed.patch(
    modelPath,
    { config: { operation: 'operator_models.change', contract: setModelContract }, schema: { body: settingsBody } },
    async ({ body, params }) => {
      // as: the path declares it.
      const { baseModelId: id } = params as OfModel['Params'];
      requireModel(models, id);
      const change = { contextTokens: body.context_tokens, sequences: body.sequences, kv: body.kv };
      await withModelFaults(() => usePlanner((planner) => setModel(models, planner, { id, change })));
      models.refresh();
      return showDetails(deps, id);
    },
  );

  typed.delete(
    modelPath,
    {
      config: { operation: 'operator_models.remove', contract: removeModelContract },
      schema: { querystring: removeQuery },
    },
    async ({ query, params }) => {
      // as: the path declares it.
      const { baseModelId: id } = params as OfModel['Params'];
      requireModel(models, id);
      const listUsesOf = (baseModelId: string) => listModelUses(database, baseModelId);
      const uses = query.force ? [] : await listUsesOf(id);
      if (uses.length > 0)
        throw fault('in_use', {
          message: `${id} is used by ${uses.slice(0, 5).join(', ')}. With force it is removed all the same.`,
          details: { used_by: uses },
        });
      const { deletedFile, deletedWeights } = await withModelFaults(() =>
        removeModel(models, { id, force: query.force, listUsesOf }),
      );
      models.refresh();
      return { deleted: deletedFile !== null || deletedWeights !== null };
    },
  );
}

function addHubRoutes(app: FastifyInstance, { models, hub, usePlanner }: OperatorModelsDeps): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();

  app.get(
    `${operatorPath}/hub/catalogue`,
    { config: { operation: 'operator_hub.catalogue', contract: catalogueContract } },
    async () => {
      const known = [...models.baseModels(), ...models.library()];
      return { data: known.filter(({ source }) => source?.type === 'hub').map(catalogueToWire) };
    },
  );

  typed.get(
    `${operatorPath}/hub/models`,
    { config: { operation: 'operator_hub.search', contract: searchHubContract }, schema: { querystring: searchQuery } },
    async ({ query: { search: word, limit = 20 } }, reply) => {
      const access = { ...hub, retryDelaysMs, signal: watchCaller(reply).signal };
      return { data: (await withModelFaults(() => searchHub(access, { word, limit }))).map(foundToWire) };
    },
  );

  typed.get(
    `${operatorPath}/hub/variants`,
    {
      config: { operation: 'operator_hub.variants', contract: variantsContract },
      schema: { querystring: variantsQuery },
    },
    async ({ query: { model } }, reply) => {
      const access = { ...hub, retryDelaysMs, signal: watchCaller(reply).signal };
      return variantsToWire(
        await withModelFaults(() => usePlanner((planner) => previewPull(models, access, { model, planner }))),
      );
    },
  );
}

function addPullRoutes(app: FastifyInstance, { pulls }: OperatorModelsDeps): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();
  const path = `${operatorPath}/pulls`;
  type OfPull = { Params: { pullId: string } };

  typed.get(
    path,
    {
      config: { operation: 'operator_pulls.list', contract: listPullsContract },
      schema: { querystring: plainPageQuery },
    },
    async ({ query }) => pageOf({ ...(await pulls.list(readPage(query))), toWire: pullToWire }),
  );

  typed.post(
    path,
    { config: { operation: 'operator_pulls.create', contract: createPullContract }, schema: { body: pullBody } },
    async ({ body, principal: { accountId: createdBy } }, reply) => {
      const { model, id: modelId = null, weights: isWeights = false, force: isForced = false } = body;
      const { pull, isNew } = await withModelFaults(() =>
        pulls.request({ model, modelId, isWeights, isForced, createdBy }),
      );
      reply.code(isNew ? 202 : 200);
      return pullToWire(pull);
    },
  );

  app.get<OfPull>(
    `${path}/:pullId`,
    { config: { operation: 'operator_pulls.read', contract: readPullContract } },
    async ({ params }) => pullToWire(await pulls.find(params.pullId)),
  );

  app.post<OfPull>(
    `${path}/:pullId/cancel`,
    { config: { operation: 'operator_pulls.cancel', contract: cancelPullContract } },
    async ({ params }) => pullToWire(await pulls.cancel(params.pullId)),
  );
}
