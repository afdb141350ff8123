import Type from 'typebox';
import { type Contract, pageSchema, said } from '#http';
import { createdImportSchema, importSchema, receivedSchema } from './imports.schema.ts';
import { issueSchema, previewSchema, profileSchema } from './profile.schema.ts';

const tag = 'imports';
const id = 'imp_01KAXR2N8P4C6S0F1G3J5M7R9T';

const waiting = {
  id,
  dataset_id: null,
  dataset_name: 'Support',
  kind: 'text',
  state: 'awaiting_upload',
  file: { name: 'support.jsonl', size_bytes: 48213, received_bytes: 0, sha256: null },
  format: null,
  progress: { phase: null, rows_done: 0, rows_total: null, percent: null },
  mapping: null,
  options: { on_invalid: 'reject', dedupe: 'exact', test_ratio: 0.2, split_seed: 0 },
  counts: { rows: 0, valid: 0, invalid: 0, duplicates: 0, over_token_limit: 0 },
  result: null,
  error: null,
  created_by: { kind: 'api_key', id: 'key_01KAXR2N8P4C6S0F1G3J5M7R9T', label: 'laptop' },
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
  expires_at: '2026-01-03T03:04:05.678Z',
  finished_at: null,
};
const sha256 = '9f1c6a0d2b7e4c83a5f0e1d2c3b4a5968778695a4b3c2d1e0f1a2b3c4d5e6f70';
const uploaded = {
  ...waiting,
  state: 'uploaded',
  file: { ...waiting.file, received_bytes: 48213, sha256 },
  progress: { ...waiting.progress, phase: 'waiting' },
  expires_at: null,
};
const counts = { rows: 120, valid: 118, invalid: 2, duplicates: 1, over_token_limit: 0 };
const importing = {
  ...uploaded,
  state: 'importing',
  format: 'jsonl',
  mapping: { messages: 'messages' },
  options: { ...waiting.options, on_invalid: 'skip' },
  counts,
  progress: { phase: 'waiting', rows_done: 0, rows_total: 120, percent: 0 },
};
const completed = {
  ...importing,
  dataset_id: 'ds_01KAXR2N8P4C6S0F1G3J5M7R9T',
  state: 'completed',
  progress: { phase: 'completed', rows_done: 120, rows_total: 120, percent: 100 },
  result: { version_id: 'dsv_01KAXR2N8P4C6S0F1G3J5M7R9T', examples_added: 117, rows_skipped: 3 },
  finished_at: '2026-01-02T03:05:05.678Z',
};
const issue = {
  line: 17,
  byte_offset: 6120,
  pointer: '/messages/2/content',
  code: 'empty_text',
  message: 'The text is empty.',
  hint: null,
  excerpt: '{"messages":[{"role":"user","content":"Where is my parcel?"}',
};

const one = { description: said('The import.', '该导入。'), schema: importSchema };

