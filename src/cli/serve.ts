import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createStartToken, findAccountBySlug, joinPath } from '#accounts';
import {
  closeDataFolder,
  type EmbeddedServer,
  migrate,
  openDatabase,
  prepareDataFolder,
  refuseLossyPooler,
  startEmbedded,
} from '#db';
import { OperatorError } from '#kernel';
import { createLog, openLogStream } from '#telemetry';
import { openSite } from '#web';
import { createApp } from '../app.ts';
import { type Config, unknownVariables } from '../config.ts';
import { furnish, localAccount, renderGreeting } from './first-start.ts';
import { openCatalogue } from './models.ts';
import { print } from './terminal.ts';

/**
 * Allocates every object of usual size in the young generation. By default V8 allocates objects of a code location directly in the old
 * generation once some of them have survived; dead ones there keep what they refer to alive until the next full collection, so
 * ever more objects survive (docs/performance/calls.md).
 */
const heapOption = '--no-allocation-site-pretenuring';

/**
 * Serves, works in the background, or both until `stop` aborts, then ends in order: no new calls, running ones finish, accounting written, models unloaded,
 * connections closed, embedded PostgreSQL stopped.
 */
export async function serve(config: Config, stop: AbortSignal): Promise<void> {
  setFlagsFromString(heapOption);
  const serves = config.roles.includes('serve');
  if (!serves && config.databaseUrl === null)
    throw new OperatorError('A worker works for servers: set DATABASE_URL to their database.');
  const log = createLog({ level: config.logLevel, stream: openLogStream(2) });
  const unknown = unknownVariables(config.environment);
  if (unknown !== null) log.warn(unknown);
  await prepareDataFolder(config.dataDir);
  await closeDataFolder(config.dataDir);
  const site = openSite({ root: fileURLToPath(new URL('../..', import.meta.url)), publicUrl: config.publicUrl, log });
  await using parts = new AsyncDisposableStack();
  const { url, isNew } =
    config.databaseUrl === null
      ? await startOwnDatabase(parts, config, log)
      : { url: config.databaseUrl, isNew: false };
  const database = await openDatabase({ url, maxConnections: config.databaseConnections });
  parts.defer(database.close);
  if (config.databaseUrl !== null) await refuseLossyPooler(url);
  await migrate(database);
  const models = openCatalogue(config, (line) => log.warn(line));
  const app = await createApp({ config, database, models, log, site });
  parts.defer(() => app.close(config.drainMs));
  if (serves) {
    // The port comes first: a key that is made before a start that fails would never be seen.
    const address = await listen(app.server, config);
    const key = await furnish(database, models);
    const hasLocal = (await findAccountBySlug(database, localAccount)) !== null;
    const madeIn = isNew ? config.dataDir : null;
    const base = config.publicUrl ?? address;
    const token = await createStartToken(database, new URL(base).host);
    const startLink = token === null ? null : base + joinPath(token);
    print(renderGreeting({ address, publicUrl: config.publicUrl, madeIn, key, hasLocal, startLink }));
  } else print('Fanfold works in the background, and listens to nobody but its operator.');
  await aborted(stop);
  print('Stopping: running calls may finish. A second signal ends everything at once.');
}

async function startOwnDatabase(
  parts: AsyncDisposableStack,
  { dataDir }: Config,
  log: Logger,
): Promise<EmbeddedServer> {
  const server = await startEmbedded({
    dataDir,
    onEvent: (event, reason) => {
      if (event === 'lost') log.warn('PostgreSQL ended unexpectedly and is started again');
      else if (event === 'failing') log.error({ reason }, 'PostgreSQL restart failed; retrying');
      else log.info('PostgreSQL answers again');
    },
  });
  parts.defer(server.stop);
  return server;
}

type ListenAddress = Pick<Config, 'host' | 'port'>;

const noAddressHere = ({ host }: ListenAddress) => `${host} is not an address of this machine; choose another HOST.`;

const listenProblems: Record<string, (place: ListenAddress) => string> = {
  EADDRINUSE: ({ host, port }) => `Port ${port} on ${host} is in use; choose another one with PORT.`,
  EACCES: ({ host, port }) => `Port ${port} on ${host} is not for this user; choose one above 1023 with PORT.`,
  EADDRNOTAVAIL: noAddressHere,
  ENOTFOUND: noAddressHere,
};

async function listen(server: FastifyInstance, { host, port }: ListenAddress): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const problem = listenProblems[code];
    if (!problem) throw error;
    throw new OperatorError(problem({ host, port }), { cause: error });
  }
  return addressOf(server, host);
}

/** The address as a client on this machine writes it. */
function addressOf(server: FastifyInstance, host: string): string {
  const address: AddressInfo | string | null = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port. This is a bug.');
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
