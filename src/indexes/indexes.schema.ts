import Type, { type Static } from 'typebox';
import { creditsText, nullable, pageQuery, timestamp } from '#http';
import { formatCredits } from '#kernel';
import type { DatasetIndex } from './dataset-index.ts';

const states = ['queued', 'building', 'ready', 'failed', 'canceled', 'stale'] as const;

export const indexesQuery = Type.Object({
  ...pageQuery,
  dataset_id: Type.Optional(Type.String({ description: 'Only indexes of this dataset.', maxLength: 64 })),
  state: Type.Optional(Type.Enum([...states], { description: 'Only indexes in this state.' })),
});

export const createIndexBody = Type.Object({
  version_id: Type.String({
    description: 'The version whose positives and negatives become searchable.',
    maxLength: 64,
  }),
  model: Type.String({
    description: 'What embeds: an alias of the project, or a base model.',
    minLength: 1,
    maxLength: 128,
  }),
});

const count = (description: string) => Type.Integer({ description, minimum: 0 });
const share = (description: string) => Type.Number({ description, minimum: 0, maximum: 1 });

const metricsSchema = Type.Object(
  {
    recall_at_1: share('Part of the positives that are the first result.'),
    recall_at_10: share('Part of the positives within the first ten.'),
    recall_at_100: share('Part of the positives within the first hundred.'),
    mrr_at_10: share('One by the rank of the first right result; 0 beyond ten.'),
    ndcg_at_10: share('How near the order is to the best one, within ten.'),
    queries: count('Queries that these are means over.'),
  },
  {
    description:
      'How well the model finds the positives of the test split among all documents; means over at most 2,000 queries.',
  },
);

export const indexSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the index.' }),
    dataset_id: Type.String({ description: 'Id of the dataset.' }),
    version_id: Type.String({ description: 'Id of the version.' }),
    model: Type.String({ description: 'The model as it was named.' }),
    base_model: Type.String({ description: 'The base model behind it.' }),
    model_revision: nullable(
      Type.Integer(),
      'Revision of the alias that the index was made with; null for a base model.',
    ),
    dimensions: count('Length of the vectors.'),
    documents: nullable(
      Type.Integer({ minimum: 0 }),
      'Different texts of the version; null: they are being collected.',
    ),
    truncated: count('Of them, texts that were cut to what the model takes.'),
    state: Type.Enum([...states], {
      description:
        '`queued` to `building` to `ready`, `failed` or `canceled`; `stale`: there is a newer version or another model behind the name, and it can still be searched.',
    }),
    progress: Type.Object(
      {
        phase: nullable(Type.Enum(['collecting', 'embedding', 'evaluating']), 'What is being done; null: nothing.'),
        done: count('Documents that have their vectors.'),
        total: nullable(Type.Integer(), 'All documents; null: not known yet.'),
        percent: nullable(Type.Number(), 'The same in per cent.'),
      },
      { description: 'How far the build is.' },
    ),
    metrics: nullable(metricsSchema, 'Null until it is ready, and where the version has no test examples.'),
    error: nullable(
      Type.Object({
        code: Type.String({ description: 'Why it failed, as a word.' }),
        message: Type.String({ description: 'The same for people.' }),
      }),
      'Null unless it failed.',
    ),
    active_ms: Type.Integer({ description: 'Time of the model, ms.', minimum: 0 }),
    credits: creditsText('What was charged for the build.'),
    rate: Type.Object(
      {
        credits_per_gpu_minute: creditsText('Of the build.'),
        price_version: Type.String({ description: 'The price list that it is from.' }),
      },
      { description: 'Frozen when the index was asked for.' },
    ),
    created_at: timestamp('When it was asked for.'),
    ready_at: nullable(timestamp('When it was ready.'), 'When it was ready; null: it is not.'),
  },
  { $id: 'DatasetIndex', description: 'A vector index over the documents of a version.' },
);

export type IndexWire = Static<typeof indexSchema>;

export function indexToWire(index: DatasetIndex): IndexWire {
  const { documents, embedded } = index;
  return {
    id: index.id,
    dataset_id: index.datasetId,
    version_id: index.versionId,
    model: index.model,
    base_model: index.baseModelId,
    model_revision: index.modelRevision,
    dimensions: index.dimensions,
    documents,
    truncated: index.truncated,
    state: index.state,
    progress: {
      phase: index.phase,
      done: embedded,
      total: documents,
      percent: documents ? Math.floor((1_000 * embedded) / documents) / 10 : null,
    },
    metrics: index.metrics && {
      recall_at_1: index.metrics.recallAt1,
      recall_at_10: index.metrics.recallAt10,
      recall_at_100: index.metrics.recallAt100,
      mrr_at_10: index.metrics.mrrAt10,
      ndcg_at_10: index.metrics.ndcgAt10,
      queries: index.metrics.queries,
    },
    error: index.error,
    active_ms: Math.round(index.activeMs),
    credits: formatCredits(index.chargedMicro ?? 0n),
    rate: { credits_per_gpu_minute: formatCredits(index.rateMicroPerMinute), price_version: index.priceVersion },
    created_at: index.createdAt.toISOString(),
    ready_at: index.readyAt?.toISOString() ?? null,
  };
}
