import { createHash } from 'node:crypto';
import { readFileSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineModel } from '#engine';
import { type Clock, parseCredits, systemClock } from '#kernel';
import { type BaseModel, maxInputTokensOf } from './base-model.ts';
import { type CatalogueEntry, loadCatalogue, type ModelCatalogue } from './catalogue.ts';
import { baseModelOf } from './library.ts';
import { reasonOf } from './model-error.ts';
import { noSettings } from './model-settings.ts';
import { changeOfFiles, digestOfFiles, firstPath, statFile } from './registered-files.ts';
import { type Registry, type RegistryEntry, readRegistry, registryPath } from './registry.ts';
import { type TrainingProfile, type TrainingWeights, trainingProfileOf } from './training-profile.ts';
import { holdsWeights, hubWeightsFolder } from './weights.ts';

/** The base models of this server: the catalogue, what is installed of it, and what was added. */
export type ModelsService = {
  baseModels: () => readonly BaseModel[];
  /** What can be pulled by an id, and is not a base model here yet. */
  library: () => readonly BaseModel[];
  find: (id: string) => BaseModel | undefined;
  /** Also finds models of the library, for those who say how to get them. Their ids are free for aliases. */
  findKnown: (id: string) => BaseModel | undefined;
  isInstalled: (id: string) => boolean;
  engineModels: () => readonly EngineModel[];
  trainingProfile: (id: string) => TrainingProfile | null;
  /** Whoever has changed something on disk sees it from the next question on. */
  refresh: () => void;
  catalogue: ModelCatalogue;
  registryPath: string;
};

export type ModelsOptions = {
  /** `catalogue.yaml`; shipped model files lie beside it. */
  cataloguePath: string;
  dataDir: string;
  /** Told in one line what is wrong with the registry or a model file; the server goes on with the rest. */
  onWarning?: (line: string) => void;
  clock?: Clock;
};

/** A change on disk is noticed after at most this time; between looks, a question costs no system call. */
const lookEveryMs = 500;

type Snapshot = {
  models: BaseModel[];
  library: BaseModel[];
  byId: Map<string, BaseModel>;
  engineModels: EngineModel[];
};

/** Opens the models. Throws `ModelError` for a broken catalogue; a broken registry is a warning. */
export function openModels(options: ModelsOptions): ModelsService {
  const { onWarning = () => {}, clock = systemClock } = options;
  const catalogue = loadCatalogue(options.cataloguePath);
  const path = registryPath(options.dataDir);
  const shippedDigests = createDigestCache();
  let registry: Registry = { entries: new Map(), settings: new Map(), problems: [] };
  let registrySeen = '';
  let filesSeen = '';
  let snapshot: Snapshot = { models: [], library: [], byId: new Map(), engineModels: [] };
  let nextLookMs = Number.NEGATIVE_INFINITY;

  const current = (): Snapshot => {
    const nowMs = clock.monotonicMs();
    if (nowMs < nextLookMs) return snapshot;
    nextLookMs = nowMs + lookEveryMs;
    const registryNow = fingerprintOf(path);
    const registryChanged = registryNow !== registrySeen;
    if (registryChanged) {
      registrySeen = registryNow;
      try {
        registry = readRegistry(path);
        for (const problem of registry.problems) onWarning(problem);
      } catch (error) {
        onWarning(`${reasonOf(error)} The models known before stay in use.`);
      }
    }
    const files = modelFilesOf(catalogue, registry, dirname(options.cataloguePath));
    const filesNow = files.map(fingerprintOf).join('|');
    if (registryChanged || filesNow !== filesSeen) {
      filesSeen = filesNow;
      snapshot = takeSnapshot({ catalogue, registry, cataloguePath: options.cataloguePath, shippedDigests, onWarning });
    }
    return snapshot;
  };

  current();
  return {
    baseModels: () => current().models,
    library: () => current().library,
    find: (id) => current().byId.get(id),
    findKnown: (id) => current().byId.get(id) ?? current().library.find((model) => model.id === id),
    isInstalled: (id) => current().byId.get(id)?.installed != null,
    engineModels: () => current().engineModels,
    trainingProfile: (id) => {
      const entry = catalogue.training.get(id);
      const model = current().byId.get(id);
      return entry && model ? trainingProfileOf(entry, model, weightsFolderOf(id, entry.weights, options)) : null;
    },
    refresh: () => {
      nextLookMs = Number.NEGATIVE_INFINITY;
    },
    catalogue,
    registryPath: path,
  };
}

/** The weights of a model in Hugging Face form; those of the hub lie in the data folder, under the model's id. */
function weightsFolderOf(id: string, weights: TrainingWeights, options: ModelsOptions): string | null {
  const { cataloguePath, dataDir } = options;
  const folder =
    weights.type === 'shipped'
      ? join(dirname(cataloguePath), weights.folder)
      : hubWeightsFolder(registryPath(dataDir), id);
  return holdsWeights(folder) ? folder : null;
}

function modelFilesOf(catalogue: ModelCatalogue, registry: Registry, folder: string): string[] {
  const shipped = catalogue.entries.flatMap(({ source }) =>
    source.type === 'shipped' ? [join(folder, source.file)] : [],
  );
  return [...shipped, ...[...registry.entries.values()].flatMap(({ files }) => files.map(({ path }) => path))];
}

