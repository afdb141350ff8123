import Type, { type Static } from 'typebox';
import { nullable, pageQuery, timestamp } from '#http';
import type { AssessedEvent } from '../assessment/assess.ts';
import { blockers } from '../assessment/draft.ts';
import { dropReasons } from '../policy/objections.ts';
import { eventStates, limits } from './event.ts';
import { judgmentSchema, reportedFields, resultSchema } from './reported.schema.ts';

const text = (description: string, maxLength: number) =>
  Type.Optional(Type.String({ description, minLength: 1, maxLength }));
const time = (description: string) => Type.Optional(Type.String({ description, format: 'date-time' }));

export const eventFilters = {
  q: text(
    'Only events whose query holds all these words; `word*` stands for all words that begin so. Upper and lower case are the same.',
    500,
  ),
  model: text('Only events of this model.', limits.maxModel),
  external_id: text('Only the event with this name of yours.', limits.maxName),
  from: time('Only events reported at or after this time.'),
  to: time('Only events reported before this time.'),
};

const stateFilter = Type.Optional(Type.Enum([...eventStates], { description: 'Only events in this state.' }));

export const eventsQuery = Type.Object({ ...pageQuery, state: stateFilter, ...eventFilters });

export const skipBody = Type.Object({
  reason: Type.Optional(Type.Unsafe<string | null>({ description: 'Why.', type: ['string', 'null'], maxLength: 200 })),
});

const ranks = (description: string) => Type.Array(Type.Integer({ minimum: 1 }), { description });

export const blockerSchema = Type.Array(Type.Enum([...blockers]), {
  description: 'What stands in the way of a promotion.',
});

const suggestedSchema = Type.Object(
  {
    positives: ranks('What the query should find.'),
    negatives: ranks('Ranks of what it should not find.'),
    dropped: Type.Array(
      Type.Object({
        rank: Type.Integer({ description: 'Rank of the result.', minimum: 1 }),
        reason: Type.Enum([...dropReasons], { description: 'Why it is neither.' }),
      }),
      { description: 'All other results.' },
    ),
  },
  { description: 'What a promotion would teach, by rank.' },
);

const rowFields = {
  id: Type.String({ description: 'Id of the event.' }),
  dataset_id: Type.String({ description: 'Id of its dataset.' }),
  state: Type.Enum([...eventStates], {
    description: '`needs_judgment`: nothing was judged positive. `promoted` is final.',
  }),
  ...reportedFields,
  result_count: Type.Integer({ description: 'Results that were shown.', minimum: 0 }),
  judgments: Type.Array(judgmentSchema, { description: 'What people did with them.' }),
  promotable: Type.Boolean({ description: 'Whether it can be promoted as it is.' }),
  blockers: blockerSchema,
  query_split: nullable(
    Type.Enum(['train', 'test']),
    'The split of the examples that have its query; null: none has it.',
  ),
  suggested: suggestedSchema,
  example_ids: Type.Array(Type.String(), { description: 'Examples that it became.' }),
  skipped_reason: nullable(Type.String(), 'Why it was skipped.'),
  created_at: timestamp('When it was reported.'),
  updated_at: timestamp('When it last changed.'),
  promoted_at: nullable(timestamp('When it was promoted.'), 'When it was promoted.'),
};

export const eventRowSchema = Type.Object(rowFields, {
  $id: 'RetrievalEvent',
  description: 'A retrieval event.',
});

export const eventSchema = Type.Object(
  { ...rowFields, results: Type.Array(resultSchema, { description: 'What was shown, by rank.' }) },
  { $id: 'RetrievalEventDetail', description: 'A retrieval event with its results.' },
);

export type EventRowWire = Static<typeof eventRowSchema>;
export type EventWire = Static<typeof eventSchema>;

export function eventRowToWire({
  event,
  suggestion,
  promotable,
  blockers: found,
  querySplit,
}: AssessedEvent): EventRowWire {
  const { positives, negatives, dropped } = suggestion;
  return {
    id: event.id,
    dataset_id: event.datasetId,
    state: event.state,
    external_id: event.externalId,
    query: event.query,
    model: event.model,
    ...event.details,
    result_count: event.results.length,
    judgments: event.judgments,
    promotable,
    blockers: found,
    query_split: querySplit,
    suggested: { positives, negatives, dropped },
    example_ids: event.exampleIds,
    skipped_reason: event.skippedReason,
    created_at: event.createdAt.toISOString(),
    updated_at: event.updatedAt.toISOString(),
    promoted_at: event.promotedAt?.toISOString() ?? null,
  };
}

export function eventToWire(assessed: AssessedEvent): EventWire {
  return { ...eventRowToWire(assessed), results: assessed.event.results };
}
