import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { formatCredits, parseCredits, systemCodeOf } from '#kernel';
import { embeddingLimits, type ModelKind, modelIdPattern } from './base-model.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { checkServable, type GgufFacts, readGgufFacts } from './gguf/facts.ts';
import { inOneLine, ModelError } from './model-error.ts';
import type { ModelsService } from './models-service.ts';
import { type AddedModel, type RegistryEntry, readRegistry, updateRegistry } from './registry.ts';

type AddModelOptions = {
  /** A new id, or the id of a catalogue entry whose file was fetched by other means. */
  id: string;
  kind: ModelKind;
  /** The file stays where it is; the registry keeps its absolute path, size and digest. */
  ggufPath: string;
  /** Default: the file's own context, at most 4096; one input of an embedding model is at most 512. */
  contextTokens?: number | undefined;
  /** Credits per GPU minute as a decimal. Default: the catalogue's default rate. */
  rate?: string | undefined;
  name?: string | undefined;
  /** Embedding models: see `withQueryInstruction`. */
  queryInstruction?: string | undefined;
  force?: boolean | undefined;
  nowMs?: number | undefined;
};

type AddedReport = { id: string; facts: GgufFacts; sha256: string; contextTokens: number; warnings: string[] };

const defaultContextTokens = 4096;

/** Registers a local GGUF file. A running server serves it within a second. Throws `ModelError` with one line. */
export function addModel(models: ModelsService, options: AddModelOptions): Promise<AddedReport> {
  return inOneLine(() => checkAndRegister(models, options));
}

async function checkAndRegister(models: ModelsService, options: AddModelOptions): Promise<AddedReport> {
  const { id, kind } = options;
  const listed = models.catalogue.entries.find((entry) => entry.id === id);
  checkId(models, options, listed);
  // Not the real path: behind a symbolic link the name may be a digest, and this one is what the person knows.
  const path = resolve(options.ggufPath);
  const before = await stat(path).catch((error: unknown) => {
    throw systemCodeOf(error) === 'ENOENT' ? new ModelError(`There is no file ${path}.`, { cause: error }) : error;
  });
  const facts = readGgufFacts(path);
  const warnings = checkServable(facts, kind, basename(path));
  if (listed) checkFactsOfListed(facts, listed, basename(path));
  const contextTokens = listed?.maxContextTokens ?? chooseContext(facts, options, warnings);
  const added = listed ? null : describe(models, { ...options, facts, contextTokens, file: basename(path) });
  const sha256 = await sha256OfFile(path);
  const after = await stat(path);
  if (after.size !== before.size || after.mtimeMs !== before.mtimeMs)
    throw new ModelError(`${path} changed while it was read; try again when it is complete.`);
  const entry: RegistryEntry = {
    file: { path, size_bytes: after.size, modified_ms: after.mtimeMs, sha256 },
    hub_commit: null,
    installed_at: new Date(options.nowMs ?? Date.now()).toISOString(),
    added,
  };
  await updateRegistry(models.registryPath, id, entry);
  return { id, facts, sha256, contextTokens, warnings };
}

function checkId(models: ModelsService, options: AddModelOptions, listed: CatalogueEntry | undefined): void {
  const { id, force } = options;
  if (!modelIdPattern.test(id)) {
    throw new ModelError(
      `${JSON.stringify(id)} is not a model id: lower-case letters, digits, ".", "_" and "-", at most 63, ` +
        'starting with a letter or digit.',
    );
  }
  if (listed) checkListed(listed, options);
  const registered = readRegistry(models.registryPath).entries.has(id);
  if (registered && !force) throw new ModelError(`${id} is already there; replace it with --force.`);
}

function checkListed(listed: CatalogueEntry, options: AddModelOptions): void {
  if (listed.source.type === 'shipped') throw new ModelError(`${listed.id} ships with Fanfold; choose another id.`);
  if (listed.kind !== options.kind) {
    const article = listed.kind === 'text' ? 'a text' : 'an embedding';
    throw new ModelError(`${listed.id} is ${article} model of the catalogue.`);
  }
  if (options.contextTokens ?? options.rate ?? options.name ?? options.queryInstruction) {
    throw new ModelError(`The catalogue describes ${listed.id}; only --gguf can be given. Choose another id.`);
  }
}

