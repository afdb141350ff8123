import Type, { type Static } from 'typebox';
import { nullable } from '#http';
import { savedCallFilters } from '../saved-calls.schema.ts';
import type { ConversionResult } from './convert.ts';

/** Calls of one request: one may hold a megabyte. */
export const maxCalls = 100;

export const convertBody = Type.Object({
  dataset_id: Type.String({ description: 'A dataset of the project.', maxLength: 64 }),
  ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      description: 'The calls.',
      minItems: 1,
      maxItems: maxCalls,
    }),
  ),
  filter: Type.Optional(Type.Object(savedCallFilters, { description: 'Or: calls that fit all of this.' })),
  after: Type.Optional(
    Type.String({
      description: 'With a filter: only calls after this one; `resume_after` of the answer before.',
      maxLength: 64,
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: 'With a filter: calls of this request.',
      minimum: 1,
      maximum: maxCalls,
      default: maxCalls,
    }),
  ),
  split: Type.Optional(
    Type.Enum(['train', 'test'], {
      description: '`train`: to learn from; `test`: to measure with.',
      default: 'train',
    }),
  ),
  test_ratio: Type.Optional(
    Type.Number({
      description:
        'Part of the conversations that goes to `test`, instead of `split`. The same question always goes to the same side.',
      minimum: 0,
      maximum: 0.5,
    }),
  ),
  include_reasoning: Type.Optional(
    Type.Boolean({
      description: 'Whether the reasoning is to be learnt, too.',
      default: true,
    }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only say what would happen.', default: false })),
});

const count = (description: string) => Type.Integer({ description, minimum: 0 });

export const convertedSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Id of the call.' }),
      status: Type.Enum(['converted', 'convertible', 'already_converted', 'duplicate', 'rejected', 'not_found'], {
        description: 'What became of it. `convertible`: of a dry run. `duplicate`: the dataset has an equal example.',
      }),
      example_id: nullable(Type.String(), 'The example that it became.'),
      issues: Type.Array(
        Type.Object({
          code: Type.String({ description: 'What is wrong, as a word.' }),
          pointer: Type.String({ description: 'Where, as a JSON pointer.' }),
          message: Type.String({ description: 'What is wrong, in English.' }),
          hint: nullable(Type.String(), 'What to do about it.'),
        }),
        { description: 'Why it was rejected.' },
      ),
    }),
    { description: 'One per call: in the order of `ids`, or the oldest first.' },
  ),
  dry_run: Type.Boolean({ description: 'Nothing was changed.' }),
  converted: count('Calls that became examples; in a dry run those that would.'),
  already_converted: count('Calls that were converted before.'),
  duplicates: count('Calls that say what the dataset has already.'),
  rejected: count('Calls that cannot be examples, or are not there.'),
  remaining: count('Calls of the filter that this request did not look at.'),
  resume_after: nullable(Type.String(), 'Send it as `after` to go on; null: nothing remains.'),
});

type ConvertedWire = Static<typeof convertedSchema>;

export function convertedToWire(
  outcomes: ReadonlyMap<string, ConversionResult>,
  { isDryRun, remaining, resumeAfter }: { isDryRun: boolean; remaining: number; resumeAfter: string | null },
): ConvertedWire {
  const results = [...outcomes].map(([id, outcome]): ConvertedWire['results'][number] => ({
    id,
    status: outcome.status,
    example_id: 'exampleId' in outcome ? outcome.exampleId : null,
    issues: 'issues' in outcome ? outcome.issues.map(({ hint = null, ...issue }) => ({ ...issue, hint })) : [],
  }));
  const countOf = (...statuses: ConversionResult['status'][]) =>
    results.filter(({ status }) => statuses.includes(status)).length;
  return {
    results,
    dry_run: isDryRun,
    converted: countOf('converted', 'convertible'),
    already_converted: countOf('already_converted'),
    duplicates: countOf('duplicate'),
    rejected: countOf('rejected', 'not_found'),
    remaining,
    resume_after: resumeAfter,
  };
}
