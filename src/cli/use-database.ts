import { type Database, findEmbedded, migrate, openDatabase, refuseLossyPooler, shareEmbedded } from '#db';
import { OperatorError } from '#kernel';
import type { Config } from '../config.ts';
import { newDatabaseText } from './first-start.ts';
import { note, print } from './terminal.ts';

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

/** An embedded database has an address only while it runs: one that is started for this command would be gone once it is read. */
export async function databaseUrlCommand(config: Config): Promise<void> {
  if (config.databaseUrl === null && (await findEmbedded(config.dataDir)) === null)
    throw new OperatorError(`No server runs on the data folder ${config.dataDir}: its database has no address now.`);
  await useDatabase(config, async ({ url }) => print(url));
}
