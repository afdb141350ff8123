import path from 'node:path';
import { findAccountBySlug } from '#accounts';
import { grant } from '#billing';
import { addModel, type ModelKind, openModels } from '#models';
import { type ProgramOptions, startProgram } from '#test/program.ts';
import { startBenchDatabase } from './database.ts';

/** The real program under a benchmark, with models of ours added as an operator adds them. */
export type Served = { url: string; key: string; pid: number; databaseUrl: string; stop: () => Promise<void> };

const cataloguePath = path.join(import.meta.dirname, '../models/catalogue.yaml');

/** Starts the program of this or another checkout on a database of its own; `models` are registered before. */
export async function startServed(
  models: { id: string; kind: ModelKind; gguf: string; sequences?: number }[] = [],
  options: Pick<ProgramOptions, 'checkout' | 'env'> = {},
): Promise<Served> {
  const { database, url, dataDir, drop } = await startBenchDatabase();
  const service = openModels({ cataloguePath, dataDir });
  // The same context on every machine.
  for (const { id, kind, gguf } of models)
    await addModel(service, { id, kind, ggufPath: gguf, ...(kind === 'text' ? { contextTokens: 4096 } : {}) });
  const program = await startProgram({ databaseUrl: url, dataDir, ...options });
  const account = await findAccountBySlug(database, 'local');
  if (!account || program.key === null) throw new Error(`The program did not make its account:\n${program.output()}`);
  await grant(database, { accountId: account.id, micro: 1_000_000_000_000n, note: 'benchmark' });
  return {
    url: program.url,
    key: program.key,
    pid: program.process.pid ?? 0,
    databaseUrl: url,
    async stop() {
      await program.stop();
      await drop();
    },
  };
}
