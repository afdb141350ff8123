import Type from 'typebox';
import { nullable, said, timestamp } from '#http';
import { importStates } from './import-record.ts';
import { countsSchema, integer, mapping, mappingText, optionFields } from './import-terms.schema.ts';

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
