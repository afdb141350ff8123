import { OperatorError } from '#kernel';
import { examine } from '#operator';
import { openGpuSelector } from '../app/gpu-selector.ts';
import { openUncheckedObjects } from '../app/object-store.ts';
import type { Config } from '../config.ts';
import { openCatalogue } from './models.ts';
import { print } from './terminal.ts';
import { useDatabase } from './use-database.ts';

/** Prints what was found; throws when something is wrong, so that scripts can rely on the exit code. */
export async function doctorCommand(config: Config, { removeObjects = false } = {}): Promise<void> {
  const problems: string[] = [];
  const models = openCatalogue(config, (line) => problems.push(`models: ${line}`));
  const gpu = openGpuSelector(config, () => {});
  const isOwnDatabase = config.databaseUrl === null;
  await useDatabase(config, async (database) => {
    const objects = await openUncheckedObjects(config);
    try {
      const installation = { database, objects, models, gpu, isOwnDatabase };
      problems.push(...(await examine(installation, { removes: removeObjects, probes: true, print })));
    } finally {
      await objects.close();
    }
  });
  for (const problem of problems) print(problem);
  if (problems.length > 0)
    throw new OperatorError(problems.length === 1 ? '1 problem found.' : `${problems.length} problems found.`);
  print('No problems found.');
}
