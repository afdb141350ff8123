import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { pageOf, plainPageQuery, readPage, type TypeBoxProvider } from '#http';
import { once } from '#idempotency';
import { type CursorCodec, foldText } from '#kernel';
import { projectPrefix } from '#projects';
import { isBaseEntry } from './hosted-conflict.ts';
import type { HostedDeps } from './hosted-deps.ts';
import { listHosted } from './hosted-list.ts';
import { countShares } from './hosted-lists.store.ts';
import {
  activateContract,
  createContract,
  deactivateContract,
  listContract,
  readContract,
  revisionsContract,
  rollbackContract,
  updateContract,
} from './hosted-models.contract.ts';
import { createHostedBody, hostedQuery, rollbackBody, updateHostedBody } from './hosted-models.schema.ts';
import type { HostedModel } from './hosted-models.store.ts';
import {
  activateHostedModel,
  changeHostedModel,
  createHostedModel,
  deactivateHostedModel,
  type HostedChange,
  type NewAlias,
  readHostedModel,
} from './hosted-models.ts';
import { type Place, placeToChange, placeToRead } from './hosted-place.ts';
import { jobsBehind, type TrainedJobs } from './hosted-trained.ts';
import { type Around, aliasToWire, entryToWire, type HostedWire, revisionToWire } from './hosted-wire.ts';
import type { ModelsService } from './models-service.ts';
import { pageOfRevisions, rollBack } from './revisions.ts';

export type HostedRoutesDeps = HostedDeps & { cursors: CursorCodec; models: ModelsService; trainedModels: TrainedJobs };

const listPath = `${projectPrefix}/hosted-models`;
export const hostedPath = `${listPath}/:hostedModelId`;

type HostedRoute = { Params: { hostedModelId: string } };

/** The management routes of what a project hosts. */
export function hostedModelsRoutes(deps: HostedRoutesDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();
    const { database, models } = deps;

    typed.get(
      listPath,
      { config: { operation: 'hosted_models.list', contract: listContract }, schema: { querystring: hostedQuery } },
      async (request) => {
        const place = await placeToRead(database, request);
        const { source = null, state = null, q } = request.query;
        const filter = { projectId: place.project.id, source, state, q: q ? foldText(q) : null };
        const page = await listHosted({ sql: database, ...deps }, filter, readPage(request.query));
        const aliases = page.rows.flatMap((entry) => (entry.source === 'alias' ? [entry.model] : []));
        const around = await aroundOf(deps, place, aliases);
        return pageOf({ ...page, toWire: (entry) => entryToWire(entry, around) });
      },
    );

    typed.post(
      listPath,
      { config: { operation: 'hosted_models.create', contract: createContract }, schema: { body: createHostedBody } },
      async (request, reply) => {
        const place = await placeToChange(database, request);
        const inOnce = { ...deps, database: once(request, database) };
        const model = await createHostedModel(inOnce, place, newAliasOf(request.body));
        reply.code(201);
        return render(inOnce, place, model);
      },
    );

    app.get<HostedRoute>(
      hostedPath,
      { config: { operation: 'hosted_models.read', contract: readContract } },
      async (request) => {
        const place = await placeToRead(database, request);
        const { hostedModelId } = request.params;
        const baseModel = models.find(hostedModelId);
        if (baseModel) return entryToWire({ source: 'base', baseModel }, await aroundOf(deps, place, []));
        return render(deps, place, await readHostedModel(deps, place, hostedModelId));
      },
    );

    typed.patch(
      hostedPath,
      { config: { operation: 'hosted_models.update', contract: updateContract }, schema: { body: updateHostedBody } },
      async (request) => {
        const { place, id } = await aliasToChange(deps, request, 'changed');
        return render(deps, place, await changeHostedModel(deps, place, { id, change: changeOf(request.body) }));
      },
    );

    for (const { verb, past, contract, change } of [
      { verb: 'activate', past: 'activated', contract: activateContract, change: activateHostedModel },
      { verb: 'deactivate', past: 'deactivated', contract: deactivateContract, change: deactivateHostedModel },
    ])
      app.patch(
        `${hostedPath}/${verb}`,
        { config: { operation: `hosted_models.${verb}`, contract } },
        async (request) => {
          const { place, id } = await aliasToChange(deps, request, past);
          return render(deps, place, await change(deps, place, id));
        },
      );

    typed.get(
      `${hostedPath}/revisions`,
      {
        config: { operation: 'hosted_models.revisions', contract: revisionsContract },
        schema: { querystring: plainPageQuery },
      },
      async (request) => {
        const place = await placeToRead(database, request);
        const id = aliasId(deps, request, 'asked for revisions');
        const page = await pageOfRevisions(deps, place, { id, ...readPage(request.query) });
        return pageOf({ ...page, toWire: (row) => revisionToWire(row, page.current) });
      },
    );

    typed.post(
      `${hostedPath}/rollback`,
      { config: { operation: 'hosted_models.rollback', contract: rollbackContract }, schema: { body: rollbackBody } },
      async (request) => {
        const { place, id } = await aliasToChange(deps, request, 'rolled back');
        return render(deps, place, await rollBack(deps, place, { id, revision: request.body.revision }));
      },
    );
  };
}

/** The alias that a path names, in a project that the caller may change. A base model is none: `state_conflict`. */
async function aliasToChange(
  deps: HostedRoutesDeps,
  request: FastifyRequest,
  past: string,
): Promise<{ place: Place; id: string }> {
  const place = await placeToChange(deps.database, request);
  return { place, id: aliasId(deps, request, past) };
}

export function aliasId({ models }: Pick<HostedRoutesDeps, 'models'>, request: FastifyRequest, past: string): string {
  // as: the path declares it.
  const { hostedModelId } = request.params as HostedRoute['Params'];
  if (models.find(hostedModelId)) throw isBaseEntry(past);
  return hostedModelId;
}

async function render(deps: HostedRoutesDeps, place: Place, model: HostedModel): Promise<HostedWire> {
  const [around, shareCount] = await Promise.all([
    aroundOf(deps, place, [model]),
    countShares(deps.database, model.id),
  ]);
  return aliasToWire({ ...model, shareCount }, around);
}

async function aroundOf(
  { models, trainedModels, engine }: HostedRoutesDeps,
  { project }: Place,
  aliases: readonly HostedModel[],
): Promise<Around> {
  const jobs = await trainedModels.describe(jobsBehind(aliases, () => project.accountId));
  return { project, findBase: models.find, findJob: (id) => jobs.get(id), status: engine.status };
}

function newAliasOf(body: Static<typeof createHostedBody>): NewAlias {
  const { alias, target, display_name: displayName = null, visibility = 'private', activate = false } = body;
  return { alias, target, displayName, visibility, activate };
}

function changeOf(body: Static<typeof updateHostedBody>): HostedChange {
  const { display_name: displayName = null, visibility = null, target = null } = body;
  return { displayName, visibility, target };
}
