import { type Database, migrate, openDatabase, refuseLossyPooler, shareEmbedded } from '#db';
import type { Config } from '../config.ts';
import { newDatabaseText } from './greeting.ts';
import { note } from './terminal.ts';

const connections = 2;

/**
 * Runs a command's work on the database of this installation, migrated: the one of `DATABASE_URL`, else that of the
 * running server, else the embedded one, started for as long as the work takes.
 */
export async function useDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  await using parts = new AsyncDisposableStack();
  const database = await openFor(parts, config);
  await migrate(database);
  return await work(database);
}

async function openFor(parts: AsyncDisposableStack, { databaseUrl, dataDir }: Config): Promise<Database> {
  if (databaseUrl !== null) {
    const database = await openDatabase({ url: databaseUrl, maxConnections: connections });
    parts.defer(database.close);
    await refuseLossyPooler(databaseUrl);
    return database;
  }
  const { database, isNew, close } = await shareEmbedded(dataDir, connections);
  parts.defer(close);
  if (isNew) note(newDatabaseText(dataDir));
  return database;
}
