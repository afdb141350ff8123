import Type, { type Static } from 'typebox';
import type { ReplacedExample } from '#datasets';
import { creditsText, nullable, said } from '#http';
import { formatCredits, type Micro } from '#kernel';
import { documentId, score, usageSchema, usageToWire } from '../search/search.schema.ts';
import type { Mined, MinedExample } from './mine.ts';

export const mineBody = Type.Object({
  split: Type.Optional(
    Type.Enum(['train', 'test'], {
      ...said('Examples of this split.', '处理此划分中的样本。'),
      type: 'string',
      default: 'train',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      ...said('Examples of one request.', '一次请求处理的样本数。'),
      minimum: 1,
      maximum: 100,
      default: 25,
    }),
  ),
  after: Type.Optional(
    Type.String({
      ...said(
        '`next_after` of the request before; without it the first examples.',
        '上一次请求的 `next_after`；省略则从头开始。',
      ),
      maxLength: 500,
    }),
  ),
  candidates: Type.Optional(
    Type.Integer({
      ...said('Nearest documents that are looked at for an example.', '每个样本考察的最近文档数。'),
      minimum: 1,
      maximum: 100,
      default: 50,
    }),
  ),
  max_negatives: Type.Optional(
    Type.Integer({
      ...said('Negatives of an example at most, with those that it has.', '每个样本的反例上限，含已有的反例。'),
      minimum: 1,
      maximum: 16,
      default: 5,
    }),
  ),
  max_score_ratio: Type.Optional(
    Type.Number({
      ...said(
        'A document that scores above this part of the weakest positive is left out: it is probably another right answer.',
        '得分超过最弱正例得分此比例的文档会被排除，因为它很可能也是正确答案。',
      ),
      minimum: 0.1,
      maximum: 1,
      default: 0.95,
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ ...said('True: nothing is written.', 'true 表示只预览，不写入。'), default: false }),
  ),
});

const statuses = ['mined', 'full', 'none_found', 'changed', 'rejected'] as const;

export const minedSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      example_id: Type.String(said('Id of the example.', '样本的 ID。')),
      status: Type.Enum(
        [...statuses],
        said(
          '`mined`: it got negatives, or would; `full`: it has enough; `none_found`: no document is near and far enough; `changed`: somebody has changed or removed it since the version; `rejected`: it would be too large.',
          '`mined` 已（或将）获得反例；`full` 反例已足够；`none_found` 没有合适的文档；`changed` 自该版本以来已被修改或删除；`rejected` 内容会过大。',
        ),
      ),
      negatives: Type.Array(
        Type.Object({
          document_id: documentId,
          text: Type.String(said('The text.', '文本内容。')),
          rank: Type.Integer({ ...said('Its rank for the query.', '对该查询的排名。'), minimum: 1 }),
          score,
        }),
        said('What was mined, nearest first.', '挖掘到的反例，按相似度从高到低排列。'),
      ),
      too_similar: Type.Integer({
        ...said('Documents left out because they score like a positive.', '因得分与正例相近而被排除的文档数。'),
        minimum: 0,
      }),
    }),
    said('One per example.', '与样本一一对应。'),
  ),
  written: Type.Integer({ ...said('Examples that were changed.', '被修改的样本数。'), minimum: 0 }),
  next_after: nullable(
    Type.String(),
    said('Send it as `after` to go on; null: that was the last.', '作为 `after` 传入以继续；为 null 表示已到末尾。'),
  ),
  usage: usageSchema,
  credits: creditsText(said('What this cost.', '本次请求所扣的积分。')),
});

type Written = {
  /** Null: a dry run. */
  written: ReadonlyMap<string, ReplacedExample> | null;
  nextAfter: string | null;
  micro: Micro;
};

export function minedToWire(
  { examples, spent }: Mined,
  { written, nextAfter, micro }: Written,
): Static<typeof minedSchema> {
  return {
    results: examples.map((mined) => ({
      example_id: mined.example.id,
      status: statusOf(mined, written),
      negatives: mined.negatives.map(({ documentId: id, text, rank, score: cosine }) => ({
        ...{ document_id: id, text, rank },
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
