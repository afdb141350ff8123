import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { Database } from '#db';
import { type PublicUrl, pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, foldText } from '#kernel';
import { type FinishedJobs, jobsBehind, type TrainedJobs } from './hosted-target.ts';
import { listRegistryContract } from './model-registry.contract.ts';
import { registryQuery, registryToWire } from './model-registry.schema.ts';
import { listRegistry } from './model-registry.ts';
import type { ModelsService } from './models-service.ts';

export type RegistryRoutesDeps = {
  database: Database;
  cursors: CursorCodec;
  models: ModelsService;
  finishedJobs: FinishedJobs;
  trainedModels: TrainedJobs;
  publicUrl: PublicUrl;
};

export function modelRegistryRoutes(deps: RegistryRoutesDeps) {
  const { database, cursors, models, finishedJobs, trainedModels, publicUrl } = deps;
  return async (app: FastifyInstance): Promise<void> => {
    app.withTypeProvider<TypeBoxProvider>().get(
      '/api/v1/models',
      {
        config: { operation: 'registry_models.list', contract: listRegistryContract },
        schema: { querystring: registryQuery },
      },
      async (request) => {
        const { principal, query } = request;
        const page = await listRegistry(
          { sql: database, cursors, models, finishedJobs },
          { accountId: principal.accountId, ...filterOf(query) },
          readPage(query),
        );
        const aliases = page.rows.flatMap((entry) => (entry.source === 'hosted' ? [entry.model] : []));
        const jobs = await trainedModels.describe(jobsBehind(aliases, ({ ownerId }) => ownerId));
        const viewer = {
          accountSlug: principal.accountSlug,
          publicUrl: publicUrl(request),
          findBase: models.find,
          findJob: (id: string) => jobs.get(id),
        };
        return pageOf({ ...page, toWire: (entry) => registryToWire(entry, viewer) });
      },
    );
  };
}

function filterOf(query: Static<typeof registryQuery>) {
  const { source = null, kind = null, state = null, access = 'all', project, q } = query;
  const [ownerSlug, slug] = project?.split('/') ?? [];
  return {
    source,
    kind,
    state,
    access: access === 'all' ? null : access,
    project: ownerSlug !== undefined && slug !== undefined ? { ownerSlug, slug } : null,
    q: q ? foldText(q) : null,
  };
}