type SnapshotParts = {
  catalogue: ModelCatalogue;
  registry: Registry;
  cataloguePath: string;
  shippedDigests: (path: string, stat: Stats) => string;
  onWarning: (line: string) => void;
};

function takeSnapshot(parts: SnapshotParts): Snapshot {
  const models: BaseModel[] = [];
  for (const entry of parts.catalogue.entries)
    models.push(withSettings({ ...entry, installed: installedOf(entry, parts) }, parts.registry));
  for (const [id, entry] of [...parts.registry.entries].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (models.some((model) => model.id === id)) continue;
    const model = addedModel(id, entry, parts.onWarning);
    if (model) models.push(withSettings(model, parts.registry));
  }
  const engineModels = models.flatMap((model) => engineModelOf(model) ?? []);
  const library = libraryOf(parts.catalogue).filter(({ id }) => !models.some((model) => model.id === id));
  const byId = new Map(models.map((model) => [model.id, model]));
  return { models, library, byId, engineModels };
}

function libraryOf({ library, priceVersion, pricesSince, defaultRateOf }: ModelCatalogue): BaseModel[] {
  return library.map((entry) =>
    baseModelOf(entry, { priceVersion, pricesSince, rate: defaultRateOf(entry.parameters) }),
  );
}

function withSettings(model: BaseModel, { settings: all }: Registry): BaseModel {
  const settings = all.get(model.id);
  if (settings === undefined) return model;
  const maxContextTokens = settings.context?.tokens ?? model.maxContextTokens;
  const maxInputTokens = maxInputTokensOf(model.kind, maxContextTokens);
  return { ...model, maxContextTokens, maxInputTokens, settings };
}

/** As the engine loads it; null: its file is not here. */
export function engineModelOf({ id, kind, maxContextTokens, installed, settings }: BaseModel): EngineModel | null {
  if (!installed) return null;
  const { sequences, kv } = settings ?? noSettings;
  return { id, kind, ggufPath: installed.ggufPath, maxContextTokens, sequences, kv };
}

function installedOf(entry: CatalogueEntry, parts: SnapshotParts): BaseModel['installed'] {
  if (entry.source.type === 'shipped') {
    const ggufPath = join(dirname(parts.cataloguePath), entry.source.file);
    const stat = statFile(ggufPath);
    return stat ? { ggufPath, sha256: parts.shippedDigests(ggufPath, stat) } : null;
  }
  const registered = parts.registry.entries.get(entry.id);
  return registered ? filesOf(entry.id, registered, parts.onWarning) : null;
}

/** The registered files, unless one is gone or is another one than was registered. */
function filesOf(id: string, { files }: RegistryEntry, onWarning: (line: string) => void): BaseModel['installed'] {
  const change = changeOfFiles(files);
  if (change === null) return { ggufPath: firstPath(files), sha256: digestOfFiles(files) };
  onWarning(`The file of ${id} ${change}`);
  return null;
}

function addedModel(id: string, entry: RegistryEntry, onWarning: (line: string) => void): BaseModel | null {
  const { added } = entry;
  // A pulled entry whose catalogue row is gone: nothing describes it any more.
  if (!added) return null;
  return {
    id,
    name: added.name,
    kind: added.kind,
    parameters: added.parameters,
    license: added.license,
    maxContextTokens: added.max_context_tokens,
    dimensions: added.kind === 'embedding' ? added.dimensions : null,
    maxInputTokens: maxInputTokensOf(added.kind, added.max_context_tokens),
    rateMicroPerMinute: parseCredits(added.credits_per_gpu_minute) ?? 0n,
    priceVersion: added.price_version,
    queryInstruction: added.kind === 'embedding' ? added.query_instruction : null,
    reasoningEfforts: added.kind === 'text' ? added.reasoning_efforts : [],
    tools: added.kind === 'text' && added.tools,
    ...(added.kind === 'text' ? { parallelToolCalls: added.parallel_tool_calls, missing: added.missing } : {}),
    source: sourceOf(entry),
    installed: filesOf(id, entry, onWarning),
    created: new Date(entry.installed_at),
  };
}

function sourceOf({ hub, files }: RegistryEntry): BaseModel['source'] {
  if (!hub) return null;
  const { repo, revision } = hub;
  const sizeBytes = files.reduce((sum, { size_bytes: size }) => sum + size, 0);
  return { type: 'hub', repo, revision, sizeBytes, sha256: digestOfFiles(files) };
}

/** Digests of the small shipped files, computed once per version of the file. */
function createDigestCache(): (path: string, stat: Stats) => string {
  const known = new Map<string, { version: string; sha256: string }>();
  return (path, stat) => {
    const version = versionOf(stat);
    const hit = known.get(path);
    if (hit?.version === version) return hit.sha256;
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    known.set(path, { version, sha256 });
    return sha256;
  };
}

function fingerprintOf(path: string): string {
  const stat = statFile(path);
  return stat ? versionOf(stat) : 'none';
}

function versionOf(stat: Stats): string {
  return `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
}
