import type { FastifyBaseLogger } from 'fastify';
import { createIdentity, installationSecret, oidcSettingsOf, readSignUpTerms } from '#accounts';
import { grant } from '#billing';
import type { CallsTiming } from '#calls';
import type { ChatsOptions } from '#chats';
import type { Database, Sql } from '#db';
import type { EngineSettings } from '#engine';
import { createPublicUrl, type ServerLimits } from '#http';
import { createJobs } from '#jobs';
import { createCursorCodec, newId, systemClock } from '#kernel';
import type { ModelsService } from '#models';
import { createTelemetry } from '#telemetry';
import type { Site } from '#web';
import type { Config } from '../config.ts';
import { openObjects } from './object-store.ts';

export type AppOptions = {
  config: Config;
  database: Database;
  models: ModelsService;
  log: FastifyBaseLogger;
  /** Bounds of the HTTP server other than its own. */
  limits?: Partial<ServerLimits>;
  /** How soon a process counts as dead, and the like; other than by default in tests only. */
  timing?: Partial<CallsTiming>;
  /** How often unpaid answers of dead processes are looked for; other than by default in tests only. */
  chats?: Pick<ChatsOptions, 'tidyMs' | 'imageBytes'>;
  /** How long calls wait for a model that is starting, and the like; other than by default in tests only. */
  engine?: Partial<EngineSettings>;
  /** The web app; without it only programs are served. */
  site?: Site;
};

export type Infrastructure = Awaited<ReturnType<typeof openInfrastructure>>;

/** What all rooms need: database, clock, log, jobs, objects and identity. */
export async function openInfrastructure({ config, database, log }: AppOptions) {
  const works = config.roles.includes('worker');
  return {
    config,
    database,
    log,
    works,
    clock: systemClock,
    instanceId: newId('ins'),
    telemetry: await openTelemetry(config, log),
    publicUrl: createPublicUrl(config.publicUrl),
    protocolSecret: await installationSecret(database, 'protocols'),
    cursors: createCursorCodec(await installationSecret(database, 'cursor')),
    objects: await openObjects(config),
    jobs: createJobs({ url: database.url, log, works }),
    probe: async () => void (await database.query('select')),
    signUpTerms: () => readSignUpTerms(database, signUpDefaultsOf(config)),
    identity: await openIdentity(config, database, log),
  };
}

function openTelemetry(config: Config, log: FastifyBaseLogger) {
  const { operatorHost: host, operatorPort: port, otlpEndpoint: endpoint, traceRatio: ratio } = config;
  return createTelemetry({
    operator: port === null ? null : { host, port },
    tracing: endpoint === null ? null : { endpoint, serviceName: config.otelServiceName, ratio },
    log,
  });
}

async function openIdentity(config: Config, database: Database, log: FastifyBaseLogger) {
  const { publicUrl } = config;
  const terms = (sql: Sql) => readSignUpTerms(sql, signUpDefaultsOf(config));
  return createIdentity({
    database,
    log,
    publicUrl,
    signUp: async () => (await terms(database)).policy,
    oidc: oidcSettingsOf(config),
    secret: await installationSecret(database, 'identity'),
    grantCredits: async (tx, accountId) => {
      const { creditsMicro } = await terms(tx);
      if (creditsMicro > 0n) await grant(tx, { accountId, micro: creditsMicro, note: 'Sign-up credits' });
    },
  });
}

export const signUpDefaultsOf = ({ signUp, signUpMicro }: Config) => ({ policy: signUp, creditsMicro: signUpMicro });
