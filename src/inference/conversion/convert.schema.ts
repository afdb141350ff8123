import Type, { type Static } from 'typebox';
import { nullable, said } from '#http';
import { savedCallFilters } from '../saved-calls.schema.ts';
import type { Conversion } from './convert.ts';

/** Calls of one request: one may hold a megabyte. */
export const maxCalls = 100;

export const convertBody = Type.Object({
  dataset_id: Type.String({ ...said('A dataset of the project.', '本项目的数据集。'), maxLength: 64 }),
  ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      ...said('The calls.', '要转换的调用 ID。'),
      minItems: 1,
      maxItems: maxCalls,
    }),
  ),
  filter: Type.Optional(
    Type.Object(savedCallFilters, said('Or: calls that fit all of this.', '或：符合以下全部条件的调用。')),
  ),
  after: Type.Optional(
    Type.String({
      ...said(
        'With a filter: only calls after this one; `resume_after` of the answer before.',
        '与筛选条件一起使用：只处理此调用之后的调用，取上次响应的 `resume_after`。',
      ),
      maxLength: 64,
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      ...said('With a filter: calls of this request.', '与筛选条件一起使用：本次请求处理的调用数。'),
      minimum: 1,
      maximum: maxCalls,
      default: maxCalls,
    }),
  ),
  split: Type.Optional(
    Type.Enum(['train', 'test'], {
      ...said('`train`: to learn from; `test`: to measure with.', '`train` 用于训练，`test` 用于评估。'),
      default: 'train',
    }),
  ),
  test_ratio: Type.Optional(
    Type.Number({
      ...said(
        'Part of the conversations that goes to `test`, instead of `split`. The same question always goes to the same side.',
        '划入 `test` 的比例，取代 `split`。相同的提问总是划入同一侧。',
      ),
      minimum: 0,
      maximum: 0.5,
    }),
  ),
  include_reasoning: Type.Optional(
    Type.Boolean({
      ...said('Whether the reasoning is to be learnt, too.', '是否连同推理内容一起学习。'),
      default: true,
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ ...said('Only say what would happen.', '仅预演，不做任何更改。'), default: false }),
  ),
});

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });

export const convertedSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Type.String(said('Id of the call.', '调用的 ID。')),
      status: Type.Enum(
        ['converted', 'convertible', 'already_converted', 'duplicate', 'rejected', 'not_found'],
        said(
          'What became of it. `convertible`: of a dry run. `duplicate`: the dataset has an equal example.',
          '处理结果。`convertible` 用于预演；`duplicate` 表示数据集已有相同样本。',
        ),
      ),
      example_id: nullable(Type.String(), said('The example that it became.', '由其生成的样本 ID。')),
      issues: Type.Array(
        Type.Object({
          code: Type.String(said('What is wrong, as a word.', '问题代码。')),
          pointer: Type.String(said('Where, as a JSON pointer.', '问题所在的 JSON 指针。')),
          message: Type.String(said('What is wrong, in English.', '问题说明（英文）。')),
          hint: nullable(Type.String(), said('What to do about it.', '处理建议。')),
        }),
        said('Why it was rejected.', '被拒绝的原因。'),
      ),
    }),
    said('One per call: in the order of `ids`, or the oldest first.', '每个调用一条：按 `ids` 的顺序，或由早到晚。'),
  ),
  dry_run: Type.Boolean(said('Nothing was changed.', '是否为预演。')),
  converted: count(
    'Calls that became examples; in a dry run those that would.',
    '已生成样本的调用数；预演时为将生成的数量。',
  ),
  already_converted: count('Calls that were converted before.', '此前已转换的调用数。'),
  duplicates: count('Calls that say what the dataset has already.', '与已有样本重复的调用数。'),
  rejected: count('Calls that cannot be examples, or are not there.', '无法成为样本或不存在的调用数。'),
  remaining: count('Calls of the filter that this request did not look at.', '符合筛选条件但本次请求未处理的调用数。'),
  resume_after: nullable(
    Type.String(),
    said('Send it as `after` to go on; null: nothing remains.', '作为 `after` 传入以继续；为 null 表示已全部处理。'),
  ),
});

type ConvertedWire = Static<typeof convertedSchema>;

export function convertedToWire(
  outcomes: ReadonlyMap<string, Conversion>,
  { isDryRun, remaining, resumeAfter }: { isDryRun: boolean; remaining: number; resumeAfter: string | null },
): ConvertedWire {
  const results = [...outcomes].map(([id, outcome]): ConvertedWire['results'][number] => ({
    id,
    status: outcome.status,
    example_id: 'exampleId' in outcome ? outcome.exampleId : null,
    issues: 'issues' in outcome ? outcome.issues.map(({ hint = null, ...issue }) => ({ ...issue, hint })) : [],
  }));
  const countOf = (...statuses: Conversion['status'][]) =>
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
