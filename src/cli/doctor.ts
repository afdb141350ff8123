import { countLeftHolds, doctor } from '#billing';
import type { Database } from '#db';
import { checkEvents } from '#feedback';
import { messageOf, OperatorError } from '#kernel';
import { listModels } from '#models';
import { openGpuSelector } from '../app/gpu-selector.ts';
import { openUncheckedObjects } from '../app/object-store.ts';
import type { Config } from '../config.ts';
import { checkGpus } from './doctor-gpus.ts';
import { checkMissing } from './doctor-missing.ts';
import { checkObjects } from './doctor-objects.ts';
import { openCatalogue } from './models.ts';
import { print } from './terminal.ts';
import { useDatabase } from './use-database.ts';

/** Prints what was found; throws when something is wrong, so that scripts can rely on the exit code. */
export async function doctorCommand(config: Config, { removeObjects = false } = {}): Promise<void> {
  const problems = [...lookAtModels(config), ...(await lookAtGpus(config))];
  await useDatabase(config, async (database) => {
    const [server] = await database.query<{ version: string }>(`select current_setting('server_version') as version`);
    print(`database: PostgreSQL ${server?.version}, ${config.databaseUrl === null ? 'embedded' : 'from DATABASE_URL'}`);
    problems.push(...(await checkAccounting(database)));
    problems.push(...(await lookAtEvents(database)));
    problems.push(...(await lookAtObjects(config, database, removeObjects)));
  });
  for (const problem of problems) print(problem);
  if (problems.length > 0)
    throw new OperatorError(problems.length === 1 ? '1 problem found.' : `${problems.length} problems found.`);
  print('No problems found.');
}

/** Probes anew: libraries or drivers may have come. */
async function lookAtGpus(config: Config): Promise<string[]> {
  const selection = await openGpuSelector(config, () => {}).select({ again: true });
  return checkGpus(selection, print);
}

function lookAtModels(config: Config): string[] {
  const problems: string[] = [];
  const models = openCatalogue(config, (line) => problems.push(`models: ${line}`));
  const gone = listModels(models).filter(({ from, installed }) => from === 'shipped' && !installed);
  return [...problems, ...gone.map(({ id }) => `models: the file of ${id}, which ships with Fanfold, is gone.`)];
}

async function checkAccounting(database: Database): Promise<string[]> {
  const findings = await doctor(database);
  const left = await countLeftHolds(database);
  if (left > 0)
    print(`accounting: ${left} reservations of servers that ended are still there; the next server gives them back`);
  if (findings.length === 0) print('accounting: every balance is the sum of its ledger, every charge is its formula');
  return findings.map(
    ({ check, accountId, subject, message }) => `accounting: ${check}, account ${accountId}, ${subject}: ${message}`,
  );
}

async function lookAtEvents(database: Database): Promise<string[]> {
  const findings = await checkEvents(database);
  if (findings.length === 0) print('retrieval events: the counts are what events there are');
  return findings.map(
    ({ datasetId, message }) =>
      `retrieval events: ${datasetId === null ? message : `dataset ${datasetId}, ${message}`}`,
  );
}

async function lookAtObjects(config: Config, database: Database, removes: boolean): Promise<string[]> {
  const objects = await openUncheckedObjects(config);
  try {
    const missing = await lookThrough(() => checkMissing({ database, objects, print }));
    const orphans = await lookThrough(() => checkObjects({ database, objects, removes, print }), { must: removes });
    return [...missing, ...orphans];
  } finally {
    await objects.close();
  }
}

/** A store that cannot be looked through (S3 has permissions for it) is no reason to doubt the accounting, unless it must be. */
async function lookThrough(look: () => Promise<string[]>, { must = false } = {}): Promise<string[]> {
  try {
    return await look();
  } catch (error) {
    const line = `objects: they could not be looked through: ${messageOf(error)}`;
    if (must) return [line];
    print(line);
    return [];
  }
}
