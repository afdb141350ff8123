import type { FastifyInstance } from 'fastify';
import { listServers } from '#calls';
import type { TypeBoxProvider } from '#http';
import { countQueued } from '#jobs';
import { fault } from '#kernel';
import { deleteRoute, findRoute, listRoutes, saveRoute, setDraining, testRoute } from '#models';
import { listInstallationJobs } from '#training';
import { examine, type Installation } from './doctor.ts';
import { withModelFaults } from './model-faults.ts';
import { operatorPath } from './operator-contract.ts';
import {
  deleteRouteContract,
  drainRouteContract,
  healthContract,
  jobsContract,
  listRoutesContract,
  saveRouteContract,
  settingsContract,
  testRouteContract,
  workersContract,
} from './system.contract.ts';
import {
  drainBody,
  jobsToWire,
  routeBody,
  routeTestToWire,
  routeToWire,
  type ShownSetting,
  settingToWire,
  workerToWire,
} from './system.schema.ts';

export type SystemDeps = Installation & {
  settings: readonly ShownSetting[];
  environment: Record<string, string | undefined>;
};

const routePath = `${operatorPath}/serving-routes/:routeName`;
type OfRoute = { Params: { routeName: string } };
const shownJobs = 100;

/** Serving routes, settings, health, jobs and workers. */
export function systemRoutes(deps: SystemDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    addServingRoutes(app, deps);
    addStateRoutes(app, deps);
  };
}

function noSuchRoute() {
  return fault('not_found', { message: 'There is no such serving route.' });
}

function addServingRoutes(app: FastifyInstance, { database, models, environment }: SystemDeps): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();
  const find = async (name: string) => {
    const route = await findRoute(database, name);
    if (!route) throw noSuchRoute();
    return route;
  };

  app.get(
    `${operatorPath}/serving-routes`,
    { config: { operation: 'operator_routes.list', contract: listRoutesContract } },
    async () => ({ data: (await listRoutes(database)).map(routeToWire) }),
  );

  typed.put(
    routePath,
    { config: { operation: 'operator_routes.save', contract: saveRouteContract }, schema: { body: routeBody } },
    async ({ body, params }) => {
      // as: the path declares it.
      const { routeName: name } = params as OfRoute['Params'];
      const { base_model_id: baseModelId, url, api = 'openai', capacity = 64, weight = 1, vision } = body;
      const route = await withModelFaults(() =>
        saveRoute(database, models, {
          name,
          baseModelId,
          url,
          api,
          capacity,
          weight,
          vision,
          upstreamModel: body.upstream_model,
          secretEnv: body.secret_env,
          secretFile: body.secret_file,
          adaptersFolder: body.adapters_folder,
          adaptersSeenAs: body.adapters_seen_as,
        }),
      );
      return routeToWire(route);
    },
  );

  typed.patch(
    routePath,
    { config: { operation: 'operator_routes.drain', contract: drainRouteContract }, schema: { body: drainBody } },
    async ({ body: { draining }, params }) => {
      // as: the path declares it.
      const { routeName: id } = params as OfRoute['Params'];
      await setDraining(database, { id, draining });
      return routeToWire(await find(id));
    },
  );

  app.post<OfRoute>(
    `${routePath}/test`,
    { config: { operation: 'operator_routes.test', contract: testRouteContract } },
    async ({ params }) => {
      const route = await find(params.routeName);
      const kind = models.findKnown(route.baseModelId)?.kind ?? null;
      return routeTestToWire(await testRoute(route, { kind, environment }));
    },
  );

  app.delete<OfRoute>(
    routePath,
    { config: { operation: 'operator_routes.delete', contract: deleteRouteContract } },
    async ({ params }, reply) => {
      if (!(await deleteRoute(database, params.routeName))) throw noSuchRoute();
      return reply.code(204).send();
    },
  );
}

function addStateRoutes(app: FastifyInstance, deps: SystemDeps): void {
  const { database, settings } = deps;

  app.get(
    `${operatorPath}/settings`,
    { config: { operation: 'operator_settings.list', contract: settingsContract } },
    async () => ({ data: settings.map(settingToWire) }),
  );

  app.get(
    `${operatorPath}/health`,
    { config: { operation: 'operator_health.read', contract: healthContract } },
    async () => {
      const notes: string[] = [];
      const problems = await examine(deps, { print: (line) => void notes.push(line) });
      return { healthy: problems.length === 0, problems, notes };
    },
  );

  app.get(`${operatorPath}/jobs`, { config: { operation: 'operator_jobs.list', contract: jobsContract } }, async () =>
    jobsToWire(await listInstallationJobs(database, shownJobs), await countQueued(database)),
  );

  app.get(
    `${operatorPath}/workers`,
    { config: { operation: 'operator_workers.list', contract: workersContract } },
    async () => ({ data: (await listServers(database)).map(workerToWire) }),
  );
}
