import { type Static, type TSchema, Type } from 'typebox';
import { Errors } from 'typebox/schema';
import { modelIdPattern } from './base-model.ts';

/** The form of `catalogue.yaml`. */

const strict = { additionalProperties: false };
const Rate = Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,6})?$' });
const Positive = Type.Integer({ minimum: 1 });
const Repository = Type.String({ pattern: '^[\\w.-]+/[\\w.-]+$' });
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
          repo: Repository,
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
const untrained = {
  id: Type.String({ pattern: modelIdPattern.source }),
  name: Type.String({ minLength: 1, maxLength: 80 }),
  parameters: Positive,
  license: Type.String({ minLength: 1 }),
  created: Day,
  max_context_tokens: Positive,
  credits_per_gpu_minute: Rate,
};
const shared = {
  ...untrained,
  training_credits_per_gpu_minute: Type.Optional(Rate),
  index_credits_per_gpu_minute: Type.Optional(Rate),
  training: Type.Optional(Training),
};
const Hub = Type.Object(
  {
    repo: Repository,
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
const textFields = {
  kind: Type.Literal('text'),
  reasoning_efforts: Type.Array(Type.Enum(['none', 'low', 'high']), { uniqueItems: true }),
  tools: Type.Boolean(),
};
const embeddingFields = {
  kind: Type.Literal('embedding'),
  dimensions: Positive,
  query_instruction: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
};
export const TextEntry = Type.Object({ ...shared, ...textFields, source: Source }, strict);
export const EmbeddingEntry = Type.Object({ ...shared, ...embeddingFields, source: Source }, strict);
/** Of a reranker nothing else than calls is offered. */
export const RerankerEntry = Type.Object({ ...untrained, kind: Type.Literal('reranker'), source: Source }, strict);
const SharedFields = Type.Object({ ...shared, source: Source });
export type SharedEntry = Static<typeof SharedFields>;
const RateOfSize = Type.Object({ from_parameters: Positive, credits_per_gpu_minute: Rate }, strict);
const libraryFields = {
  id: shared.id,
  name: shared.name,
  parameters: Positive,
  license: shared.license,
  max_context_tokens: Positive,
  repo: Repository,
};
export const LibraryTextEntry = Type.Object({ ...libraryFields, ...textFields }, strict);
export const LibraryRerankerEntry = Type.Object({ ...libraryFields, kind: Type.Literal('reranker') }, strict);
export const LibraryEmbeddingEntry = Type.Object({ ...libraryFields, ...embeddingFields }, strict);
/** The whole file; its models are checked one by one, so that a fault can name its own. */
export const CatalogueFile = Type.Object(
  {
    price_version: Type.String({ minLength: 1 }),
    prices_since: Day,
    default_credits_per_gpu_minute: Rate,
    default_rates_by_size: Type.Optional(Type.Array(RateOfSize)),
    models: Type.Array(Type.Unknown(), { minItems: 1 }),
    library: Type.Optional(Type.Array(Type.Unknown())),
  },
  strict,
);

export type RawTraining = Static<typeof Training>;
export type RawSource = Static<typeof Source>;

/** First schema error as `field.path must be ...`; unknown fields are named themselves. */
export function firstProblem(schema: TSchema, value: unknown): string {
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
