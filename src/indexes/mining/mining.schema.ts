import Type, { type Static } from 'typebox';
import type { ReplacedExample } from '#datasets';
import { creditsText, nullable } from '#http';
import { formatCredits, type Micro } from '#kernel';
import { documentId, score, usageSchema, usageToWire } from '../search/search.schema.ts';
import type { MinedExample, MiningResult } from './mine.ts';

export const mineBody = Type.Object({
  split: Type.Optional(
    Type.Enum(['train', 'test'], {
      description: 'Examples of this split.',
      type: 'string',
      default: 'train',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: 'Examples of one request.',
      minimum: 1,
      maximum: 100,
      default: 25,
    }),
  ),
  after: Type.Optional(
    Type.String({
      description: '`next_after` of the request before; without it the first examples.',
      maxLength: 500,
    }),
  ),
  candidates: Type.Optional(
    Type.Integer({
      description: 'Nearest documents that are looked at for an example.',
      minimum: 1,
      maximum: 100,
      default: 50,
    }),
  ),
  max_negatives: Type.Optional(
    Type.Integer({
      description: 'Negatives of an example at most, with those that it has.',
      minimum: 1,
      maximum: 16,
      default: 5,
    }),
  ),
  max_score_ratio: Type.Optional(
    Type.Number({
      description:
        'A document that scores above this part of the weakest positive is left out: it is probably another right answer.',
      minimum: 0.1,
      maximum: 1,
      default: 0.95,
    }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'True: nothing is written.', default: false })),
});

const statuses = ['mined', 'full', 'none_found', 'changed', 'rejected'] as const;

export const minedSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      example_id: Type.String({ description: 'Id of the example.' }),
      status: Type.Enum([...statuses], {
        description:
          '`mined`: it got negatives, or would; `full`: it has enough; `none_found`: no document is near and far enough; `changed`: somebody has changed or removed it since the version; `rejected`: it would be too large.',
      }),
      negatives: Type.Array(
        Type.Object({
          document_id: documentId,
          text: Type.String({ description: 'The text.' }),
          rank: Type.Integer({ description: 'Its rank for the query.', minimum: 1 }),
          score,
        }),
        { description: 'What was mined, nearest first.' },
      ),
      too_similar: Type.Integer({
        description: 'Documents left out because they score like a positive.',
        minimum: 0,
      }),
    }),
    { description: 'One per example.' },
  ),
  written: Type.Integer({ description: 'Examples that were changed.', minimum: 0 }),
  next_after: nullable(Type.String(), 'Send it as `after` to go on; null: that was the last.'),
  usage: usageSchema,
  credits: creditsText('What this cost.'),
});

type Written = {
  written: ReadonlyMap<string, ReplacedExample> | null;
  nextAfter: string | null;
  micro: Micro;
};

export function minedToWire(
  { examples, spent }: MiningResult,
  { written, nextAfter, micro }: Written,
): Static<typeof minedSchema> {
  return {
    results: examples.map((mined) => ({
      example_id: mined.example.id,
      status: statusOf(mined, written),
      negatives: mined.negatives.map(({ documentId: id, text, rank, score: cosine }) => ({
        document_id: id,
        text,
        rank,
        score: cosine,
      })),
      too_similar: mined.tooSimilar,
    })),
    written: [...(written?.values() ?? [])].filter((result) => result === 'replaced').length,
    next_after: nextAfter,
    usage: usageToWire(spent),
    credits: formatCredits(micro),
  };
}

function statusOf({ status, example }: MinedExample, written: Written['written']): (typeof statuses)[number] {
  const result = written?.get(example.id);
  return result === undefined || result === 'replaced' ? status : result;
}
