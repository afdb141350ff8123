import Type from 'typebox';
import { notBlankPattern, nullable } from '#http';
import { labels, limits, signals } from './event.ts';

const rank = Type.Integer({
  description: 'Place on the page, from 1; each once.',
  minimum: 1,
  maximum: limits.maxRank,
});
const text = Type.String({
  description: 'What was shown.',
  minLength: 1,
  maxLength: limits.maxText,
  pattern: notBlankPattern,
});
const documentId = nullable(Type.String({ minLength: 1, maxLength: limits.maxId }), 'Your name for the document.');
const score = nullable(Type.Number(), 'How your search scored it.');

const judgedRank = nullable(Type.Integer({ minimum: 1, maximum: limits.maxRank }), 'Judges the result of this rank.');
const judgedDocument = nullable(
  Type.String({ minLength: 1, maxLength: limits.maxId }),
  'Judges each result that shows this document.',
);
const label = Type.Enum([...labels], { description: 'Whether the query should find it.' });
const signal = nullable(Type.Enum([...signals]), 'How it is known.');
const strength = Type.Number({
  description: 'How sure it is; below `min_strength` of the settings it makes neither positives nor negatives.',
  minimum: 0,
  maximum: 1,
  default: 1,
});

export const resultSchema = Type.Object({ rank, document_id: documentId, text, score });
export const judgmentSchema = Type.Object({ rank: judgedRank, document_id: judgedDocument, label, signal, strength });

const ownName = (description: string, maxLength: number) =>
  nullable(Type.String({ minLength: 1, maxLength }), description);

/** What answers and requests have in common. */
export const reportedFields = {
  external_id: ownName('Your name for the event, once per dataset: sent again it makes nothing.', limits.maxName),
  query: Type.String({
    description: 'What was searched for.',
    minLength: 1,
    maxLength: limits.maxQuery,
    pattern: notBlankPattern,
  }),
  model: ownName('The model that the search used.', limits.maxModel),
  index_id: ownName('The index that was searched.', limits.maxName),
  request_id: ownName('The request that embedded the query.', limits.maxName),
  user_ref: ownName('Who searched, in a name of yours.', limits.maxName),
  occurred_at: nullable(Type.String({ format: 'date-time' }), 'When it happened.'),
  metadata: Type.Record(Type.String(), Type.String({ maxLength: limits.metadataValue }), {
    description: 'Anything of your own.',
    propertyNames: { minLength: 1, maxLength: limits.metadataKey },
    maxProperties: limits.metadataKeys,
  }),
};

const { query, metadata, ...names } = reportedFields;

export const reportedEventSchema = Type.Object(
  {
    query,
    results: Type.Array(
      Type.Object({ rank, text, document_id: Type.Optional(documentId), score: Type.Optional(score) }),
      {
        description: `What was shown: at most ${limits.maxTexts} characters of text in all.`,
        minItems: 1,
        maxItems: limits.maxResults,
      },
    ),
    judgments: Type.Optional(
      nullable(
        Type.Array(
          Type.Object({
            rank: Type.Optional(judgedRank),
            document_id: Type.Optional(judgedDocument),
            label,
            signal: Type.Optional(signal),
            strength: Type.Optional(nullable(strength)),
          }),
          { maxItems: limits.maxJudgments },
        ),
        'What people did with it.',
      ),
    ),
    ...Type.Partial(Type.Object(names)).properties,
    metadata: Type.Optional(nullable(metadata)),
  },
  { $id: 'ReportedEvent', description: 'What a search reports.' },
);

export const reportedBatchSchema = Type.Object({
  events: Type.Array(reportedEventSchema, {
    description: '1 to 100 events.',
    minItems: 1,
    maxItems: limits.maxBatch,
  }),
});
