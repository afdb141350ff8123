import Type from 'typebox';
import { nullable, said } from '#http';
import { countsSchema, formats, integer, issueCodes, mapping, mappingText } from './import-terms.schema.ts';
import { shapes } from './mapping/detect-shape.ts';

const tokenStats = Type.Object(
  {
    min: integer(said('Of the shortest row.', '最短行。')),
    p50: integer(said('Half of the rows have no more.', '中位数。')),
    p95: integer(said('95 of 100 rows have no more.', '第 95 百分位数。')),
    max: integer(said('Of the longest row.', '最长行。')),
    total: integer(said('Of all rows together.', '所有行合计。')),
  },
  said('Tokens of the valid rows, as the model counts them.', '有效行的词元数，按模型计数。'),
);

const issueFields = {
  line: integer(
    said(
      'Line where the row begins, from 1; the number of the row in Parquet.',
      '该行起始的行号，从 1 开始；Parquet 为行序号。',
    ),
  ),
  byte_offset: nullable(
    integer(),
    said(
      'Where the row begins in the text, after decompression and as UTF-8; null in Parquet.',
      '该行在解压并转为 UTF-8 后文本中的起始字节；Parquet 为 null。',
    ),
  ),
  pointer: Type.String(
    said('Where in the row, as a JSON pointer; empty for all of it.', '行内位置（JSON 指针）；空串表示整行。'),
  ),
  code: Type.Enum([...issueCodes], { ...said('What is wrong.', '问题代码。'), type: 'string' }),
  message: Type.String(said('The same in words.', '问题说明。')),
  hint: nullable(Type.String(), said('What helps.', '处理建议。')),
  excerpt: Type.String(said('Beginning of the row.', '该行开头。')),
};

export const issueSchema = Type.Object(issueFields, said('An issue of a row.', '某一行的问题。'));

export const profileSchema = Type.Object({
  format: Type.Enum([...formats], { ...said('Format.', '格式。'), type: 'string' }),
  encoding: nullable(Type.String(), said('Encoding; null in Parquet.', '编码；Parquet 为 null。')),
  delimiter: nullable(Type.String(), said('Delimiter of CSV and TSV.', 'CSV 与 TSV 的分隔符。')),
  gzip: Type.Boolean(said('Whether it is packed with gzip.', '是否经 gzip 压缩。')),
  columns: Type.Array(
    Type.Object({
      name: Type.String(said('Name.', '名称。')),
      type: Type.String(
        said(
          '`string`, `number`, `boolean`, `object`, `array`, `mixed` or `null`.',
          '`string`、`number`、`boolean`、`object`、`array`、`mixed` 或 `null`。',
        ),
      ),
      null_count: integer(said('Rows without a value.', '无值的行数。')),
      samples: Type.Array(Type.String(), said('Up to three values.', '至多三个示例值。')),
    }),
    said('Columns; at most 200 are shown.', '列，最多显示 200 个。'),
  ),
  detected_shape: Type.Enum([...shapes], { ...said('Known shape.', '识别出的数据形态。'), type: 'string' }),
  suggested_mapping: nullable(mapping(mappingText), said('Mapping that the shape asks for.', '该形态对应的映射。')),
  rows: integer(said('All rows.', '总行数。')),
  valid: integer(said('Rows that make an example.', '可生成样本的行数。')),
  invalid: integer(said('Rows that make none.', '无法生成样本的行数。')),
  token_stats: tokenStats,
  token_histogram: Type.Array(
    Type.Object({
      from: integer(said('Fewest tokens.', '最少词元数。')),
      to: integer(said('Most tokens.', '最多词元数。')),
      rows: integer(said('Rows that have as many.', '处于该区间的行数。')),
    }),
    said(
      'How the lengths of the valid rows are spread; the last range takes the few that are far longer than the others.',
      '有效行长度的分布；最后一个区间包含远长于其他行的少数行。',
    ),
  ),
  duplicates: integer(said('Rows whose example is there already.', '样本重复的行数。')),
  issues: Type.Array(
    Type.Object({
      code: Type.Enum([...issueCodes], { ...said('What is wrong.', '问题代码。'), type: 'string' }),
      count: integer(said('How often.', '次数。')),
      first_line: integer(said('Where first.', '首次出现的行。')),
    }),
    said('Issues of all rows by their code.', '所有行的问题，按代码汇总。'),
  ),
});

export const previewSchema = Type.Object({
  rows: Type.Array(
    Type.Object({
      line: issueFields.line,
      source: Type.Unknown(
        said('The row as the file has it; as text where it could not be read.', '文件中的原始行；无法读取时为文本。'),
      ),
      example: nullable(
        Type.Object({
          text: nullable(Type.Unknown(), said('Example of a text project.', '文本项目的样本。')),
          embedding: nullable(Type.Unknown(), said('Example of an embedding project.', '嵌入项目的样本。')),
          split: nullable(
            Type.String(),
            said('Split that the row says; null: it is drawn.', '该行指定的划分；null 表示由种子决定。'),
          ),
          tokens: nullable(integer(), said('Tokens.', '词元数。')),
        }),
        said('What becomes of it; null: nothing.', '生成的样本；null 表示不生成。'),
      ),
      issues: Type.Array(issueSchema, said('What is wrong with it.', '该行的问题。')),
    }),
    said('The first rows.', '前若干行。'),
  ),
  counts: countsSchema,
  will_import: integer(said('Examples that a confirmation would add.', '确认后将新增的样本数。')),
  will_skip: integer(said('Rows that it would leave out.', '确认后将跳过的行数。')),
  preview_token: Type.String(said('Confirms exactly this.', '用于确认此预览的令牌。')),
});
