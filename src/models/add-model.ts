import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import {
  type ContextChoice,
  type KvType,
  type ModelPlanner,
  modelFiles,
  readCapabilities,
  type TemplateCapabilities,
} from '#engine';
import { formatCredits, parseCredits, systemCodeOf } from '#kernel';
import { modelIdPattern, usualContextOf } from './base-model.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { chooseSettings, storedSettings, withPlanner } from './choose-settings.ts';
import { checkServable, type GgufFacts, kindOfFile, readGgufFacts, supportedContextOf } from './gguf/facts.ts';
import type { LibraryEntry } from './library.ts';
import { inOneLine, ModelError } from './model-error.ts';
import type { ModelKind } from './model-kinds.ts';
import { noSettings } from './model-settings.ts';
import type { ModelsService } from './models-service.ts';
import { digestOfFiles, sha256OfFile } from './registered-files.ts';
import {
  type AddedModel,
  type HubOrigin,
  type RegisteredFile,
  type RegistryEntry,
  readRegistry,
  updateRegistry,
} from './registry.ts';

type AddModelOptions = {
  /** A new id, or the id of a catalogue entry whose file was fetched by other means. */
  id: string;
  /** Default: what the file says. */
  kind?: ModelKind | undefined;
  /**
   * The file, or the first part of a split model. It stays where it is; the registry keeps the absolute paths, sizes and
   * digests.
   */
  ggufPath: string;
  /** Default: what the model supports and what fits into memory; that of an embedding model is at most 512, of a reranker 2048. */
  contextTokens?: number | undefined;
  /** Calls at once. Default: as many as the server is set to, as far as there is memory. */
  sequences?: number | undefined;
  kv?: KvType | undefined;
  planner?: ModelPlanner | undefined;
  /** Credits per GPU minute as a decimal. Default: the catalogue's default rate. */
  rate?: string | undefined;
  name?: string | undefined;
  /** Embedding models: see `withQueryInstruction`. */
  queryInstruction?: string | undefined;
  force?: boolean | undefined;
  /** Of files that were pulled. */
  origin?: PulledOrigin | undefined;
  nowMs?: number | undefined;
};

export type PulledOrigin = {
  hub: HubOrigin;
  /** SHA-256 by path, checked. */
  digests: ReadonlyMap<string, string>;
  license: string | null;
};

type AddedReport = {
  id: string;
  kind: ModelKind;
  facts: GgufFacts;
  sha256: string;
  contextTokens: number;
  /** null: the context was given, or is that of an embedding model. */
  choice: ContextChoice | null;
  /** What a text model cannot do, and why. */
  missing: string[];
  warnings: string[];
};

/** Registers a local GGUF file. A running server serves it within a second. Throws `ModelError` with one line. */
export function addModel(models: ModelsService, options: AddModelOptions): Promise<AddedReport> {
  return inOneLine(() => checkAndRegister(models, options));
}

async function checkAndRegister(models: ModelsService, options: AddModelOptions): Promise<AddedReport> {
  const { id, origin } = options;
  const listed = models.catalogue.entries.find((entry) => entry.id === id);
  const known = models.catalogue.library.find((entry) => entry.id === id);
  checkId(models, options, listed);
  // Not the real path: behind a symbolic link the name may be a digest, and this one is what the person knows.
  const path = resolve(options.ggufPath);
  const file = basename(path);
  if ((await stampOf(path)) === null) throw new ModelError(`There is no file ${path}.`);
  const before = await Promise.all(modelFiles(path).map(stampOf));
  const facts = readGgufFacts(path);
  const kind = options.kind ?? kindOfFile(facts);
  const warnings = checkServable(facts, kind, file);
  if (listed) checkKind(listed, kind);
  if (listed) checkFactsOfListed(facts, listed, file);
  if (known) checkFactsOfKnown({ facts, kind, known, file });
  const supportedTokens = listed?.maxContextTokens ?? supportedOf(facts, { ...options, kind });
  const capabilities = kind === 'text' ? readCapabilities(path) : null;
  const added = listed ? null : describe(models, { ...options, kind, facts, supportedTokens, known, capabilities });
  const { contextTokens, sequences, kv } = options;
  const chosen = await withPlanner(options.planner, (planner) =>
    chooseSettings(planner, {
      model: { id, kind, ggufPath: path },
      supportedTokens,
      fileTokens: supportedContextOf(facts),
      before: noSettings,
      change: { contextTokens, sequences, kv },
    }),
  );
  const files: RegisteredFile[] = [];
  for (const [index, each] of facts.files.entries())
    files.push(await describeFile(each, { before: before[index] ?? null, sha256: origin?.digests.get(each) }));
  const entry: RegistryEntry = {
    files,
    hub: origin?.hub ?? null,
    installed_at: new Date(options.nowMs ?? Date.now()).toISOString(),
    added,
  };
  await updateRegistry(models.registryPath, id, entry, storedSettings(chosen.settings));
  warnings.push(...chosen.warnings);
  const { choice } = chosen;
  const missing = capabilities === null ? [] : missingOf(capabilities);
  const sha256 = digestOfFiles(files);
  return { id, kind, facts, sha256, contextTokens: chosen.contextTokens, choice, missing, warnings };
}

