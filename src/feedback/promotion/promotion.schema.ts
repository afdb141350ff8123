import Type, { type Static } from 'typebox';
import { exampleSchema } from '#datasets';
import { nullable } from '#http';
import { limits } from '../events/event.ts';
import { blockerSchema, eventFilters, eventSchema } from '../events/events.schema.ts';
import { maxEvents } from './promote-filter.ts';

const ranks = (description: string) =>
  Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { description, maxItems: limits.maxResults }));

const split = Type.Optional(
  Type.Enum(['train', 'test'], {
    description:
      '`train`: to learn from; `test`: to measure with. Without it and without `test_ratio`, new queries go to `train`, and a query that the dataset has already keeps its split.',
  }),
);

const testRatio = Type.Optional(
  Type.Number({
    description:
      'Part of the new queries that goes to `test`, instead of `split`. A query that the dataset has already keeps its split.',
    minimum: 0,
    maximum: 0.5,
  }),
);

const dryRun = Type.Optional(Type.Boolean({ description: 'Only say what would happen.', default: false }));

export const promoteBody = Type.Object({
  positives: ranks('Ranks that the query should find, instead of those that were judged positive.'),
  negatives: ranks('Ranks that it should not find, instead of those that the policy chooses.'),
  query: Type.Optional(
    Type.String({
      description: 'What to learn instead of the query as it was typed.',
      minLength: 1,
      maxLength: limits.maxQuery,
    }),
  ),
  split,
  test_ratio: testRatio,
  dry_run: dryRun,
});

const ids = Type.Array(Type.String({ maxLength: 64 }), {
  description: 'The events.',
  minItems: 1,
  maxItems: limits.maxBatch,
});

export const promoteManyBody = Type.Object({
  ids: Type.Optional(ids),
  filter: Type.Optional(
    Type.Object(eventFilters, {
      description: 'Or: pending events that fit all of this. A field that is not known is refused.',
    }),
  ),
  after: Type.Optional(
    Type.String({
      description: 'With a filter: only events after this one; `resume_after` of the answer before.',
      maxLength: 64,
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: 'With a filter: events of this request.',
      minimum: 1,
      maximum: maxEvents,
      default: maxEvents,
    }),
  ),
  split,
  test_ratio: testRatio,
  dry_run: dryRun,
});

/** An example, or what would become one: that has no id yet. */
const promotedExampleSchema = Type.Object(
  {
    ...exampleSchema.properties,
    id: nullable(Type.String(), 'Id of the example; null in a dry run.'),
  },
  { $id: 'PromotedExample', description: 'What an event became.' },
);

const count = (description: string) => Type.Integer({ description, minimum: 0 });

const leakedQueries = count(
  'Queries of the new examples that the dataset has in both splits then: what is measured with them is too good.',
);

export const promotedSchema = Type.Object({
  event: eventSchema,
  examples: Type.Array(promotedExampleSchema, {
    description: 'The examples that are there; in a dry run those that would be.',
  }),
  leaked_queries: leakedQueries,
});

export const promotedManySchema = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Id of the event.' }),
      status: Type.Enum(['promoted', 'promotable', 'already_promoted', 'rejected'], {
        description: 'What became of it; `promotable` in a dry run.',
      }),
      example_ids: Type.Array(Type.String(), { description: 'Examples that it became.' }),
      blockers: blockerSchema,
      error: nullable(
        Type.Object({
          code: Type.String({ description: 'The code that a promotion of this event alone gets.' }),
          message: Type.String({ description: 'Why, in English.' }),
        }),
        'Why it was rejected.',
      ),
    }),
    { description: 'One per event: in the order of `ids`, or the oldest first.' },
  ),
  dry_run: Type.Boolean({ description: 'Nothing was changed.' }),
  promoted: count('Promoted events; in a dry run those that would be.'),
  already_promoted: count('Events that were promoted before.'),
  rejected: count('Events that were not promoted.'),
  leaked_queries: leakedQueries,
  remaining: count('Events of the filter that this request did not look at.'),
  resume_after: nullable(Type.String(), 'Send it as `after` to go on; null: nothing remains.'),
  stopped: nullable(
    Type.Object({
      code: Type.String({ description: 'Code of the error.' }),
      message: Type.String({ description: 'What is wrong, in English.' }),
    }),
    'Why it ended early; what was promoted before stays promoted.',
  ),
});

export type PromotedManyWire = Static<typeof promotedManySchema>;
