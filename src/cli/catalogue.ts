import { fileURLToPath } from 'node:url';
import { type ModelsService, openModels } from '#models';
import type { Config } from '../config.ts';

const cataloguePath = fileURLToPath(new URL('../../models/catalogue.yaml', import.meta.url));

export function openCatalogue(config: Config, onWarning: (line: string) => void): ModelsService {
  return openModels({ cataloguePath, dataDir: config.dataDir, onWarning });
}
