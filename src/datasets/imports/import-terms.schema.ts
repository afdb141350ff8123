import Type from 'typebox';
import { said } from '#http';

export const formats = ['jsonl', 'json', 'csv', 'tsv', 'parquet'] as const;

export const issueCodes = [
  'bad_json',
  'bad_encoding',
  'missing_field',
  'wrong_type',
  'empty_text',
  'last_message_not_assistant',
  'unknown_role',
  'tool_arguments_invalid',
  'tool_unknown',
  'over_token_limit',
  'not_learnable',
  'too_large',
  'duplicate',
  'positive_equals_negative',
  'positive_missing',
] as const;

const column = Type.Union([
  Type.String({ maxLength: 500 }),
  Type.Array(Type.String({ maxLength: 500 }), { minItems: 1, maxItems: 16 }),
]);

export const mapping = (text: { description: string; 'x-zh': string }) => Type.Record(Type.String(), column, text);

export const mappingText = said(
  'Columns that make an example. Text: `{messages}`, or `{system?, user, assistant}`, and `{tools?, split?}`. Embedding: `{query, positive | positives, negative? | negatives?, split?}`. `user`, `positives` and `negatives` may name several columns, as a list.',
  '组成样本的列。文本项目：`{messages}` 或 `{system?, user, assistant}`，另可含 `{tools?, split?}`。嵌入项目：`{query, positive | positives, negative? | negatives?, split?}`。`user`、`positives` 与 `negatives` 可用列表指定多列。',
);

export const optionFields = {
  on_invalid: Type.Enum(['reject', 'skip'], {
    ...said(
      '`reject`: nothing is imported while a row is not valid. `skip`: rows that are not valid are left out.',
      '`reject`：只要有无效行就不导入。`skip`：跳过无效行。',
    ),
    type: 'string',
    default: 'reject',
  }),
  dedupe: Type.Enum(['none', 'exact'], {
    ...said(
      '`exact`: examples that the file or the dataset has already are left out.',
      '`exact`：跳过文件中或数据集中已有的相同样本。',
    ),
    type: 'string',
    default: 'exact',
  }),
  test_ratio: Type.Number({
    ...said(
      'Share of the examples that is kept for tests. Of searches it is a share of the queries: all examples of a query go to one side.',
      '留作测试的样本比例。对于检索样本，则为查询的比例：同一查询的所有样本归入同一侧。',
    ),
    minimum: 0,
    maximum: 0.5,
    default: 0.2,
  }),
  split_seed: Type.Integer({
    ...said(
      'Draws the split. With the same seed and the same content it always falls the same way.',
      '用于划分训练与测试。种子与内容相同时，划分结果始终相同。',
    ),
    minimum: -2147483648,
    maximum: 2147483647,
    default: 0,
  }),
};

export const integer = (text: object = {}) => Type.Integer({ minimum: 0, ...text });

export const countsSchema = Type.Object(
  {
    rows: integer(said('All rows.', '总行数。')),
    valid: integer(said('Rows that make an example.', '可生成样本的行数。')),
    invalid: integer(said('Rows that make none.', '无法生成样本的行数。')),
    duplicates: integer(said('Rows whose example is there already.', '样本重复的行数。')),
    over_token_limit: integer(
      said(
        'Valid rows that are too long for the model; no version has them.',
        '有效但超出模型长度的行数，不会进入任何版本。',
      ),
    ),
  },
  said('Counts over every row.', '对所有行的统计。'),
);
