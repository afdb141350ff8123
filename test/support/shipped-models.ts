import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ModelsService, openModels } from '#models';

/** The catalogue as it ships, with the two tiny models installed and nothing added. */
export function openShippedModels(): ModelsService {
  const cataloguePath = fileURLToPath(new URL('../../models/catalogue.yaml', import.meta.url));
  return openModels({ cataloguePath, dataDir: join(tmpdir(), 'fanfold-without-registry') });
}
