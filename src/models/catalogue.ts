import { readFileSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { type Static, type TSchema, Type } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { parse } from 'yaml';
import { isFields, type Micro, parseCredits } from '#kernel';
import { type BaseModel, embeddingLimits, modelIdPattern } from './base-model.ts';
import { ModelError, reasonOf } from './model-error.ts';
import type { TrainingEntry } from './training-profile.ts';

/** An entry of the catalogue: everything of a base model but whether it is installed. */
export type CatalogueEntry = Omit<BaseModel, 'installed' | 'source'> & { source: NonNullable<BaseModel['source']> };

export type ModelCatalogue = {
  entries: readonly CatalogueEntry[];
  priceVersion: string;
  /** Since when the rates hold. */
  pricesSince: Date;
  /** What else than calls is offered on a model, by its id. */
  otherRates: ReadonlyMap<string, OtherRates>;
  training: ReadonlyMap<string, TrainingEntry>;
  /** Rate of added models that name none. */
  defaultRateMicroPerMinute: Micro;
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
  return {
    entries,
    priceVersion: document.price_version,
    pricesSince: readDay(document.prices_since, 'prices_since'),
    otherRates,
    training,
    defaultRateMicroPerMinute: readRate(document.default_credits_per_gpu_minute),
  };
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
      maxInputTokens: Math.min(embeddingLimits.maxInputTokens, raw.max_context_tokens),
      queryInstruction: raw.query_instruction,
      reasoningEfforts: [],
      tools: false,
    };
  }
  throw new ModelError(`${label}: kind must be text or embedding`);
}

function sharedFields(
  raw: Static<typeof TextEntry> | Static<typeof EmbeddingEntry>,
  label: string,
  priceVersion: string,
) {
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

/** First schema error as `field.path must be ...`; unknown fields are named themselves. */
function firstProblem(schema: TSchema, value: unknown): string {
  const errors = Errors(schema, value)[1];
  const unknownField = errors.find((error) => error.keyword === 'boolean');
  if (unknownField) return `${fieldOf(unknownField.instancePath)} is not a known field`;
  // The members of a union report before the union itself; the deepest path says most.
  const [error] = errors.toSorted((a, b) => b.instancePath.length - a.instancePath.length);
  if (!error) return 'it does not have the expected shape';
  const field = fieldOf(error.instancePath);
  return field === '' ? error.message : `${field} ${error.message}`;
}

function fieldOf(instancePath: string): string {
  return instancePath.split('/').filter(Boolean).join('.');
}

/** The form of `catalogue.yaml`. */

const strict = { additionalProperties: false };
const Rate = Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,6})?$' });
const Positive = Type.Integer({ minimum: 1 });
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
const defaultNames = [
  'epochs',
  'learning_rate',
  'lora_rank',
  'lora_alpha',
  'batch_size',
  'max_seq_length',
  'temperature',
];
const Weights = Type.Object(
  {
    shipped: Type.Optional(Type.String({ pattern: '^[\\w.-]+(/[\\w.-]+)*$' })),
    hub: Type.Optional(
      Type.Object(
        {
          repo: Type.String({ pattern: '^[\\w.-]+/[\\w.-]+$' }),
          revision: Type.String({ pattern: '^[\\w.-]+$' }),
        },
        strict,
      ),
    ),
  },
  { ...strict, minProperties: 1, maxProperties: 1 },
);
const Training = Type.Object(
  {
    weights: Weights,
    max_seq_lengths: Type.Optional(Type.Array(Positive, { uniqueItems: true })),
    defaults: Type.Object(
      Object.fromEntries(defaultNames.map((name) => [name, Type.Optional(Type.Number({ exclusiveMinimum: 0 }))])),
      strict,
    ),
  },
  strict,
);
const shared = {
  id: Type.String({ pattern: modelIdPattern.source }),
  name: Type.String({ minLength: 1, maxLength: 80 }),
  parameters: Positive,
  license: Type.String({ minLength: 1 }),
  created: Day,
  max_context_tokens: Positive,
  credits_per_gpu_minute: Rate,
  training_credits_per_gpu_minute: Type.Optional(Rate),
  index_credits_per_gpu_minute: Type.Optional(Rate),
  training: Type.Optional(Training),
};
const Hub = Type.Object(
  {
    repo: Type.String({ pattern: '^[\\w.-]+/[\\w.-]+$' }),
    file: Type.String({ pattern: '^[\\w.-]+\\.gguf$' }),
    revision: Type.String({ pattern: '^[\\w.-]+$' }),
    size_bytes: Type.Union([Positive, Type.Null()]),
    sha256: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()]),
  },
  strict,
);
const Source = Type.Object(
  { shipped: Type.Optional(Type.String({ pattern: '\\.gguf$' })), hub: Type.Optional(Hub) },
  { ...strict, minProperties: 1, maxProperties: 1 },
);
const TextEntry = Type.Object(
  {
    ...shared,
    kind: Type.Literal('text'),
    reasoning_efforts: Type.Array(Type.Enum(['none', 'low', 'high']), { uniqueItems: true }),
    tools: Type.Boolean(),
    source: Source,
  },
  strict,
);
const EmbeddingEntry = Type.Object(
  {
    ...shared,
    kind: Type.Literal('embedding'),
    dimensions: Positive,
    query_instruction: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
    source: Source,
  },
  strict,
);
/** The whole file; its models are checked one by one, so that a fault can name its own. */
const CatalogueFile = Type.Object(
  {
    price_version: Type.String({ minLength: 1 }),
    prices_since: Day,
    default_credits_per_gpu_minute: Rate,
    models: Type.Array(Type.Unknown(), { minItems: 1 }),
  },
  strict,
);

type RawTraining = Static<typeof Training>;
type RawSource = Static<typeof Source>;
