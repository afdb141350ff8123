import Type from 'typebox';
import { pageQuery, said } from '#http';
import { importStates } from './import-record.ts';
import { formats, issueCodes, mapping, mappingText, optionFields } from './import-terms.schema.ts';

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
