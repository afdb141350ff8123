import { type Contract, said } from '#http';
import { minedSchema } from './mining.schema.ts';

export const mineContract: Contract = {
  tag: 'datasets',
  summary: said('Mine hard negatives', '挖掘困难反例'),
  description: said(
    'Looks for documents that are near to the queries of examples and that no example of the version calls right for them, and adds them to the negatives of those examples in the present state of the dataset. Negatives that are there stay; what scores like a positive is left out. Examples that were changed since the version stay as they are. Freeze a version afterwards to train with them.',
    '查找与样本查询相近、且该版本中没有任何样本将其视为该查询正确答案的文档，并加入数据集当前状态中这些样本的反例。已有的反例保留；得分与正例相近的文档会被排除。自该版本以来被修改的样本保持不变。之后冻结一个新版本即可用于训练。',
  ),
  bodyExample: { limit: 25, dry_run: true },
  answers: {
    200: {
      description: said('What was found, by example.', '按样本给出的结果。'),
      schema: minedSchema,
      example: {
        results: [
          {
            example_id: 'ex_01KAXR8B2D4F6H8K0M2P4R6T8W',
            status: 'mined',
            negatives: [
              { document_id: 'faq-7', text: 'Parcels leave our house every evening.', rank: 2, score: 0.4127 },
            ],
            too_similar: 1,
          },
        ],
        written: 0,
        next_after: null,
        usage: { prompt_tokens: 21, total_tokens: 21 },
        credits: '0.000050',
      },
    },
  },
  faults: [
    'not_found',
    'owner_required',
    'state_conflict',
    'in_use',
    'insufficient_credits',
    'rate_limited',
    'model_warming',
    'capacity_unavailable',
    'generation_failed',
    'ambiguous_transport',
  ],
  idempotent: true,
};
