import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { accountRoutes, authRoutes, createIdentity, installationSecret, oidcSettingsOf } from '#accounts';
import { activityMonths, activityRoutes } from '#activity';
import {
  type BillingTiming,
  countCallsByAccount,
  createBilling,
  createCredits,
  grant,
  ledgerMonths,
  salesOf,
} from '#billing';
import { createChats } from '#chats';
import { type DashboardParts, dashboardRoutes } from '#dashboard';
import { countImports, createDatasets, createImports, hasDataset } from '#datasets';
import { createMonths, type Database } from '#db';
import { createEngine, createRemoteEngine, createRoutedEngine, createTokenCounter, type EngineSettings } from '#engine';
import { createFeedback, eventMonths } from '#feedback';
import { contractRoutes, createPublicUrl, createServer, eitherOf, type ServerLimits } from '#http';
import { createIdempotency, obeyIdempotencyKeys } from '#idempotency';
import { createIndexes } from '#indexes';
import {
  createAdmission,
  createPrincipalCalls,
  createRepeatGuard,
  createSavedCalls,
  inferenceRoutes,
} from '#inference';
import { createJobs } from '#jobs';
import { createCursorCodec, newId, systemClock } from '#kernel';
import { createKeyAuthenticator, createKeyUsage, keysRoutes } from '#keys';
import { createLimiter, limitsRoutes } from '#limits';
import {
  baseModelsRoutes,
  createHosting,
  createServingRoutes,
  listPrices,
  type ModelsService,
  withRoutes,
} from '#models';
import { projectsRoutes } from '#projects';
import { createRequests, failedRequestMonths, requestsRoutes } from '#requests';
import { createTelemetry } from '#telemetry';
import { answerStranger, type Site, webRoutes } from '#web';
import type { Config } from './config.ts';
import { datasetLimitsOf } from './settings/dataset-settings.ts';
import { openTraining } from './settings/job-settings.ts';
import { objectPlaceOf, openObjects } from './settings/object-settings.ts';
import { engineSettingsOf, telemetrySettingsOf } from './settings/process-settings.ts';

export type App = {
  server: FastifyInstance;
  /** Ends everything that was started here, in order; calls that still run get `drainMs`. */
  close: (drainMs: number) => Promise<void>;
};

export type AppOptions = {
  config: Config;
  database: Database;
  models: ModelsService;
  log: FastifyBaseLogger;
  /** Bounds of the HTTP server other than its own. */
  limits?: Partial<ServerLimits>;
  /** How soon a process counts as dead, and the like; other than by default in tests only. */
  timing?: Partial<BillingTiming>;
  /** How long calls wait for a model that is starting, and the like; other than by default in tests only. */
  engine?: Partial<EngineSettings>;
  /** The web app; without it only programs are served. */
  site?: Site;
};

