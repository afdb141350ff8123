import Type, { type Static } from 'typebox';
import { exampleSchema } from '#datasets';
import { nullable, said } from '#http';
import { limits } from '../events/event.ts';
import { blockerSchema, eventFilters, eventSchema } from '../events/events.schema.ts';
import { maxEvents } from './promote-filter.ts';

const ranks = (english: string, chinese: string) =>
  Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { ...said(english, chinese), maxItems: limits.maxResults }));

const split = Type.Optional(
  Type.Enum(['train', 'test'], {
    ...said('`train`: to learn from; `test`: to measure with.', '`train` 用于训练，`test` 用于评估。'),
    default: 'train',
  }),
);

const dryRun = Type.Optional(
  Type.Boolean({ ...said('Only say what would happen.', '仅预演，不做任何更改。'), default: false }),
);

export const promoteBody = Type.Object({
  positives: ranks(
    'Ranks that the query should find, instead of those that were judged positive.',
    '以这些名次的结果作为正例，取代已有判断。',
  ),
  negatives: ranks(
    'Ranks that it should not find, instead of those that the policy chooses.',
    '以这些名次的结果作为反例，取代策略的选择。',
  ),
  query: Type.Optional(
    Type.String({
      ...said('What to learn instead of the query as it was typed.', '以此文本取代原查询。'),
      minLength: 1,
      maxLength: limits.maxQuery,
    }),
  ),
  split,
  dry_run: dryRun,
});

const ids = Type.Array(Type.String({ maxLength: 64 }), {
  ...said('The events.', '事件的 ID。'),
  minItems: 1,
  maxItems: limits.maxBatch,
});

export const promoteManyBody = Type.Object({
  ids: Type.Optional(ids),
  filter: Type.Optional(
    Type.Object(
      eventFilters,
      said(
        'Or: pending events that fit all of this. A field that is not known is refused.',
        '或：符合以下全部条件的待处理事件。未知字段会被拒绝。',
      ),
    ),
  ),
  after: Type.Optional(
    Type.String({
      ...said(
        'With a filter: only events after this one; `resume_after` of the answer before.',
        '与筛选条件一起使用：只处理此事件之后的事件，取上次响应的 `resume_after`。',
      ),
      maxLength: 64,
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      ...said('With a filter: events of this request.', '与筛选条件一起使用：本次请求处理的事件数。'),
      minimum: 1,
      maximum: maxEvents,
      default: maxEvents,
    }),
  ),
  split,
  test_ratio: Type.Optional(
    Type.Number({
      ...said(
        'Part of the queries that goes to `test`, instead of `split`. The same query always goes to the same side.',
        '划入 `test` 的查询比例，取代 `split`。相同的查询总是划入同一侧。',
      ),
      minimum: 0,
      maximum: 0.5,
    }),
  ),
  dry_run: dryRun,
});

/** An example, or what would become one: that has no id yet. */
const promotedExampleSchema = Type.Object(
  {
    ...exampleSchema.properties,
    id: nullable(Type.String(), said('Id of the example; null in a dry run.', '样本的 ID；预演时为 null。')),
  },
  { $id: 'PromotedExample', ...said('What an event became.', '由事件生成的样本。') },
);

export const promotedSchema = Type.Object({
  event: eventSchema,
  examples: Type.Array(
    promotedExampleSchema,
    said('The examples that are there; in a dry run those that would be.', '现有的样本；预演时为将生成的样本。'),
  ),
});

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });

export const promotedManySchema = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Type.String(said('Id of the event.', '事件的 ID。')),
      status: Type.Enum(
        ['promoted', 'promotable', 'already_promoted', 'rejected'],
        said('What became of it; `promotable` in a dry run.', '处理结果；预演时可为 `promotable`。'),
      ),
      example_ids: Type.Array(Type.String(), said('Examples that it became.', '由其生成的样本 ID。')),
      blockers: blockerSchema,
      error: nullable(
        Type.Object({
          code: Type.String(
            said('The code that a promotion of this event alone gets.', '单独提升该事件时返回的错误码。'),
          ),
          message: Type.String(said('Why, in English.', '原因（英文）。')),
        }),
        said('Why it was rejected.', '被拒绝的原因。'),
      ),
    }),
    said('One per event: in the order of `ids`, or the oldest first.', '每个事件一条：按 `ids` 的顺序，或由早到晚。'),
  ),
  dry_run: Type.Boolean(said('Nothing was changed.', '是否为预演。')),
  promoted: count('Promoted events; in a dry run those that would be.', '已提升的事件数；预演时为将提升的事件数。'),
  already_promoted: count('Events that were promoted before.', '此前已提升的事件数。'),
  rejected: count('Events that were not promoted.', '未提升的事件数。'),
  remaining: count('Events of the filter that this request did not look at.', '符合筛选条件但本次请求未处理的事件数。'),
  resume_after: nullable(
    Type.String(),
    said('Send it as `after` to go on; null: nothing remains.', '作为 `after` 传入以继续；为 null 表示已全部处理。'),
  ),
  stopped: nullable(
    Type.Object({
      code: Type.String(said('Code of the error.', '错误码。')),
      message: Type.String(said('What is wrong, in English.', '错误说明（英文）。')),
    }),
    said(
      'Why it ended early; what was promoted before stays promoted.',
      '提前结束的原因；此前已提升的事件保持提升状态。',
    ),
  ),
});

export type PromotedManyWire = Static<typeof promotedManySchema>;
