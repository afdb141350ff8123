import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { CallsTiming } from '#calls';
import type { Database } from '#db';
import type { ServerLimits } from '#http';
import type { ModelsService } from '#models';
import type { Site } from '#web';
import type { AppOptions } from '../../src/app/infrastructure.ts';
import { type App, createApp } from '../../src/app.ts';
import { openCatalogue } from '../../src/cli/models.ts';
import { loadConfig } from '../../src/config.ts';
import { watchContract } from './contract-watch.ts';

/** The wired program inside the process of a test, with the shipped models, on a free port. */
export type TestApp = {
  server: App['server'];
  models: ModelsService;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  stop: () => Promise<void>;
};

export type TestAppOptions = {
  limits?: Partial<ServerLimits>;
  /** Settings as in the environment. */
  settings?: Record<string, string>;
  /** Default: a temporary one of its own. */
  dataDir?: string;
  /** How soon a process counts as dead, and the like. */
  timing?: Partial<CallsTiming>;
  /** How often unpaid answers are looked for. */
  chats?: AppOptions['chats'];
  /** Compare each answer with the published contract, and fail when stopped. Default: true; off where time is measured. */
  watched?: boolean;
  /** The web app; without it only programs are served. */
  site?: Site;
};

export async function startApp(database: Database, options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'fanfold-app-')));
  const config = loadConfig({ ...process.env, ...options.settings, FANFOLD_DATA_DIR: dataDir });
  const log = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }));
  const models = openCatalogue(config, (line) => log.error(line));
  const { limits = {}, timing = {}, chats = {}, site } = options;
  // A model may take its time to start on a busy machine; no call is to fail for that.
  const engine = { warmWaitMs: 150_000 };
  const parts = { config, database, models, log, limits, timing, chats, engine };
  const { server, close } = await createApp(site ? { ...parts, site } : parts);
  const watch = options.watched === false ? null : watchContract(server);
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    server,
    models,
    origin,
    stop: async () => {
      await close(500);
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
      assert.deepEqual(watch?.violations() ?? [], [], 'answers that the published contract does not allow');
    },
  };
}
