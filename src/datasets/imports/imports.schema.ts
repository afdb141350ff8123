import Type from 'typebox';
import { nullable, pageQuery, said, timestamp } from '#http';
import { importStates } from './import-record.ts';
import { shapes } from './mapping/detect-shape.ts';

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
  'too_large',
  'duplicate',
  'positive_equals_negative',
  'positive_missing',
] as const;

const format = Type.Enum([...formats], {
  ...said(
    'Format of the file, whether packed with gzip or not. By default it is found out.',
    '文件格式，无论是否经 gzip 压缩。默认自动识别。',
  ),
  type: 'string',
});

export const createImportBody = Type.Object({
  dataset_id: Type.Optional(Type.String(said('Dataset that gets the examples.', '接收样本的数据集。'))),
  dataset_name: Type.Optional(
    Type.String(
      said(
        'Name of a dataset that the import makes, when it is completed and not before. Send this or `dataset_id`.',
        '导入完成时新建的数据集名称，导入完成之前不会创建。与 `dataset_id` 二选一。',
      ),
    ),
  ),
  file_name: Type.String(
    said('Name of the file; its ending helps to find out the format.', '文件名，其扩展名有助于识别格式。'),
  ),
  size_bytes: Type.Integer({ ...said('Size of the file, as it is uploaded.', '所上传文件的大小。'), minimum: 1 }),
  format: Type.Optional(format),
  sha256: Type.Optional(
    Type.String({
      ...said(
        'SHA-256 of the file in hex. A file with another one is dropped.',
        '文件的 SHA-256（十六进制）。摘要不符的文件会被丢弃。',
      ),
      pattern: '^[0-9a-fA-F]{64}$',
    }),
  ),
});

export const profileBody = Type.Object({
  format: Type.Optional(format),
  encoding: Type.Optional(
    Type.String({
      ...said(
        'Encoding of the text, such as `utf-8`, `gb18030` or `windows-1252`.',
        '文本编码，例如 `utf-8`、`gb18030` 或 `windows-1252`。',
      ),
      maxLength: 40,
    }),
  ),
  delimiter: Type.Optional(
    Type.String({
      ...said('What divides values, in CSV and TSV.', 'CSV 与 TSV 中的分隔符。'),
      minLength: 1,
      maxLength: 1,
    }),
  ),
  sample_rows: Type.Optional(
    Type.Integer({
      ...said('Rows by which the shape is recognised.', '用于识别数据形态的行数。'),
      minimum: 1,
      maximum: 200,
      default: 100,
    }),
  ),
});

const column = Type.Union([
  Type.String({ maxLength: 500 }),
  Type.Array(Type.String({ maxLength: 500 }), { minItems: 1, maxItems: 16 }),
]);

const mapping = (text: { description: string; 'x-zh': string }) => Type.Record(Type.String(), column, text);

const mappingText = said(
  'Columns that make an example. Text: `{messages}`, or `{system?, user, assistant}`, and `{tools?, split?}`. Embedding: `{query, positive | positives, negative? | negatives?, split?}`. `user`, `positives` and `negatives` may name several columns, as a list.',
  '组成样本的列。文本项目：`{messages}` 或 `{system?, user, assistant}`，另可含 `{tools?, split?}`。嵌入项目：`{query, positive | positives, negative? | negatives?, split?}`。`user`、`positives` 与 `negatives` 可用列表指定多列。',
);