export const createContract: Contract = {
  tag,
  summary: said('Create an import', '创建导入'),
  description: said(
    'Announces a file. Then upload it to `upload.url`; it is read by itself as soon as it is whole.',
    '登记一个文件，随后上传到 `upload.url`；文件完整后会自动开始读取。',
  ),
  idempotent: true,
  bodyExample: { dataset_name: 'Support', file_name: 'support.jsonl', size_bytes: 48213 },
  answers: {
    201: {
      description: said('The import, and where to upload.', '导入记录及上传方式。'),
      schema: createdImportSchema,
      example: {
        import: waiting,
        upload: {
          method: 'PUT',
          url: `https://models.example/api/v1/projects/ada/support/imports/${id}/content`,
          max_bytes: 48213,
          accepts_ranges: true,
          expires_at: waiting.expires_at,
        },
      },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const uploadContract: Contract = {
  tag,
  summary: said('Upload the file of an import', '上传导入文件'),
  description: said(
    'Takes the bytes as they are, whole or in ranges (`Content-Range: bytes 0-8388607/48000000`). What has arrived counts, also when the connection breaks: ask for the import, and go on from `file.received_bytes`. Bytes that are there already are read over, so a range may be sent again. `Content-Range: bytes */SIZE` without a body only asks.',
    '按原样接收字节，可整体上传或分段上传（`Content-Range: bytes 0-8388607/48000000`）。已到达的部分即使连接中断也会保留：查询该导入，从 `file.received_bytes` 处继续。重复发送的字节会被跳过。不带正文的 `Content-Range: bytes */SIZE` 仅作查询。',
  ),
  body: Type.String({ ...said('The bytes of the file, or of the range.', '文件或该分段的字节。'), format: 'binary' }),
  bodyType: 'application/octet-stream',
  headers: Type.Object({
    'content-range': Type.Optional(
      Type.String({
        ...said(
          'Which bytes of the file these are; without it, all of them.',
          '本次发送的字节范围；省略表示整个文件。',
        ),
      }),
    ),
  }),
  answers: {
    200: { description: said('The file is whole.', '文件已完整。'), schema: importSchema, example: uploaded },
    202: {
      description: said('More is to come.', '尚未传完。'),
      schema: receivedSchema,
      example: { received_bytes: 8388608 },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'invalid_request'],
};

export const profileContract: Contract = {
  tag,
  summary: said('Read the file of an import in another way', '以其他方式读取导入文件'),
  description: said(
    'The file is read by itself after its upload. Call this when the format, the encoding or the delimiter was not found out rightly.',
    '上传后会自动读取文件。若格式、编码或分隔符识别有误，可调用此接口指定。',
  ),
  bodyExample: { format: 'csv', encoding: 'gb18030', delimiter: ';' },
  answers: { 202: { ...one, example: uploaded } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const readProfileContract: Contract = {
  tag,
  summary: said('Read what is in the file of an import', '查看导入文件的概况'),
  description: said(
    'Columns, lengths, duplicates and issues over every row, not a sample. 409 until the file was read, and while it is read again.',
    '统计所有行，而非抽样。文件读取完成前以及重新读取期间返回 409。',
  ),
  answers: {
    200: {
      description: said('What is in the file.', '文件概况。'),
      schema: profileSchema,
      example: {
        ...{ format: 'jsonl', encoding: 'utf-8', delimiter: null, gzip: false },
        columns: [{ name: 'messages', type: 'array', null_count: 0, samples: ['[{"role":"user","content":"Hi"}]'] }],
        detected_shape: 'chat',
        suggested_mapping: { messages: 'messages' },
        ...{ rows: 120, valid: 118, invalid: 2, duplicates: 1 },
        token_stats: { min: 12, p50: 96, p95: 310, max: 702, total: 13120 },
        token_histogram: [
          { from: 1, to: 200, rows: 96 },
          { from: 201, to: 400, rows: 19 },
          { from: 401, to: 702, rows: 3 },
        ],
        issues: [{ code: 'empty_text', count: 2, first_line: 17 }],
      },
    },
  },
  faults: ['not_found', 'state_conflict'],
};

export const previewContract: Contract = {
  tag,
  summary: said('Preview an import', '预览导入'),
  description: said(
    'Shows what becomes of the first rows, and counts over every row. Without a mapping the latest one or the suggested one is used. A mapping under which the file was not read yet is read for up to 20 seconds; after that the answer is 409 with the reason `profiling`: ask again when the import is `ready`.',
    '显示前若干行的转换结果以及对所有行的统计。省略映射时使用最近一次或建议的映射。若文件尚未按该映射读取，会等待至多 20 秒；超时返回 409（原因 `profiling`），请在导入变为 `ready` 后重试。',
  ),
  bodyExample: { mapping: { messages: 'messages' }, options: { on_invalid: 'skip' }, limit: 1 },
  answers: {
    200: {
      description: said('What a confirmation would do.', '确认后的结果。'),
      schema: previewSchema,
      example: {
        rows: [
          {
            line: 17,
            source: { messages: [{ role: 'user', content: 'Where is my parcel?' }] },
            example: null,
            issues: [issue],
          },
        ],
        counts,
        will_import: 117,
        will_skip: 3,
        preview_token: 'WyJpbXBfMDEiXQ.5uO8Qw2Zr6TnVb3YwLx9Cd',
      },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const confirmContract: Contract = {
  tag,
  summary: said('Confirm an import', '确认导入'),
  description: said(
    'Imports what the latest preview has shown, in one transaction: all of it or nothing. It makes a version of the dataset. Confirmed again, nothing more happens.',
    '按最近一次预览在单个事务中导入：要么全部导入，要么完全不导入，并生成数据集版本。重复确认不会产生其他影响。',
  ),
  idempotent: true,
  bodyExample: { preview_token: 'WyJpbXBfMDEiXQ.5uO8Qw2Zr6TnVb3YwLx9Cd' },
  answers: { 202: { ...one, example: importing } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const listContract: Contract = {
  tag,
  summary: said('List imports', '列出导入'),
  description: said(
    'The imports of the project, newest first, for its owner.',
    '项目的导入记录，按创建时间倒序排列，仅限所有者。',
  ),
  answers: {
    200: {
      description: said('A page of imports.', '一页导入记录。'),
      schema: pageSchema(importSchema),
      example: { data: [completed], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['not_found', 'invalid_cursor'],
};

export const readContract: Contract = {
  tag,
  summary: said('Read an import', '查看导入'),
  description: said(
    'The state and progress of an import. Ask again until `state` is the one that the next step needs, or `finished_at` is set.',
    '导入的状态和进度。请重复查询，直到 `state` 达到下一步所需的状态，或 `finished_at` 有值。',
  ),
  answers: { 200: { ...one, example: completed } },
  faults: ['not_found'],
};

export const errorsContract: Contract = {
  tag,
  summary: said('List the issues of an import', '列出导入的问题'),
  description: said(
    'The first 10,000 issues of the last reading, in the order of the file. With `Accept: application/x-ndjson`, all of them as a file, one JSON object on a line (up to a million).',
    '最近一次读取发现的前 10,000 个问题，按文件顺序排列。使用 `Accept: application/x-ndjson` 可获取包含全部问题的文件，每行一个 JSON 对象（至多一百万行）。',
  ),
  answers: {
    200: {
      description: said('A page of issues, or the file.', '一页问题，或问题文件。'),
      schema: pageSchema(issueSchema),
      example: { data: [issue], next_cursor: null, total_count: 1 },
      also: [{ type: 'application/x-ndjson', event: issueSchema, example: `${JSON.stringify(issue)}\n` }],
    },
  },
  headers: Type.Object({
    accept: Type.Optional(
      Type.String({ ...said('`application/x-ndjson` for the file.', '`application/x-ndjson` 表示获取文件。') }),
    ),
  }),
  faults: ['not_found', 'invalid_cursor', 'state_conflict', 'artifact_not_found'],
};

export const cancelContract: Contract = {
  tag,
  summary: said('Cancel an import', '取消导入'),
  description: said(
    'Ends an import; nothing of it is in the dataset. One that is being written is `canceling` for a moment. A canceled one stays as it is.',
    '不会导入任何内容。正在写入的导入会短暂处于 `canceling`。已取消的保持不变。',
  ),
  answers: {
    200: { ...one, example: { ...waiting, state: 'canceled', expires_at: null, finished_at: completed.finished_at } },
  },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