const names = {
  tools: 'tools',
  parallel_tool_calls: 'parallel tool calls',
  reasoning_effort: 'reasoning effort',
} as const;

function missingOf({ missing }: TemplateCapabilities): string[] {
  const keys = ['tools', 'parallel_tool_calls', 'reasoning_effort'] as const;
  return keys.flatMap((key) => (missing[key] === undefined ? [] : [`No ${names[key]}: ${missing[key]}`]));
}

type FileStamp = { size: number; mtimeMs: number };

/** null: there is no such file. */
async function stampOf(path: string): Promise<FileStamp | null> {
  return await stat(path).catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  });
}

type KnownOfFile = {
  /** Before anything of it was read. */
  before: FileStamp | null;
  /** Of a file that was checked just now. */
  sha256: string | undefined;
};

async function describeFile(path: string, known: KnownOfFile): Promise<RegisteredFile> {
  const sha256 = known.sha256 ?? (await sha256OfFile(path));
  const after = await stampOf(path);
  if (!after || after.size !== known.before?.size || after.mtimeMs !== known.before.mtimeMs)
    throw new ModelError(`${path} changed while it was read; try again when it is complete.`);
  return { path, size_bytes: after.size, modified_ms: after.mtimeMs, sha256 };
}

function checkId(models: ModelsService, options: AddModelOptions, listed: CatalogueEntry | undefined): void {
  const { id, force } = options;
  if (!modelIdPattern.test(id)) {
    throw new ModelError(
      `${JSON.stringify(id)} is not a model id: lower-case letters, digits, ".", "_" and "-", at most 63, ` +
        'starting with a letter or digit.',
    );
  }
  if (listed) checkListedOptions(listed, options);
  const registered = readRegistry(models.registryPath).entries.has(id);
  if (registered && !force)
    throw new ModelError(`${id} is already there; replace it with --force.`, {
      inRequest: `${id} is already there; remove it first, or choose another id.`,
    });
}

function checkListedOptions(listed: CatalogueEntry, options: AddModelOptions): void {
  if (listed.source.type === 'shipped') throw new ModelError(`${listed.id} ships with Fanfold; choose another id.`);
  if (options.kind !== undefined) checkKind(listed, options.kind);
  if (options.rate ?? options.name ?? options.queryInstruction) {
    throw new ModelError(
      `The catalogue describes ${listed.id}; only --gguf can be given, and how it is loaded. Choose another id.`,
      {
        inRequest: `The catalogue describes ${listed.id}; only its file can be given, and how it is loaded. Choose another id.`,
      },
    );
  }
}

function checkKind({ id, kind }: Pick<CatalogueEntry, 'id' | 'kind'>, given: ModelKind): void {
  if (kind === given) return;
  throw new ModelError(`${id} of the catalogue is of kind ${kind}.`);
}

/** Refuses a file that is not the model of this id, as far as the header tells. */
function checkFactsOfKnown(model: { facts: GgufFacts; kind: ModelKind; known: LibraryEntry; file: string }): void {
  const { facts, kind, known, file } = model;
  checkKind(known, kind);
  checkDimensions(facts, known, file);
}

