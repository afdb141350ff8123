import { readFileSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import type { Static } from 'typebox';
import { Check } from 'typebox/schema';
import { parse } from 'yaml';
import { isFields, type Micro, parseCredits } from '#kernel';
import { type BaseModel, type HubSource, maxInputTokensOf } from './base-model.ts';
import {
  CatalogueFile,
  EmbeddingEntry,
  firstProblem,
  type RawSource,
  type RawTraining,
  RerankerEntry,
  type SharedEntry,
  TextEntry,
} from './catalogue-form.ts';
import { type LibraryEntry, parseLibraryEntry } from './library.ts';
import { ModelError, reasonOf } from './model-error.ts';
import type { TrainingEntry } from './training-profile.ts';

/** An entry of the catalogue: everything of a base model but whether it is installed. */
export type CatalogueEntry = Omit<BaseModel, 'installed' | 'source'> & {
  source: { type: 'shipped'; file: string } | HubFileSource;
};

/** A file of a hub that the catalogue names. */
export type HubFileSource = HubSource & { file: string };

export type ModelCatalogue = {
  entries: readonly CatalogueEntry[];
  priceVersion: string;
  /** Since when the rates hold. */
  pricesSince: Date;
  /** What else than calls is offered on a model, by its id. */
  otherRates: ReadonlyMap<string, OtherRates>;
  training: ReadonlyMap<string, TrainingEntry>;
  /** Models that can be pulled by their id; each becomes a base model when it is installed, or when a route serves it. */
  library: readonly LibraryEntry[];
  /** Rate of a model of this size for which none is given. */
  defaultRateOf: (parameters: number) => Micro;
};

/** Credits per GPU minute; null: not offered. */
type OtherRates = { trainingMicroPerMinute: Micro | null; indexMicroPerMinute: Micro | null };

/** Reads the catalogue. Throws `ModelError` with one line that names the entry and the field. */
export function loadCatalogue(path: string): ModelCatalogue {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ModelError(`Cannot read the model catalogue ${path}: ${reasonOf(error)}`);
  }
  try {
    return parseCatalogue(text);
  } catch (error) {
    throw new ModelError(`The model catalogue ${path} is not valid: ${reasonOf(error)}`);
  }
}

/** Parses the text of `catalogue.yaml`; the message of what it throws names entry and field. */
export function parseCatalogue(text: string): ModelCatalogue {
  const document: unknown = parse(text);
  if (!Check(CatalogueFile, document)) throw new ModelError(firstProblem(CatalogueFile, document));
  const entries: CatalogueEntry[] = [];
  const otherRates = new Map<string, OtherRates>();
  const training = new Map<string, TrainingEntry>();
  for (const [index, raw] of document.models.entries()) {
    const { rates, trainable, ...entry } = parseEntry(raw, index, document.price_version);
    if (entries.some((other) => other.id === entry.id)) throw new ModelError(`${entry.id}: the id is used twice`);
    entries.push(entry);
    otherRates.set(entry.id, rates);
    if (trainable) training.set(entry.id, trainable);
  }
  const library = (document.library ?? []).map((raw, index) => parseLibraryEntry(raw, labelOf(raw, index)));
  for (const [index, { id }] of library.entries()) {
    const isKnown = [...entries, ...library.slice(0, index)].some((other) => other.id === id);
    if (isKnown) throw new ModelError(`${id}: the id is used twice`);
  }
  return {
    entries,
    library,
    priceVersion: document.price_version,
    pricesSince: readDay(document.prices_since, 'prices_since'),
    otherRates,
    training,
    defaultRateOf: defaultRates(document),
  };
}

function defaultRates({
  default_credits_per_gpu_minute: lowest,
  default_rates_by_size: bySize = [],
}: Static<typeof CatalogueFile>): ModelCatalogue['defaultRateOf'] {
  const rates = bySize
    .map(({ from_parameters: from, credits_per_gpu_minute: rate }) => ({ from, rate: readRate(rate) }))
    .toSorted((a, b) => b.from - a.from);
  const lowestRate = readRate(lowest);
  return (parameters) => rates.find(({ from }) => parameters >= from)?.rate ?? lowestRate;
}