/** Refuses a file that is not the model the catalogue names, as far as the header tells. */
export function checkFactsOfListed(facts: GgufFacts, listed: CatalogueEntry, file: string): void {
  const context = facts.contextTokens;
  if (context !== null && context < listed.maxContextTokens) {
    throw new ModelError(`${file} has a context of ${context} tokens; ${listed.id} has ${listed.maxContextTokens}.`);
  }
  if (listed.kind === 'embedding' && facts.dimensions !== listed.dimensions) {
    throw new ModelError(`${file} makes ${facts.dimensions} dimensions; ${listed.id} has ${listed.dimensions}.`);
  }
  // Conversions differ by padding of the vocabulary, never by a fifth.
  if (Math.abs(facts.parameters - listed.parameters) > listed.parameters / 5) {
    throw new ModelError(`${file} has ${facts.parameters} parameters; ${listed.id} has ${listed.parameters}.`);
  }
}

function chooseContext(facts: GgufFacts, options: AddModelOptions, warnings: string[]): number {
  const usual = options.kind === 'text' ? defaultContextTokens : embeddingLimits.maxInputTokens;
  const contextTokens = options.contextTokens;
  if (contextTokens !== undefined && (!Number.isSafeInteger(contextTokens) || contextTokens < 1)) {
    throw new ModelError('The context must be a whole number of tokens, at least 1.');
  }
  if (facts.contextTokens === null && contextTokens === undefined) {
    throw new ModelError(`${basename(options.ggufPath)} does not say its context length; give one with --context.`);
  }
  if (contextTokens !== undefined && facts.contextTokens !== null && contextTokens > facts.contextTokens) {
    warnings.push(`The model was made for ${facts.contextTokens} tokens; answers past that may be poor.`);
  }
  return contextTokens ?? Math.min(usual, facts.contextTokens ?? usual);
}

type Described = AddModelOptions & { facts: GgufFacts; contextTokens: number; file: string };

function describe(models: ModelsService, model: Described): AddedModel {
  const shared = {
    name: nameOf(model),
    parameters: model.facts.parameters,
    max_context_tokens: model.contextTokens,
    credits_per_gpu_minute: rateOf(models, model.rate),
    price_version: model.rate === undefined ? models.catalogue.priceVersion : `added-${today(model.nowMs)}`,
  };
  if (model.kind === 'text') {
    if (model.queryInstruction !== undefined) throw new ModelError('A text model takes no query instruction.');
    return {
      ...shared,
      kind: 'text',
      reasoning_efforts: model.facts.thinks ? ['none', 'low', 'high'] : [],
      tools: model.facts.knowsTools,
    };
  }
  return {
    ...shared,
    kind: 'embedding',
    // checkServable refused a file without dimensions.
    dimensions: model.facts.dimensions ?? 0,
    query_instruction: model.queryInstruction || null,
  };
}

function nameOf(model: Described): string {
  const name = (model.name ?? model.facts.name ?? model.id).replaceAll(/\p{C}/gu, '').trim().slice(0, 80).trim();
  return name === '' ? model.id : name;
}

function rateOf(models: ModelsService, rate: string | undefined): string {
  if (rate === undefined) return formatCredits(models.catalogue.defaultRateMicroPerMinute);
  const micro = parseCredits(rate);
  if (micro === null || micro < 0n) {
    throw new ModelError(`${JSON.stringify(rate)} is not a rate: credits per GPU minute, at most six decimals.`);
  }
  return formatCredits(micro);
}

function today(nowMs: number | undefined): string {
  return new Date(nowMs ?? Date.now()).toISOString().slice(0, 10);
}

/** SHA-256 of a file in hex, read as a stream. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('hex');
}
