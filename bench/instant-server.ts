import { randomBytes } from 'node:crypto';
import { createCalls } from '#calls';
import { openDatabase } from '#db';
import { createServer } from '#http';
import { createAdmission, createAutoSave, createRepeatGuard, inferenceRoutes } from '#inference';
import { newId, systemClock } from '#kernel';
import { createKeyUsage } from '#keys';
import { createModelUsage, openModels } from '#models';
import { createInstantEngine } from './instant-engine.ts';

/**
 * The program's own hot path, every part real but the engine: admission without a cache, hold, settlement committed
 * before the answer. Run as a child: argv is the database URL and the data folder; tells its port to the parent.
 */
const [url = '', dataDir = ''] = process.argv.slice(2);
const database = await openDatabase({ url, maxConnections: 6 });
const clock = systemClock;
const keyUsage = createKeyUsage({ sql: database, clock });
const calls = createCalls({ database, serverId: newId('ins'), clock });
const models = openModels({
  cataloguePath: new URL('../models/catalogue.yaml', import.meta.url).pathname,
  dataDir,
  clock,
});
const app = createServer({ authenticator: async () => null, probe: async () => {} });
const admit = createAdmission({ sql: database, keyUsage });
const modelUsage = createModelUsage({ sql: database, clock });
const autoSave = createAutoSave({ sql: database });
inferenceRoutes(app, {
  admit,
  sql: database,
  models,
  modelUsage,
  storedResponses: null,
  protocolSecret: randomBytes(32),
  engine: createInstantEngine(),
  calls,
  repeatGuard: createRepeatGuard(clock),
  autoSave,
  observe: null,
  clock,
});
calls.start();
keyUsage.start();
await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address();
if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
process.on('disconnect', () => process.exit(0));
