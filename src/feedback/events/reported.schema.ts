import Type from 'typebox';
import { nullable, said } from '#http';
import { labels, limits, signals } from './event.ts';

const rank = Type.Integer({
  ...said('Place on the page, from 1; each once.', '在结果页中的名次，从 1 开始，不可重复。'),
  ...{ minimum: 1, maximum: limits.maxRank },
});
const text = Type.String({ ...said('What was shown.', '展示的文本。'), minLength: 1, maxLength: limits.maxText });
const documentId = nullable(
  Type.String({ minLength: 1, maxLength: limits.maxId }),
  said('Your name for the document.', '调用方自己的文档标识。'),
);
const score = nullable(Type.Number(), said('How your search scored it.', '搜索给出的分数。'));

const judgedRank = nullable(
  Type.Integer({ minimum: 1, maximum: limits.maxRank }),
  said('Judges the result of this rank.', '判断该名次的结果。'),
);
const judgedDocument = nullable(
  Type.String({ minLength: 1, maxLength: limits.maxId }),
  said('Judges each result that shows this document.', '判断展示该文档的所有结果。'),
);
const label = Type.Enum([...labels], said('Whether the query should find it.', '查询是否应检索到它。'));
const signal = nullable(Type.Enum([...signals]), said('How it is known.', '判断依据。'));
const strength = Type.Number({
  ...said(
    'How sure it is; below `min_strength` of the settings it makes neither positives nor negatives.',
    '可信程度；低于设置中的 `min_strength` 时既不产生正例也不产生反例。',
  ),
  minimum: 0,
  maximum: 1,
  default: 1,
});

/** As it is shown. */
export const resultSchema = Type.Object({ rank, document_id: documentId, text, score });
export const judgmentSchema = Type.Object({ rank: judgedRank, document_id: judgedDocument, label, signal, strength });

const ownName = (english: string, chinese: string, maxLength: number) =>
  nullable(Type.String({ minLength: 1, maxLength }), said(english, chinese));

/** What answers and requests have in common. */
export const reportedFields = {
  external_id: ownName(
    'Your name for the event, once per dataset: sent again it makes nothing.',
    '调用方自己的事件标识，在数据集内唯一：重复发送不会产生新事件。',
    limits.maxName,
  ),
  query: Type.String({ ...said('What was searched for.', '查询文本。'), minLength: 1, maxLength: limits.maxQuery }),
  model: ownName('The model that the search used.', '搜索所用的模型。', limits.maxModel),
  index_id: ownName('The index that was searched.', '被搜索的索引。', limits.maxName),
  request_id: ownName('The request that embedded the query.', '生成查询嵌入的请求。', limits.maxName),
  user_ref: ownName('Who searched, in a name of yours.', '搜索者，使用调用方自己的标识。', limits.maxName),
  occurred_at: nullable(Type.String({ format: 'date-time' }), said('When it happened.', '发生时间。')),
  metadata: Type.Record(Type.String(), Type.String({ maxLength: limits.metadataValue }), {
    ...said('Anything of your own.', '自定义信息。'),
    propertyNames: { minLength: 1, maxLength: limits.metadataKey },
    maxProperties: limits.metadataKeys,
  }),
};

const { query, metadata, ...names } = reportedFields;

/** As it is reported; documented, and read by hand. */
export const reportedEventSchema = Type.Object(
  {
    query,
    results: Type.Array(
      Type.Object({ rank, text, document_id: Type.Optional(documentId), score: Type.Optional(score) }),
      {
        ...said(
          `What was shown: at most ${limits.maxTexts} characters of text in all.`,
          `展示的结果，文本总共不超过 ${limits.maxTexts} 个字符。`,
        ),
        ...{ minItems: 1, maxItems: limits.maxResults },
      },
    ),
    judgments: Type.Optional(
      Type.Array(
        Type.Object({
          rank: Type.Optional(judgedRank),
          document_id: Type.Optional(judgedDocument),
          label,
          signal: Type.Optional(signal),
          strength: Type.Optional(strength),
        }),
        { ...said('What people did with it.', '用户的反应。'), maxItems: limits.maxJudgments },
      ),
    ),
    ...optional(names),
    metadata: Type.Optional(metadata),
  },
  { $id: 'ReportedEvent', ...said('What a search reports.', '搜索上报的内容。') },
);

function optional<Fields extends typeof names>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)]));
}

export const reportedBatchSchema = Type.Object({
  events: Type.Array(reportedEventSchema, {
    ...said('1 to 100 events.', '1 到 100 个事件。'),
    minItems: 1,
    maxItems: limits.maxBatch,
  }),
});
