import Type, { type Static } from 'typebox';
import { nullable, pageQuery, said, timestamp } from '#http';
import type { Assessed } from '../assessment/assess.ts';
import { blockers } from '../assessment/draft.ts';
import { dropReasons } from '../policy/objections.ts';
import { eventStates, limits } from './event.ts';
import { judgmentSchema, reportedFields, resultSchema } from './reported.schema.ts';

const text = (english: string, chinese: string, maxLength: number) =>
  Type.Optional(Type.String({ ...said(english, chinese), minLength: 1, maxLength }));
const time = (english: string, chinese: string) =>
  Type.Optional(Type.String({ ...said(english, chinese), format: 'date-time' }));

/** Filters of lists and of promotions. */
export const eventFilters = {
  q: text(
    'Only events whose query holds all these words; `word*` stands for all words that begin so. Upper and lower case are the same.',
    '只返回查询包含全部这些词的事件；`word*` 匹配以其开头的所有词。不区分大小写，中文可按任意片段查找。',
    500,
  ),
  model: text('Only events of this model.', '只返回该模型的事件。', limits.maxModel),
  external_id: text('Only the event with this name of yours.', '只返回具有该自定义标识的事件。', limits.maxName),
  from: time('Only events reported at or after this time.', '只返回此时间及之后上报的事件。'),
  to: time('Only events reported before this time.', '只返回此时间之前上报的事件。'),
};

const stateFilter = Type.Optional(
  Type.Enum([...eventStates], said('Only events in this state.', '只返回处于该状态的事件。')),
);

export const eventsQuery = Type.Object({ ...pageQuery, state: stateFilter, ...eventFilters });

export const skipBody = Type.Object({
  reason: Type.Optional(
    Type.Unsafe<string | null>({ ...said('Why.', '跳过的原因。'), type: ['string', 'null'], maxLength: 200 }),
  ),
});

const ranks = (english: string, chinese: string) => Type.Array(Type.Integer({ minimum: 1 }), said(english, chinese));

export const blockerSchema = Type.Array(
  Type.Enum([...blockers]),
  said('What stands in the way of a promotion.', '妨碍提升的原因。'),
);

const suggestedSchema = Type.Object(
  {
    positives: ranks('What the query should find.', '查询应检索到的结果的名次。'),
    negatives: ranks('What it should not find.', '查询不应检索到的结果的名次。'),
    dropped: Type.Array(
      Type.Object({
        rank: Type.Integer({ ...said('Rank of the result.', '结果的名次。'), minimum: 1 }),
        reason: Type.Enum([...dropReasons], said('Why it is neither.', '既非正例也非反例的原因。')),
      }),
      said('All other results.', '其余结果。'),
    ),
  },
  said('What a promotion would teach, by rank.', '提升后将用于训练的内容（按名次）。'),
);

const rowFields = {
  id: Type.String(said('Id of the event.', '事件的 ID。')),
  dataset_id: Type.String(said('Id of its dataset.', '所属数据集的 ID。')),
  state: Type.Enum(
    [...eventStates],
    said(
      '`needs_judgment`: nothing was judged positive. `promoted` is final.',
      '`needs_judgment` 表示尚无正例；`promoted` 为最终状态。',
    ),
  ),
  ...reportedFields,
  result_count: Type.Integer({ ...said('Results that were shown.', '展示的结果数。'), minimum: 0 }),
  judgments: Type.Array(judgmentSchema, said('What people did with them.', '用户的反应。')),
  promotable: Type.Boolean(said('Whether it can be promoted as it is.', '当前是否可以提升。')),
  blockers: blockerSchema,
  suggested: suggestedSchema,
  example_ids: Type.Array(Type.String(), said('Examples that it became.', '由其生成的样本 ID。')),
  skipped_reason: nullable(Type.String(), said('Why it was skipped.', '跳过的原因。')),
  created_at: timestamp(said('When it was reported.', '上报时间。')),
  updated_at: timestamp(said('When it last changed.', '最后更改时间。')),
  promoted_at: nullable(
    timestamp(said('When it was promoted.', '提升时间。')),
    said('When it was promoted.', '提升时间。'),
  ),
};

/** A row of a list. */
export const eventRowSchema = Type.Object(rowFields, {
  $id: 'RetrievalEvent',
  ...said('A retrieval event.', '一个检索事件。'),
});

export const eventSchema = Type.Object(
  { ...rowFields, results: Type.Array(resultSchema, said('What was shown, by rank.', '展示的结果，按名次排列。')) },
  { $id: 'RetrievalEventDetail', ...said('A retrieval event with its results.', '检索事件及其结果。') },
);

export type EventRowWire = Static<typeof eventRowSchema>;
export type EventWire = Static<typeof eventSchema>;

export function eventRowToWire({ event, suggestion, promotable, blockers: found }: Assessed): EventRowWire {
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
    suggested: { positives, negatives, dropped },
    example_ids: event.exampleIds,
    skipped_reason: event.skippedReason,
    created_at: event.createdAt.toISOString(),
    updated_at: event.updatedAt.toISOString(),
    promoted_at: event.promotedAt?.toISOString() ?? null,
  };
}

export function eventToWire(assessed: Assessed): EventWire {
  return { ...eventRowToWire(assessed), results: assessed.event.results };
}
