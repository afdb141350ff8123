import { type Database, openDatabase } from './database.ts';
import { claimEmbedded, findEmbedded } from './embedded.ts';

export type Shared = {
  database: Database;
  /** The database was made by this start. */
  isNew: boolean;
  /** Closes the connections; the last one out ends PostgreSQL. */
  close: () => Promise<void>;
};

/**
 * The database of a data folder for work of any length, whoever comes and goes meanwhile: on the PostgreSQL that another
 * process runs there, else on one that is started for it.
 */
export async function shareEmbedded(dataDir: string, maxConnections: number): Promise<Shared> {
  for (;;) {
    const found = await findEmbedded(dataDir);
    const server = found === null ? await claimEmbedded({ dataDir, leavesToOthers: true }, 0) : null;
    const url = found ?? server?.url;
    // Another process was quicker.
    if (url === undefined) continue;
    try {
      // All connections at once: a PostgreSQL whose owner has ended keeps those it has, and takes no new ones.
      const database = await openDatabase({ url, maxConnections, opensAll: true });
      return { database, isNew: server?.isNew ?? false, close: () => database.close().finally(server?.stop) };
    } catch (error) {
      await server?.stop();
      // One that ended in this very moment is no reason to fail.
      if (server || (await findEmbedded(dataDir)) === url) throw error;
    }
  }
}
