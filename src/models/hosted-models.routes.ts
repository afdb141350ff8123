import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { once } from '#calls';
import { pageOf, plainPageQuery, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, fault, foldText } from '#kernel';
import { projectPrefix } from '#projects';
import type { HostedDeps } from './hosted-activation.ts';
import { listHosted } from './hosted-list.ts';
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
import { countShares, type HostedModel } from './hosted-models.store.ts';
import {
  type AliasUpdate,
  activateHostedModel,
  changeHostedModel,
  createHostedModel,
  deactivateHostedModel,
  type NewAlias,
} from './hosted-models.ts';
import { pageOfRevisions, rollBack } from './hosted-retarget.ts';
import { authorizeHostedRead, authorizeHostedWrite, type HostedScope, readHostedModel } from './hosted-scope.ts';
import { jobsBehind, type TrainedJobs } from './hosted-target.ts';
import { type AliasContext, aliasToWire, entryToWire, type HostedWire, revisionToWire } from './hosted-wire.ts';
import type { ModelsService } from './models-service.ts';

export type HostedRoutesDeps = HostedDeps & { cursors: CursorCodec; models: ModelsService; trainedModels: TrainedJobs };

const listPath = `${projectPrefix}/hosted-models`;
export const hostedPath = `${listPath}/:hostedModelId`;

type HostedRoute = { Params: { hostedModelId: string } };

export function hostedModelsRoutes(deps: HostedRoutesDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();
    const { database, models } = deps;

    typed.get(
      listPath,
      { config: { operation: 'hosted_models.list', contract: listContract }, schema: { querystring: hostedQuery } },
      async (request) => {
        const scope = await authorizeHostedRead(database, request);
        const { source = null, state = null, q } = request.query;
        const filter = { projectId: scope.project.id, source, state, q: q ? foldText(q) : null };
        const page = await listHosted({ sql: database, ...deps }, filter, readPage(request.query));
        const aliases = page.rows.flatMap((entry) => (entry.source === 'alias' ? [entry.model] : []));
        const context = await contextOf(deps, scope, aliases);
        return pageOf({ ...page, toWire: (entry) => entryToWire(entry, context) });
      },
    );

    typed.post(
      listPath,
      { config: { operation: 'hosted_models.create', contract: createContract }, schema: { body: createHostedBody } },
      async (request, reply) => {
        const scope = await authorizeHostedWrite(database, request);
        const inOnce = { ...deps, database: once(request, database) };
        const model = await createHostedModel(inOnce, scope, newAliasOf(request.body));
        reply.code(201);
        return render(inOnce, scope, model);
      },
    );

    app.get<HostedRoute>(
      hostedPath,
      { config: { operation: 'hosted_models.read', contract: readContract } },
      async (request) => {
        const scope = await authorizeHostedRead(database, request);
        const { hostedModelId } = request.params;
        const baseModel = models.find(hostedModelId);
        if (baseModel) return entryToWire({ source: 'base', baseModel }, await contextOf(deps, scope, []));
        return render(deps, scope, await readHostedModel(database, scope, hostedModelId));
      },
    );

    typed.patch(
      hostedPath,
      { config: { operation: 'hosted_models.update', contract: updateContract }, schema: { body: updateHostedBody } },
      async (request) => {
        const { scope, id } = await aliasToChange(deps, request, 'changed');
        return render(deps, scope, await changeHostedModel(deps, scope, { id, update: updateOf(request.body) }));
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
          const { scope, id } = await aliasToChange(deps, request, past);
          return render(deps, scope, await change(deps, scope, id));
        },
      );

    typed.get(
      `${hostedPath}/revisions`,
      {
        config: { operation: 'hosted_models.revisions', contract: revisionsContract },
        schema: { querystring: plainPageQuery },
      },
      async (request) => {
        const scope = await authorizeHostedRead(database, request);
        const id = aliasId(deps, request, 'listed with revisions');
        const page = await pageOfRevisions(deps, scope, { id, ...readPage(request.query) });
        return pageOf({ ...page, toWire: (row) => revisionToWire(row, page.current) });
      },
    );

    typed.post(
      `${hostedPath}/rollback`,
      { config: { operation: 'hosted_models.rollback', contract: rollbackContract }, schema: { body: rollbackBody } },
      async (request) => {
        const { scope, id } = await aliasToChange(deps, request, 'rolled back');
        return render(deps, scope, await rollBack(deps, scope, { id, revision: request.body.revision }));
      },
    );
  };
}

/** The alias that a path names, in a project that the caller may change. A base model is none: `state_conflict`. */
async function aliasToChange(
  deps: HostedRoutesDeps,
  request: FastifyRequest,
  past: string,
): Promise<{ scope: HostedScope; id: string }> {
  const scope = await authorizeHostedWrite(deps.database, request);
  return { scope, id: aliasId(deps, request, past) };
}

export function aliasId({ models }: Pick<HostedRoutesDeps, 'models'>, request: FastifyRequest, past: string): string {
  // as: the path declares it.
  const { hostedModelId } = request.params as HostedRoute['Params'];
  if (models.find(hostedModelId)) {
    throw fault('state_conflict', {
      message: `This is a base model, which every project has; it cannot be ${past}. Make an alias for it.`,
      details: { reason: 'base_model', state: 'base', allowed_from: ['alias'] },
    });
  }
  return hostedModelId;
}

async function render(deps: HostedRoutesDeps, scope: HostedScope, model: HostedModel): Promise<HostedWire> {
  const [context, shareCount] = await Promise.all([
    contextOf(deps, scope, [model]),
    countShares(deps.database, model.id),
  ]);
  return aliasToWire({ ...model, shareCount }, context);
}

async function contextOf(
  { models, trainedModels, engine }: HostedRoutesDeps,
  { project }: HostedScope,
  aliases: readonly HostedModel[],
): Promise<AliasContext> {
  const jobs = await trainedModels.describe(jobsBehind(aliases, () => project.accountId));
  return { project, findBase: models.find, findJob: (id) => jobs.get(id), status: engine.status };
}

function newAliasOf(body: Static<typeof createHostedBody>): NewAlias {
  const { alias, target, display_name: displayName = null, visibility = 'private', activate = false } = body;
  return { alias, target, displayName, visibility, activate };
}

function updateOf(body: Static<typeof updateHostedBody>): AliasUpdate {
  const { display_name: displayName = null, visibility = null, target = null } = body;
  return { displayName, visibility, target };
}
