import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { accountRoutes, authRoutes } from '#accounts';
import { activityRoutes } from '#activity';
import { obeyIdempotencyKeys, requestsRoutes } from '#calls';
import { type DashboardParts, dashboardRoutes } from '#dashboard';
import { countImports, hasDataset } from '#datasets';
import { exportRoutes } from '#exports';
import { guidesRoutes } from '#guides';
import { contractRoutes, createServer, eitherOf } from '#http';
import { inferenceRoutes } from '#inference';
import { createKeyAuthenticator, keysRoutes } from '#keys';
import { limitsRoutes } from '#limits';
import { baseModelsRoutes, createMemoryPlans } from '#models';
import { operatorModelsRoutes, peopleRoutes, systemRoutes } from '#operator';
import { projectsRoutes } from '#projects';
import { answerStranger, webRoutes } from '#web';
import { effectiveSettings } from '../settings/effective.ts';
import { settings } from '../settings/settings.ts';
import { type AppOptions, signUpDefaultsOf } from './infrastructure.ts';
import { hubOf } from './resources.ts';
import type { Rooms } from './rooms.ts';

const documentsFolder = fileURLToPath(new URL('../../docs', import.meta.url));

export async function openServer(options: AppOptions, rooms: Rooms): Promise<FastifyInstance> {
  const { config, database, identity } = rooms;
  const { limits = {}, site } = options;
  const hasSession = (headers: IncomingHttpHeaders) => identity.cookie.digestIn(headers) !== null;
  const web = site ? { site, hasSession } : null;
  const server = createServer({
    authenticator: eitherOf({
      key: createKeyAuthenticator({ sql: database, usage: rooms.keyUsage }),
      session: identity.authenticator,
    }),
    trustedProxies: config.trustedProxies,
    probe: rooms.probe,
    watchRequest: rooms.telemetry.watchRequest,
    ...(web ? { answerStranger: answerStranger(web) } : {}),
    corsOrigins: config.corsOrigins,
    logger: rooms.log,
    limits: { connectionsPerAddress: config.connectionsPerAddress, ...limits },
  });
  obeyIdempotencyKeys(server, { calls: rooms.calls, database });
  await addAccountRoutes(server, rooms);
  await addProjectRoutes(server, rooms);
  await addOperatorRoutes(server, rooms);
  await server.register(contractRoutes);
  await server.register(guidesRoutes(documentsFolder));
  if (web) await server.register(webRoutes(web));
  return server;
}

async function addAccountRoutes(server: FastifyInstance, rooms: Rooms): Promise<void> {
  const { database, cursors, clock, identity } = rooms;
  await server.register(authRoutes(identity));
  await server.register(accountRoutes({ ...identity, parts: rooms.accountRemoval.parts }));
  await server.register(keysRoutes({ database, cursors }));
  await server.register(limitsRoutes({ database }));
  await server.register(exportRoutes({ database }));
  await server.register(requestsRoutes(rooms.calls, { sql: database, cursors, clock }));
  await server.register(activityRoutes({ sql: database, cursors }));
  const parts = dashboardPartsOf(rooms);
  await server.register(dashboardRoutes({ sql: database, clock, parts, lowMicro: rooms.config.lowBalanceMicro }));
}

async function addProjectRoutes(server: FastifyInstance, rooms: Rooms): Promise<void> {
  const { database, cursors, publicUrl, models, engine, imports, indexes, training, work } = rooms;
  await server.register(projectsRoutes({ database, cursors, publicUrl, work }));
  await server.register(rooms.credits.routes);
  await server.register(baseModelsRoutes({ models, cursors, runtimeStatus: engine.status }));
  await server.register(rooms.hosting.routes);
  await server.register(rooms.datasets.routes);
  await server.register(imports.routes);
  await server.register(rooms.feedback.routes);
  await server.register(indexes.routes);
  await server.register(training.routes);
  await server.register(rooms.saved.routes);
  inferenceRoutes(server, rooms.inference);
  await server.register(rooms.chats.routes);
}

async function addOperatorRoutes(server: FastifyInstance, rooms: Rooms): Promise<void> {
  const { config, database, cursors, publicUrl } = rooms;
  const hasProvider = rooms.identity.oidc !== null;
  await server.register(
    peopleRoutes({
      database,
      cursors,
      publicUrl,
      signUpDefaults: signUpDefaultsOf(config),
      hasProvider,
      accountParts: rooms.accountRemoval.parts,
    }),
  );
  const { models, engine, gpu, usePlanner, pulls } = rooms;
  const memoryPlans = createMemoryPlans(models, usePlanner);
  const hub = hubOf(config);
  await server.register(operatorModelsRoutes({ database, models, engine, gpu, memoryPlans, usePlanner, pulls, hub }));
  const { environment, ...values } = config;
  const installation = { database, objects: rooms.objects, models, gpu, isOwnDatabase: config.databaseUrl === null };
  const shown = effectiveSettings(settings, values);
  await server.register(systemRoutes({ ...installation, settings: shown, environment }));
}

function dashboardPartsOf({ database, feedback, training }: Rooms): DashboardParts {
  return {
    feedback: feedback.count,
    training: training.overview,
    imports: (question) => countImports(database, question),
    hasDataset: (question) => hasDataset(database, question),
  };
}
