import { readFileSync } from 'node:fs';
import type { Sql } from '#db';
import { isDialectName, type ServingRoute } from '#engine';
import { createIntervalTask } from '#kernel';
import type { BaseModel } from '../base-model.ts';
import type { ModelsService } from '../models-service.ts';
import { listRoutes, type ServingRouteRow } from './serving-routes.store.ts';

export type ServingRoutes = {
  /** The same array as long as nothing changed. */
  routes: () => readonly ServingRoute[];
  isServed: (baseModelId: string) => boolean;
  /** Whether one of its routes reads images. */
  hasVision: (baseModelId: string) => boolean;
  /** Reads them now; `start` does so before the first call. */
  refresh: () => Promise<void>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

export type ServingRoutesOptions = {
  sql: Sql;
  find: (id: string) => BaseModel | undefined;
  environment: Record<string, string | undefined>;
  /** Reports in one line what keeps a route from being used. */
  onWarning: (line: string) => void;
};

/** A change is in effect on every server after at most this time. */
const refreshEveryMs = 2_000;

export function createServingRoutes(options: ServingRoutesOptions): ServingRoutes {
  const { sql, find, environment, onWarning } = options;
  let rows: readonly ServingRouteRow[] = [];
  let routes: readonly ServingRoute[] = [];
  let served: ReadonlySet<string> = new Set();
  let seeing: ReadonlySet<string> = new Set();
  let latest = '';

  const open = () => {
    const { found, problems } = openRoutes(rows, { find, environment });
    const now = JSON.stringify([found, problems]);
    if (now === latest) return;
    latest = now;
    for (const problem of problems) onWarning(problem);
    routes = found;
    served = new Set(found.map(({ baseModelId }) => baseModelId));
    seeing = new Set(found.flatMap(({ baseModelId, vision }) => (vision ? baseModelId : [])));
  };
  const refresh = async () => {
    rows = await listRoutes(sql);
    open();
  };
  const polling = createIntervalTask({
    pauseMs: refreshEveryMs,
    first: 'after a pause',
    work: refresh,
    // A database that is away for a while leaves the routes as they are.
    onError: () => {},
  });

  return {
    routes: () => routes,
    isServed: (baseModelId) => served.has(baseModelId),
    hasVision: (baseModelId) => seeing.has(baseModelId),
    refresh,
    async start() {
      await refresh();
      polling.start();
    },
    stop: polling.stop,
  };
}

function openRoutes(
  rows: readonly ServingRouteRow[],
  { find, environment }: Pick<ServingRoutesOptions, 'find' | 'environment'>,
) {
  const found: ServingRoute[] = [];
  const problems: string[] = [];
  for (const { secretSource, adaptersFolder = null, adaptersSeenAs = null, api, ...row } of rows) {
    const model = find(row.baseModelId);
    const secret = secretSource === null ? null : readSecret(secretSource, environment);
    if (!model) problems.push(`The serving route ${row.id} is of ${row.baseModelId}, which is no base model here.`);
    else if (!isDialectName(api)) problems.push(`The serving route ${row.id} has an unknown --api: ${api}.`);
    else if (secret === undefined)
      problems.push(`The secret of the serving route ${row.id} is not at ${secretSource}.`);
    else found.push({ ...row, api, secret, kind: model.kind, ...sizesOf(model), adaptersFolder, adaptersSeenAs });
  }
  return { found, problems };
}

const sizesOf = ({ maxContextTokens, dimensions }: BaseModel) => ({ maxContextTokens, dimensions });

/** undefined: it is not there. */
export function readSecret(source: string, environment: Record<string, string | undefined>): string | undefined {
  const colon = source.indexOf(':');
  const [type, location] = [source.slice(0, colon), source.slice(colon + 1)];
  if (type === 'env') return environment[location] || undefined;
  try {
    return readFileSync(location, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The base models, with those marked that a route serves; a route makes one of a model of the library. */
export function withRoutes(
  models: ModelsService,
  { isServed, hasVision }: Pick<ServingRoutes, 'isServed' | 'hasVision'>,
): ModelsService {
  const mark = (model: BaseModel): BaseModel =>
    isServed(model.id) ? { ...model, isRemote: true, hasVision: hasVision(model.id) } : model;
  const findKnown = (id: string) => {
    const model = models.findKnown(id);
    return model && mark(model);
  };
  return {
    ...models,
    find: (id) => (isServed(id) ? findKnown(id) : models.find(id)),
    findKnown,
    baseModels: () => [...models.baseModels(), ...models.library().filter(({ id }) => isServed(id))].map(mark),
    library: () => models.library().filter(({ id }) => !isServed(id)),
  };
}
