import { countLeftHolds, doctor } from '#billing';
import type { Database } from '#db';
import type { GpuSelector } from '#engine';
import { checkEvents } from '#feedback';
import { messageOf } from '#kernel';
import { listModels, type ModelsService } from '#models';
import type { ObjectStore } from '#objects';
import { checkGpus } from './doctor-gpus.ts';
import { checkMissing } from './doctor-missing.ts';
import { checkObjects } from './doctor-objects.ts';

export type Installation = {
  database: Database;
  objects: Pick<ObjectStore, 'size' | 'list' | 'remove'>;
  models: ModelsService;
  gpu: Pick<GpuSelector, 'select'>;
  /** Whether the database is the one of `DATABASE_URL`. */
  isOwnDatabase: boolean;
};

export type Examination = {
  /** Also removes objects that nothing leads to. */
  removes?: boolean;
  /** Probes backends anew: libraries or drivers may have come. */
  probes?: boolean;
  /** What was found to be right, or worth knowing. */
  print: (line: string) => void;
};

/** Checks the accounting, the models, the GPUs and the files of an installation. Returns what is wrong, a line each. */
export async function examine(
  { database, objects, models, gpu, isOwnDatabase }: Installation,
  { removes = false, probes = false, print }: Examination,
): Promise<string[]> {
  const problems = [...checkModels(models), ...checkGpus(await gpu.select({ again: probes }), print)];
  const [server] = await database.query<{ version: string }>(`select current_setting('server_version') as version`);
  print(`database: PostgreSQL ${server?.version}, ${isOwnDatabase ? 'embedded' : 'from DATABASE_URL'}`);
  problems.push(...(await checkAccounting(database, print)));
  problems.push(...(await checkRetrievalEvents(database, print)));
  const look = { database, objects, print };
  problems.push(...(await lookThrough(() => checkMissing(look), { print })));
  problems.push(...(await lookThrough(() => checkObjects({ ...look, removes }), { print, must: removes })));
  return problems;
}

function checkModels(models: ModelsService): string[] {
  const gone = listModels(models).filter(({ from, installed }) => from === 'shipped' && !installed);
  return gone.map(({ id }) => `models: the file of ${id}, which ships with Fanfold, is gone.`);
}

async function checkAccounting(database: Database, print: (line: string) => void): Promise<string[]> {
  const findings = await doctor(database);
  const left = await countLeftHolds(database);
  if (left > 0)
    print(`accounting: ${left} reservations of servers that ended are still there; the next server gives them back`);
  if (findings.length === 0) print('accounting: every balance is the sum of its ledger, every charge is its formula');
  return findings.map(
    ({ check, accountId, subject, message }) => `accounting: ${check}, account ${accountId}, ${subject}: ${message}`,
  );
}

async function checkRetrievalEvents(database: Database, print: (line: string) => void): Promise<string[]> {
  const findings = await checkEvents(database);
  if (findings.length === 0) print('retrieval events: the counts are what events there are');
  return findings.map(
    ({ datasetId, message }) =>
      `retrieval events: ${datasetId === null ? message : `dataset ${datasetId}, ${message}`}`,
  );
}

/** A store that cannot be looked through (S3 has permissions for it) is no reason to doubt the accounting, unless it must be. */
async function lookThrough(
  look: () => Promise<string[]>,
  { print, must = false }: { print: (line: string) => void; must?: boolean },
): Promise<string[]> {
  try {
    return await look();
  } catch (error) {
    const line = `objects: they could not be looked through: ${messageOf(error)}`;
    if (must) return [line];
    print(line);
    return [];
  }
}