type Extras = { rates: OtherRates; trainable: TrainingEntry | null };

function parseEntry(raw: unknown, index: number, priceVersion: string): CatalogueEntry & Extras {
  const label = labelOf(raw, index);
  const kind = isFields(raw) ? raw.kind : undefined;
  if (kind === 'text') {
    if (!Check(TextEntry, raw)) throw new ModelError(`${label}: ${firstProblem(TextEntry, raw)}`);
    return {
      ...sharedFields(raw, label, priceVersion),
      kind,
      dimensions: null,
      maxInputTokens: null,
      queryInstruction: null,
      reasoningEfforts: raw.reasoning_efforts,
      tools: raw.tools,
    };
  }
  if (kind === 'embedding') {
    if (!Check(EmbeddingEntry, raw)) throw new ModelError(`${label}: ${firstProblem(EmbeddingEntry, raw)}`);
    return {
      ...sharedFields(raw, label, priceVersion),
      kind,
      dimensions: raw.dimensions,
      maxInputTokens: maxInputTokensOf(kind, raw.max_context_tokens),
      queryInstruction: raw.query_instruction,
      reasoningEfforts: [],
      tools: false,
    };
  }
  if (kind === 'reranker') {
    if (!Check(RerankerEntry, raw)) throw new ModelError(`${label}: ${firstProblem(RerankerEntry, raw)}`);
    return {
      ...sharedFields(raw, label, priceVersion),
      kind,
      dimensions: null,
      maxInputTokens: maxInputTokensOf(kind, raw.max_context_tokens),
      queryInstruction: null,
      reasoningEfforts: [],
      tools: false,
    };
  }
  throw new ModelError(`${label}: kind must be text, embedding or reranker`);
}

function sharedFields(raw: SharedEntry, label: string, priceVersion: string) {
  const optional = (rate: string | undefined) => (rate === undefined ? null : readRate(rate));
  return {
    id: raw.id,
    name: raw.name,
    parameters: raw.parameters,
    license: raw.license,
    created: readDay(raw.created, `${label}: created`),
    maxContextTokens: raw.max_context_tokens,
    rateMicroPerMinute: readRate(raw.credits_per_gpu_minute),
    priceVersion,
    source: readSource(raw.source, label),
    rates: {
      trainingMicroPerMinute: optional(raw.training_credits_per_gpu_minute),
      indexMicroPerMinute: optional(raw.index_credits_per_gpu_minute),
    },
    trainable: raw.training ? readTraining(raw.training, label) : null,
  };
}

function readTraining({ weights, max_seq_lengths: maxSeqLengths = [], defaults }: RawTraining, label: string) {
  if (weights.hub) return { weights: { type: 'hub', ...weights.hub } as const, maxSeqLengths, defaults };
  const folder = normalize(weights.shipped ?? '');
  if (isAbsolute(folder) || folder.startsWith('..')) {
    throw new ModelError(`${label}: training.weights.shipped must lie in the folder of the catalogue`);
  }
  return { weights: { type: 'shipped', folder } as const, maxSeqLengths, defaults };
}

function readDay(text: string, field: string): Date {
  const day = new Date(`${text}T00:00:00.000Z`);
  if (Number.isNaN(day.getTime())) throw new ModelError(`${field} must be a date`);
  return day;
}

function readSource(raw: RawSource, label: string): CatalogueEntry['source'] {
  if (raw.hub) {
    const { repo, file, revision, size_bytes: sizeBytes, sha256 } = raw.hub;
    return { type: 'hub', repo, file, revision, sizeBytes, sha256 };
  }
  const file = normalize(raw.shipped ?? '');
  if (isAbsolute(file) || file.startsWith('..')) {
    throw new ModelError(`${label}: source.shipped must lie in the folder of the catalogue`);
  }
  return { type: 'shipped', file };
}

function readRate(text: string): Micro {
  const micro = parseCredits(text);
  if (micro === null) throw new ModelError(`${text} is not a rate`);
  return micro;
}

function labelOf(raw: unknown, index: number): string {
  const id = isFields(raw) ? raw.id : null;
  return typeof id === 'string' && id !== '' ? id : `entry ${index + 1}`;
}