const optionFields = {
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
    ...said('Share of the examples that is kept for tests.', '留作测试的样本比例。'),
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

const optional = Type.Partial(
  Type.Object(optionFields),
  said('What to do with rows, and how to split them.', '如何处理与划分各行。'),
);

export const previewBody = Type.Object({
  mapping: Type.Optional(mapping(mappingText)),
  options: Type.Optional(optional),
  limit: Type.Optional(
    Type.Integer({ ...said('Rows to show.', '显示的行数。'), minimum: 1, maximum: 50, default: 20 }),
  ),
});

export const confirmBody = Type.Object({
  preview_token: Type.String({
    ...said(
      'From the latest preview: it stands for the file, the mapping and the options.',
      '最近一次预览返回的令牌，代表文件、映射与选项。',
    ),
    maxLength: 2048,
  }),
});

export const importsQuery = Type.Object({
  ...pageQuery,
  state: Type.Optional(Type.Enum([...importStates], said('Only imports in this state.', '只返回处于此状态的导入。'))),
  dataset_id: Type.Optional(
    Type.String({ ...said('Only imports into this dataset.', '只返回导入此数据集的记录。'), maxLength: 64 }),
  ),
});

export const errorsQuery = Type.Object({
  ...pageQuery,
  code: Type.Optional(Type.Enum([...issueCodes], said('Only issues with this code.', '只返回此代码的问题。'))),
});

const integer = (text: object = {}) => Type.Integer({ minimum: 0, ...text });

const countsSchema = Type.Object(
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

export const importSchema = Type.Object(
  {
    id: Type.String(said('Identifier.', '标识符。')),
    dataset_id: nullable(Type.String(), said('Dataset; null until a new one is made.', '数据集；新建完成前为 null。')),
    dataset_name: nullable(Type.String(), said('Name of the dataset to be made.', '将新建的数据集名称。')),
    kind: Type.Enum(['text', 'embedding'], { ...said('Kind of the project.', '项目类型。'), type: 'string' }),
    state: Type.Enum([...importStates], {
      ...said(
        'From `awaiting_upload` over `uploaded`, `profiling`, `ready` and `importing` to `completed`; or `failed`, `canceled`, `expired`.',
        '依次为 `awaiting_upload`、`uploaded`、`profiling`、`ready`、`importing`、`completed`；或 `failed`、`canceled`、`expired`。',
      ),
      type: 'string',
    }),
    file: Type.Object(
      {
        name: Type.String(said('Name.', '名称。')),
        size_bytes: integer(said('Size.', '大小。')),
        received_bytes: integer(
          said(
            'What has arrived without a gap. A broken upload goes on from here.',
            '已连续收到的字节数。中断的上传从此处继续。',
          ),
        ),
        sha256: nullable(Type.String(), said('Digest; null until the file is whole.', '摘要；文件完整之前为 null。')),
      },
      said('The file.', '文件。'),
    ),
    format: nullable(Type.String(), said('Format; null until the file was read.', '格式；读取之前为 null。')),
    progress: Type.Object(
      {
        phase: nullable(Type.String(), said('What is being done.', '当前步骤。')),
        rows_done: integer(said('Rows done.', '已处理行数。')),
        rows_total: nullable(
          integer(),
          said('Rows in all; null while they are counted.', '总行数；统计完成前为 null。'),
        ),
        percent: nullable(Type.Number(), said('Part that is done.', '完成百分比。')),
      },
      said('Progress; it survives a restart.', '进度，重启后仍保留。'),
    ),
    mapping: nullable(
      mapping(mappingText),
      said('Mapping of the last reading or preview.', '最近一次读取或预览所用的映射。'),
    ),
    options: Type.Object(optionFields, said('Options of the last preview.', '最近一次预览的选项。')),
    counts: countsSchema,
    result: nullable(
      Type.Object({
        version_id: nullable(Type.String(said('Version that was frozen.', '冻结的版本。'))),
        examples_added: integer(said('Examples added.', '新增样本数。')),
        rows_skipped: integer(said('Rows left out.', '跳过的行数。')),
      }),
      said('Once it is completed.', '完成后的结果。'),
    ),
    error: nullable(
      Type.Object({
        code: Type.String(said('What kind of failure.', '失败类型。')),
        message: Type.String(said('What went wrong.', '失败原因。')),
        hint: nullable(Type.String(), said('What helps.', '处理建议。')),
        details: Type.Object({}, said('Further facts.', '更多细节。')),
      }),
      said('Once it has failed.', '失败后的原因。'),
    ),
    created_by: Type.Object(
      {
        kind: Type.String(said('`account` or `api_key`.', '`account` 或 `api_key`。')),
        id: nullable(Type.String(said('Id of the account or key.', '账户或密钥的 ID。'))),
        label: Type.String(said('Its name at that time.', '当时的名称。')),
      },
      said('Who made it.', '创建者。'),
    ),
    created_at: timestamp(said('Creation.', '创建时间。')),
    updated_at: timestamp(said('Latest change.', '最近更新时间。')),
    expires_at: nullable(timestamp(said('When it ends unless somebody goes on.', '若无后续操作的失效时间。'))),
    finished_at: nullable(timestamp(said('End; the file goes a day later.', '结束时间，文件在一天后删除。'))),
  },
  { $id: 'Import' },
);

export const createdImportSchema = Type.Object({
  import: importSchema,
  upload: Type.Object(
    {
      method: Type.String(said('Always `PUT`.', '始终为 `PUT`。')),
      url: Type.String(said('Where the bytes go, with the same credential.', '上传地址，使用相同的凭据。')),
      max_bytes: integer(said('Size of the file.', '文件大小。')),
      accepts_ranges: Type.Boolean(said('Always true.', '始终为 true。')),
      expires_at: nullable(timestamp(said('End of the upload.', '上传截止时间。'))),
    },
    said('How to upload the file.', '上传方式。'),
  ),
});

export const receivedSchema = Type.Object({
  received_bytes: integer(said('What has arrived without a gap.', '已连续收到的字节数。')),
});

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
      from: integer(said('Fewest tokens.', '最少 token 数。')),
      to: integer(said('Most tokens.', '最多 token 数。')),
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
