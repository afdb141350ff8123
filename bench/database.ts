import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, migrate, openDatabase, startEmbedded } from '#db';

/** A migrated PostgreSQL of a benchmark's own, as durable as in production: every commit is on disk. */
export type BenchDatabase = { database: Database; url: string; dataDir: string; drop: () => Promise<void> };

/** Starts one in a temporary folder. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-bench-'));
  const server = await startEmbedded({ dataDir });
  const database = await openDatabase({ url: server.url, maxConnections: 10 });
  await migrate(database);
  return {
    database,
    url: server.url,
    dataDir,
    async drop() {
      await database.close();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
