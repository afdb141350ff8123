import Type, { type Static } from 'typebox';
import { countingModel } from '#datasets';
import { type Contract, nullable, timestamp } from '#http';
import type { BaseModel } from '#models';
import type { ProjectSeen } from '#projects';
import { limits } from '../events/event.ts';
import { dedupeWindowDays, negativePolicy } from '../policy/negative-policy.ts';

const count = (description: string) => Type.Integer({ description, minimum: 0 });
const share = (description: string) => Type.Number({ description, minimum: 0, maximum: 1 });

const settingsSchema = Type.Object(
  {
    accepts_events: Type.Boolean({ description: 'Whether events can be reported.' }),
    auto_promote: Type.Boolean({ description: 'Always false: nothing is learned that nobody promoted.' }),
    min_strength: share('Weaker judgments make neither positives nor negatives.'),
    negatives: Type.Object(
      {
        mode: Type.Enum(['explicit_only', 'explicit_then_skipped'], {
          description: 'Only what was judged negative, or then what was passed over above the lowest positive, too.',
        }),
        max_negatives: count('Negatives of one example.'),
        max_score_ratio: share(
          'A passed-over result that scores at least this part of the best positive is no negative.',
        ),
        near_duplicate_threshold: share(
          'A result that shares this part of its runs of three words with a positive is no negative (Jaccard similarity).',
        ),
      },
      { description: 'How negatives are chosen.' },
    ),
    dedupe: Type.Object(
      {
        by: Type.Enum(['query+positive'], { description: 'What makes events the same.' }),
        window_days: count(
          'For so long a query that taught a passage does not teach it again, while the example is there.',
        ),
      },
      { description: 'Which events teach nothing new.' },
    ),
    retention_days: count('Events are removed after so many days; examples stay.'),
    limits: Type.Object(
      {
        max_batch: count('Events of one request.'),
        max_results: count('Results of one event.'),
        max_query_tokens: nullable(Type.Integer(), 'Longest query that can be promoted.'),
      },
      { description: 'Limits.' },
    ),
    base_model: nullable(Type.String(), 'The model that counts; null: none is installed.'),
    max_seq_length: nullable(Type.Integer(), 'Longest text that it takes, tokens.'),
    query_instruction: nullable(Type.String(), 'What it puts in front of queries.'),
    updated_at: timestamp('When the project last changed.'),
  },
  { $id: 'RetrievalSettings', description: 'How search feedback is dealt with.' },
);

type SettingsSource = { models: { baseModels: () => readonly BaseModel[] }; retentionDays: number };

/** The rules of this release, the model that the project would train, and what the operator set. */
export function settingsToWire(
  { models, retentionDays }: SettingsSource,
  { archivedAt, updatedAt }: ProjectSeen,
): Static<typeof settingsSchema> {
  const baseModel = countingModel({ models }, { kind: 'embedding', targetModel: null });
  const maxTokens = baseModel?.maxContextTokens ?? null;
  return {
    accepts_events: archivedAt === null,
    auto_promote: false,
    min_strength: negativePolicy.minStrength,
    negatives: {
      mode: negativePolicy.mode,
      max_negatives: negativePolicy.maxNegatives,
      max_score_ratio: negativePolicy.maxScoreRatio,
      near_duplicate_threshold: negativePolicy.nearDuplicateThreshold,
    },
    dedupe: { by: 'query+positive', window_days: dedupeWindowDays },
    retention_days: retentionDays,
    limits: { max_batch: limits.maxBatch, max_results: limits.maxResults, max_query_tokens: maxTokens },
    base_model: baseModel?.id ?? null,
    max_seq_length: maxTokens,
    query_instruction: baseModel?.queryInstruction ?? null,
    updated_at: updatedAt.toISOString(),
  };
}

export const settingsContract: Contract = {
  tag: 'retrieval_events',
  summary: 'Read the retrieval settings',
  description:
    'How feedback of this project becomes examples. They come from the project, its base model and the operator, and are read only.',
  answers: {
    200: {
      description: 'The settings.',
      schema: settingsSchema,
      example: {
        accepts_events: true,
        auto_promote: false,
        min_strength: 0.5,
        negatives: {
          mode: 'explicit_then_skipped',
          max_negatives: 5,
          max_score_ratio: 0.95,
          near_duplicate_threshold: 0.9,
        },
        dedupe: { by: 'query+positive', window_days: 90 },
        retention_days: 365,
        limits: { max_batch: 100, max_results: 50, max_query_tokens: 512 },
        base_model: 'fanfold-tiny-embed',
        max_seq_length: 512,
        query_instruction: 'Given a customer question, retrieve the passage that answers it',
        updated_at: '2026-01-02T03:04:05.678Z',
      },
    },
  },
  faults: ['not_found', 'embeddings_not_enabled'],
};
