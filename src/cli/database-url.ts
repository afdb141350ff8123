import { findEmbedded } from '#db';
import { OperatorError } from '#kernel';
import type { Config } from '../config.ts';
import { print } from './terminal.ts';
import { useDatabase } from './use-database.ts';

/** An embedded database has an address only while it runs: one that is started for this command would be gone once it is read. */
export async function databaseUrlCommand(config: Config): Promise<void> {
  if (config.databaseUrl === null && (await findEmbedded(config.dataDir)) === null)
    throw new OperatorError(`No server runs on the data folder ${config.dataDir}: its database has no address now.`);
  await useDatabase(config, async ({ url }) => print(url));
}
