import { type Database, findEmbedded, migrate, openDatabase, startEmbedded } from '#db';
import type { Config } from '../config.ts';
import { tellOfNewDatabase } from './greeting.ts';
import { note } from './terminal.ts';

const connections = 2;

/**
 * Runs a command's work on the database of this installation, migrated: the one of `DATABASE_URL`, else that of the
 * running server, else the embedded one, started for as long as the work takes.
 */
export async function useDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  await using parts = new AsyncDisposableStack();
  const url = config.databaseUrl ?? (await findEmbedded(config.dataDir)) ?? (await startFor(parts, config.dataDir));
  const database = await openDatabase({ url, maxConnections: connections });
  parts.defer(database.close);
  await migrate(database);
  return await work(database);
}

async function startFor(parts: AsyncDisposableStack, dataDir: string): Promise<string> {
  const server = await startEmbedded({ dataDir });
  if (server.isNew) note(tellOfNewDatabase(dataDir));
  parts.defer(server.stop);
  return server.url;
}
