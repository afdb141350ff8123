import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ModelsService, openModels } from '#models';

/** The catalogue as it ships, with the two tiny models installed; and what was added to the data folder, if one is given. */
export function openShippedModels(dataDir = join(tmpdir(), 'fanfold-without-registry')): ModelsService {
  const cataloguePath = fileURLToPath(new URL('../../models/catalogue.yaml', import.meta.url));
  return openModels({ cataloguePath, dataDir });
}
