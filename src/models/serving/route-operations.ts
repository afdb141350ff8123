import type { Sql } from '#db';
import { type DialectName, dialectNames, engineDialects, isDialectName } from '#engine';
import { modelIdPattern } from '../base-model.ts';
import { ModelError } from '../model-error.ts';
import type { ModelsService } from '../models-service.ts';
import { putRoute, type ServingRouteRow } from './serving-routes.store.ts';

export {
  deleteRoute,
  findRoute,
  listRoutes,
  putRoute,
  type ServingRouteRow,
  setDraining,
} from './serving-routes.store.ts';

export { type RouteTest, testRoute } from './test-route.ts';

/** A remote engine, as somebody describes it. */
export type RouteDescription = {
  name: string;
  baseModelId: string;
  api: string;
  url: string;
  upstreamModel?: string | undefined;
  /** Environment variable of the servers that holds its key, or a file on them. */
  secretEnv?: string | undefined;
  secretFile?: string | undefined;
  capacity: number;
  weight: number;
  adaptersFolder?: string | undefined;
  adaptersSeenAs?: string | undefined;
  vision?: boolean | undefined;
};

const maxCapacity = 10_000;
const maxWeight = 1_000_000;
const maxTextLength = 2_000;

/** Serves a base model by a remote engine, or sets the engine of this name up anew. Throws `ModelError`. */
export async function saveRoute(sql: Sql, models: ModelsService, given: RouteDescription): Promise<ServingRouteRow> {
  const route = readRoute(given);
  checkModel(models, route);
  await putRoute(sql, route);
  return route;
}

function checkModel(models: ModelsService, { api, baseModelId }: { api: DialectName; baseModelId: string }): void {
  const model = models.findKnown(baseModelId);
  if (!model)
    throw new ModelError(`There is no base model ${baseModelId}. See: fanfold models list, fanfold models catalogue`, {
      inRequest: `There is no base model ${baseModelId}.`,
    });
  const { countTexts, rerankRequest } = engineDialects[api];
  if (rerankRequest === null && model.kind === 'reranker')
    throw new ModelError(`--api ${api}: this engine does not rerank, and ${model.id} is a reranker.`);
  if (countTexts === null && model.kind !== 'text' && !model.installed)
    throw new ModelError(
      `Tokens of ${model.id} cannot be counted by this engine. Say which it is with --api, or install the model's file here as well.`,
    );
}

function readRoute(given: RouteDescription): ServingRouteRow & { api: DialectName } {
  const { name: id, baseModelId, api, capacity, weight, secretEnv, secretFile, vision = false } = given;
  if (!modelIdPattern.test(id))
    throw new ModelError('A route is named in lower-case letters, digits, ".", "_" and "-".');
  if (!isDialectName(api)) throw new ModelError(`--api: expected one of ${dialectNames.join(', ')}.`);
  const url = given.url.replace(/\/+$/, '');
  if (!/^https?:\/\//.test(url) || !URL.canParse(url) || url.length > maxTextLength)
    throw new ModelError('--url: expected http://... or https://...');
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > maxCapacity)
    throw new ModelError(`--capacity: expected a whole number, 1 to ${maxCapacity}.`);
  if (!(weight > 0 && weight <= maxWeight)) throw new ModelError('--weight: expected a number above 0.');
  if (secretEnv !== undefined && secretFile !== undefined)
    throw new ModelError('Give one of --secret-env and --secret-file.');
  if (secretEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(secretEnv))
    throw new ModelError('--secret-env: expected the name of an environment variable.');
  const { upstreamModel = baseModelId } = given;
  const secretSource = secretEnv ? `env:${secretEnv}` : secretFile ? `file:${secretFile}` : null;
  const rest = { secretSource, capacity, weight, draining: false, vision };
  return { id, baseModelId, api, url, upstreamModel, ...rest, ...readAdapters(api, given) };
}

const withAdapters = dialectNames.filter((name) => engineDialects[name].adapters !== null);

function readAdapters(api: DialectName, { adaptersFolder = null, adaptersSeenAs = null }: AdapterFolders) {
  if (adaptersSeenAs !== null && adaptersFolder === null)
    throw new ModelError('--adapters-seen-as: says what --adapters-folder is called elsewhere; give that, too.');
  if (adaptersFolder !== null && !withAdapters.includes(api))
    throw new ModelError(`--adapters-folder: needs --api ${withAdapters.join(', ')}.`);
  for (const path of [adaptersFolder, adaptersSeenAs]) {
    if (path !== null && !path.startsWith('/'))
      throw new ModelError('--adapters-folder, --adapters-seen-as: expected an absolute path.');
  }
  return { adaptersFolder, adaptersSeenAs };
}

type AdapterFolders = { adaptersFolder?: string | null | undefined; adaptersSeenAs?: string | null | undefined };