/** Puts the rooms together: the one place where they meet. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, database, log, limits = {}, timing = {}, site } = options;
  const clock = systemClock;
  const works = config.roles.includes('worker');
  const telemetry = await createTelemetry({ ...telemetrySettingsOf(config), log });
  const publicUrl = createPublicUrl(config.publicUrl);
  const cursors = createCursorCodec(await installationSecret(database, 'cursor'));
  const objects = await openObjects(config);
  const serving = createServingRoutes({
    ...{ sql: database, find: options.models.find, environment: config.environment },
    onWarning: (line) => log.warn(line),
  });
  const models = withRoutes(options.models, serving);
  const forChildren = {
    models: models.engineModels,
    environment: config.environment,
    log: (level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: object) => log[level](fields, message),
  };
  const tokenCounter = createTokenCounter(forChildren);
  const engine = createRoutedEngine({
    own: createEngine({ ...forChildren, settings: { ...engineSettingsOf(config), ...options.engine }, clock }),
    remote: createRemoteEngine({
      ...{ routes: serving.routes, clock, log: forChildren.log },
      adapters: { writePeft: (sha256, folder) => training.served.writePeft(sha256, folder) },
      countHere: async (id, items, signal) =>
        models.find(id)?.installed ? tokenCounter.count(id, items, signal) : null,
    }),
    isInstalled: (id) => models.find(id)?.installed != null,
    attend: (adapter) => training.served.attend(adapter),
  });
  const lowMicro = config.lowBalanceMicro;
  const credits = createCredits({
    ...{ database, cursors, clock, publicUrl, lowMicro, log, signUpMicro: config.signUpMicro, sales: salesOf(config) },
    prices: () => listPrices(models),
    pace: engine.pace,
  });
  const instanceId = newId('ins');
  const billing = createBilling({ database, instanceId, clock, log, timing, onCharge: credits.touch });
  const instance = { database, instanceId, registered: billing.registered, log };
  const requests = createRequests({ ...instance, clock });
  const months = createMonths({
    ...{ database, log },
    tables: [
      ...ledgerMonths({ database, clock, keepMonths: config.ledgerMonths }),
      activityMonths(clock, config.activityMonths),
      failedRequestMonths(clock),
      eventMonths(clock, config.feedbackRetentionDays),
    ],
  });
  const limiter = createLimiter(instance);
  const idempotency = createIdempotency(instance);
  const usage = createKeyUsage({ sql: database, clock });
  const jobs = createJobs({ url: database.url, log, works });
  const datasets = createDatasets({
    ...{ database, cursors, jobs, models, tokenCounter },
    limits: datasetLimitsOf(config),
  });
  const wiring = { database, cursors, models, datasets, billing, objects, instanceId, log, onCharge: credits.touch };
  const { training, close: closeEncoder } = openTraining(config, { ...wiring, works }, forChildren);
  const hosting = createHosting({
    ...{ database, cursors, publicUrl, clock, models, engine, jobs, finishedJobs: training.finishedJobs },
    trainedModels: training.served,
    countCalls: countCallsByAccount,
  });
  const imports = createImports({
    ...{ database, cursors, publicUrl, objects, jobs, log, limits: datasets.limits, environment: config.environment },
    objectPlace: objectPlaceOf(config),
    tempDir: join(tmpdir(), 'fanfold-imports'),
    counting: () => ({ baseModels: models.baseModels(), engineModels: models.engineModels() }),
  });
  const feedback = createFeedback({
    ...{ database, cursors, clock, datasets, models, log, retentionDays: config.feedbackRetentionDays },
  });
  const indexes = createIndexes({
    ...{ database, cursors, clock, jobs, models, engine, billing, limiter, datasets, environment: config.environment },
    trainedModels: training.served,
    folder: join(config.dataDir, 'indexes'),
    maxFileBytes: config.indexFileBytes,
    maxDocuments: config.maxIndexDocuments,
  });
  const identity = createIdentity({
    ...{ database, log, publicUrl: config.publicUrl, signUp: config.signUp, oidc: oidcSettingsOf(config) },
    secret: await installationSecret(database, 'identity'),
    grantCredits: async (tx, accountId) => {
      if (config.signUpMicro > 0n) await grant(tx, { accountId, micro: config.signUpMicro, note: 'Sign-up credits' });
    },
  });
  const hasSession = (headers: IncomingHttpHeaders) => identity.cookie.digestIn(headers) !== null;
  const web = site ? { site, hasSession } : null;
  const probe = async () => void (await database.query('select'));
  const server = createServer({
    authenticator: eitherOf({
      key: createKeyAuthenticator({ sql: database, usage }),
      session: identity.authenticator,
    }),
    trustedProxies: config.trustedProxies,
    probe,
    watchRequest: telemetry.watchRequest,
    ...(web ? { answerStranger: answerStranger(web) } : {}),
    corsOrigins: config.corsOrigins,
    logger: log,
    limits,
  });

  obeyIdempotencyKeys(server, { idempotency, database });
  await server.register(authRoutes(identity));
  await server.register(accountRoutes(identity));
  await server.register(keysRoutes({ database, cursors }));
  await server.register(limitsRoutes({ database }));
  await server.register(requestsRoutes(requests));
  await server.register(activityRoutes({ sql: database, cursors }));
  const parts: DashboardParts = {
    feedback: feedback.count,
    training: training.overview,
    imports: (question) => countImports(database, question),
    hasDataset: (question) => hasDataset(database, question),
  };
  await server.register(dashboardRoutes({ sql: database, clock, parts, lowMicro }));
  await server.register(
    projectsRoutes({ database, cursors, publicUrl, work: [imports.work, indexes.work, training.work] }),
  );
  await server.register(credits.routes);
  await server.register(baseModelsRoutes({ models, cursors, runtimeStatus: engine.status }));
  await server.register(hosting.routes);
  await server.register(datasets.routes);
  await server.register(imports.routes);
  await server.register(feedback.routes);
  await server.register(indexes.routes);
  await server.register(training.routes);
  const findTrained = training.served.ofCall;
  const admit = createAdmission({ sql: database, keyUsage: usage, findTrained });
  const retentionDays = config.autosaveRetentionDays;
  const saved = createSavedCalls({ database, datasets, clock, cursors, log, retentionDays });
  await server.register(saved.routes);
  const inference = {
    admit,
    findTrained,
    sql: database,
    models,
    modelUsage: hosting.usage,
    engine,
    billing,
    limiter,
    idempotency,
    requests,
    repeatGuard: createRepeatGuard(clock),
    autoSave: saved.autoSave,
    observe: telemetry.observeCall,
    clock,
  };
  inferenceRoutes(server, inference);
  const chats = createChats({ database, cursors, billing, datasets, log, calls: createPrincipalCalls(inference) });
  await server.register(chats.routes);
  await server.register(contractRoutes);
  if (web) await server.register(webRoutes(web));

  await months.start({ works });
  await serving.start();
  credits.start({ works });
  billing.start();
  requests.start();
  limiter.start();
  idempotency.start();
  usage.start();
  await jobs.start();
  await datasets.start();
  await hosting.start();
  await indexes.start();
  if (works) {
    saved.start();
    chats.start();
    training.start(hosting.deploy);
    imports.start();
    feedback.start();
  }
  const observed = {
    models: () => models.engineModels().map(({ id }) => id),
    runtime: (model: string) => ({ ...engine.status(model), ...engine.load(model) }),
    database: database.connections,
    savedCalls: saved.autoSave.counts,
  };
  await telemetry.start(observed, probe);
  return {
    server,
    close: async (drainMs) => {
      telemetry.ending();
      // In reverse: calls end first, then the books and the notes about keys are written, then the models go.
      await using parts = new AsyncDisposableStack();
      parts.defer(telemetry.stop);
      parts.defer(objects.close);
      parts.defer(tokenCounter.close);
      parts.defer(closeEncoder);
      parts.defer(engine.close);
      parts.defer(serving.stop);
      parts.defer(months.stop);
      parts.defer(usage.stop);
      parts.defer(credits.stop);
      parts.defer(billing.stop);
      parts.defer(idempotency.stop);
      parts.defer(limiter.stop);
      parts.defer(requests.stop);
      parts.defer(saved.stop);
      parts.defer(chats.stop);
      parts.defer(hosting.stop);
      parts.defer(imports.stop);
      parts.defer(indexes.stop);
      parts.defer(feedback.stop);
      parts.defer(training.stop);
      // Work in the background is tried again elsewhere; it need not hold up the end.
      parts.defer(() => jobs.stop(Math.min(drainMs, 5_000)));
      parts.defer(() => server.drain({ graceMs: drainMs }));
    },
  };
}
