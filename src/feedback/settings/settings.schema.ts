import Type, { type Static } from 'typebox';
import { type Contract, nullable, said, timestamp } from '#http';
import type { FeedbackSettings } from './settings.ts';

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });
const share = (english: string, chinese: string) => Type.Number({ ...said(english, chinese), minimum: 0, maximum: 1 });

const settingsSchema = Type.Object(
  {
    accepts_events: Type.Boolean(said('Whether events can be reported.', '是否接收事件上报。')),
    auto_promote: Type.Boolean(
      said('Always false: nothing is learned that nobody promoted.', '始终为 false：未经提升的事件不会用于训练。'),
    ),
    min_strength: share(
      'Weaker judgments make neither positives nor negatives.',
      '低于此可信程度的判断既不产生正例也不产生反例。',
    ),
    negatives: Type.Object(
      {
        mode: Type.Enum(
          ['explicit_only', 'explicit_then_skipped'],
          said(
            'Only what was judged negative, or then what was passed over above the lowest positive, too.',
            '仅使用被判断为反例的结果，或在其后补充排在最低正例之上但被略过的结果。',
          ),
        ),
        max_negatives: count('Negatives of one example.', '每个样本的反例数上限。'),
        max_score_ratio: share(
          'A passed-over result that scores at least this part of the best positive is no negative.',
          '被略过的结果分数达到最佳正例的此比例时不作为反例。',
        ),
        near_duplicate_threshold: share(
          'A result that shares this part of its runs of three words with a positive is no negative (Jaccard similarity).',
          '与正例的三词片段 Jaccard 相似度达到此值的结果不作为反例。',
        ),
      },
      said('How negatives are chosen.', '反例的选取方式。'),
    ),
    dedupe: Type.Object(
      {
        by: Type.Enum(['query+positive'], said('What makes events the same.', '判定重复的依据。')),
        window_days: count(
          'For so long a query that taught a passage does not teach it again, while the example is there.',
          '在此天数内，只要样本仍在，同一查询与同一正例不会重复生成样本。',
        ),
      },
      said('Which events teach nothing new.', '哪些事件不再提供新内容。'),
    ),
    retention_days: count('Events are removed after so many days; examples stay.', '事件的保留天数；样本不受影响。'),
    limits: Type.Object(
      {
        max_batch: count('Events of one request.', '一次请求的事件数上限。'),
        max_results: count('Results of one event.', '每个事件的结果数上限。'),
        max_query_tokens: nullable(
          Type.Integer(),
          said('Longest query that can be promoted.', '可提升的查询的最大词元数。'),
        ),
      },
      said('Limits.', '各项上限。'),
    ),
    base_model: nullable(
      Type.String(),
      said('The model that counts; null: none is installed.', '用于统计的基础模型；为 null 表示未安装。'),
    ),
    max_seq_length: nullable(
      Type.Integer(),
      said('Longest text that it takes, tokens.', '该模型接受的最大文本长度（词元数）。'),
    ),
    query_instruction: nullable(Type.String(), said('What it puts in front of queries.', '该模型在查询前添加的指令。')),
    updated_at: timestamp(said('When the project last changed.', '项目最后更改的时间。')),
  },
  { $id: 'RetrievalSettings', ...said('How search feedback is dealt with.', '检索反馈的处理方式。') },
);

export function settingsToWire(settings: FeedbackSettings): Static<typeof settingsSchema> {
  const { policy, baseModel, limits } = settings;
  const maxTokens = baseModel?.maxContextTokens ?? null;
  return {
    accepts_events: settings.acceptsEvents,
    auto_promote: false,
    min_strength: policy.minStrength,
    negatives: {
      mode: policy.mode,
      max_negatives: policy.maxNegatives,
      max_score_ratio: policy.maxScoreRatio,
      near_duplicate_threshold: policy.nearDuplicateThreshold,
    },
    dedupe: { by: 'query+positive', window_days: settings.dedupeWindowDays },
    retention_days: settings.retentionDays,
    limits: { max_batch: limits.maxBatch, max_results: limits.maxResults, max_query_tokens: maxTokens },
    base_model: baseModel?.id ?? null,
    max_seq_length: maxTokens,
    query_instruction: baseModel?.queryInstruction ?? null,
    updated_at: settings.updatedAt.toISOString(),
  };
}

export const settingsContract: Contract = {
  tag: 'retrieval_events',
  summary: said('Read the retrieval settings', '查看检索反馈设置'),
  description: said(
    'How feedback of this project becomes examples. They come from the project, its base model and the operator, and are read only.',
    '本项目的反馈如何成为样本。这些设置来自项目、基础模型与运维配置，只能读取。',
  ),
  answers: {
    200: {
      description: said('The settings.', '各项设置。'),
      schema: settingsSchema,
      example: {
        accepts_events: true,
        auto_promote: false,
        min_strength: 0.5,
        negatives: {
          mode: 'explicit_then_skipped',
          max_negatives: 5,
          max_score_ratio: 0.95,
          near_duplicate_threshold: 0.9,
        },
        dedupe: { by: 'query+positive', window_days: 90 },
        retention_days: 365,
        limits: { max_batch: 100, max_results: 50, max_query_tokens: 512 },
        base_model: 'fanfold-tiny-embed',
        max_seq_length: 512,
        query_instruction: 'Given a customer question, retrieve the passage that answers it',
        updated_at: '2026-01-02T03:04:05.678Z',
      },
    },
  },
  faults: ['not_found', 'embeddings_not_enabled'],
};