function checkDimensions(
  facts: GgufFacts,
  { id, kind, dimensions }: Pick<CatalogueEntry, 'id' | 'kind' | 'dimensions'>,
  file: string,
): void {
  if (kind === 'embedding' && facts.dimensions !== dimensions)
    throw new ModelError(`${file} makes ${facts.dimensions} dimensions; ${id} has ${dimensions}.`);
}

/** Refuses a file that is not the model the catalogue names, as far as the header tells. */
export function checkFactsOfListed(facts: GgufFacts, listed: CatalogueEntry, file: string): void {
  const context = facts.contextTokens;
  if (context !== null && context < listed.maxContextTokens) {
    throw new ModelError(`${file} has a context of ${context} tokens; ${listed.id} has ${listed.maxContextTokens}.`);
  }
  checkDimensions(facts, listed, file);
  // Conversions differ by padding of the vocabulary, never by a fifth.
  if (Math.abs(facts.parameters - listed.parameters) > listed.parameters / 5) {
    throw new ModelError(`${file} has ${facts.parameters} parameters; ${listed.id} has ${listed.parameters}.`);
  }
}

/** What the model is registered with: the most that its context can be without further ado. */
function supportedOf(facts: GgufFacts, options: AddModelOptions & { kind: ModelKind }): number {
  const { kind, contextTokens, ggufPath } = options;
  const supported = supportedContextOf(facts) ?? contextTokens;
  if (supported === undefined)
    throw new ModelError(`${basename(ggufPath)} does not say its context length; give one with --context.`, {
      inRequest: `${basename(ggufPath)} does not say its context length; give a context.`,
    });
  return usualContextOf(kind, supported);
}

type Described = AddModelOptions & {
  kind: ModelKind;
  facts: GgufFacts;
  supportedTokens: number;
  /** null: it is no text model. */
  capabilities: TemplateCapabilities | null;
  /** The entry of the library, where the id is one of it. */
  known: LibraryEntry | undefined;
};

function describe(models: ModelsService, model: Described): AddedModel {
  const shared = {
    name: nameOf(model),
    license: licenseOf(model),
    parameters: model.facts.parameters,
    max_context_tokens: model.supportedTokens,
    credits_per_gpu_minute: rateOf(models, model),
    price_version: model.rate === undefined ? models.catalogue.priceVersion : `added-${today(model.nowMs)}`,
  };
  if (model.kind !== 'embedding' && model.queryInstruction !== undefined)
    throw new ModelError(`A model of kind ${model.kind} takes no query instruction.`);
  if (model.kind === 'reranker') return { ...shared, kind: 'reranker' };
  const { capabilities } = model;
  if (model.kind === 'text') {
    return {
      ...shared,
      kind: 'text',
      reasoning_efforts: capabilities?.reasoningEfforts ?? [],
      tools: capabilities?.tools === true,
      parallel_tool_calls: capabilities?.parallelToolCalls === true,
      missing: capabilities?.missing ?? {},
    };
  }
  return {
    ...shared,
    kind: 'embedding',
    // checkServable refused a file without dimensions.
    dimensions: model.facts.dimensions ?? 0,
    query_instruction: (model.queryInstruction ?? model.known?.queryInstruction) || null,
  };
}

/** The library knows that of its own repository; of another one the hub does. */
function licenseOf({ origin, known }: Described): string | null {
  const isOfLibrary = origin === undefined || origin.hub.repo === known?.repo;
  return (isOfLibrary ? known?.license : null) ?? origin?.license ?? null;
}

function nameOf(model: Described): string {
  const name = (model.name ?? model.known?.name ?? model.facts.name ?? model.id)
    .replaceAll(/\p{C}/gu, '')
    .trim()
    .slice(0, 80)
    .trim();
  return name === '' ? model.id : name;
}

function rateOf(models: ModelsService, { rate, facts }: Described): string {
  if (rate === undefined) return formatCredits(models.catalogue.defaultRateOf(facts.parameters));
  const micro = parseCredits(rate);
  if (micro === null || micro < 0n) {
    throw new ModelError(`${JSON.stringify(rate)} is not a rate: credits per GPU minute, at most six decimals.`);
  }
  return formatCredits(micro);
}

function today(nowMs: number | undefined): string {
  return new Date(nowMs ?? Date.now()).toISOString().slice(0, 10);
}
