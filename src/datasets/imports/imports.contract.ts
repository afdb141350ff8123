import Type from 'typebox';
import { type Contract, pageSchema } from '#http';
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

const one = { description: 'The import.', schema: importSchema };

export const createContract: Contract = {
  tag,
  summary: 'Create an import',
  description: 'Announces a file. Then upload it to `upload.url`; it is read by itself as soon as it is whole.',
  idempotent: true,
  bodyExample: { dataset_name: 'Support', file_name: 'support.jsonl', size_bytes: 48213 },
  answers: {
    201: {
      description: 'The import, and where to upload.',
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
  summary: 'Upload the file of an import',
  description:
    'Takes the bytes as they are, whole or in ranges (`Content-Range: bytes 0-8388607/48000000`). What has arrived counts, also when the connection breaks: ask for the import, and go on from `file.received_bytes`. Bytes that are there already are read over, so a range may be sent again. `Content-Range: bytes */SIZE` without a body only asks.',
  body: Type.String({ description: 'The bytes of the file, or of the range.', format: 'binary' }),
  bodyType: 'application/octet-stream',
  headers: Type.Object({
    'content-range': Type.Optional(
      Type.String({
        description: 'Which bytes of the file these are; without it, all of them.',
      }),
    ),
  }),
  answers: {
    200: { description: 'The file is whole.', schema: importSchema, example: uploaded },
    202: {
      description: 'More is to come.',
      schema: receivedSchema,
      example: { received_bytes: 8388608 },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'invalid_request'],
};

export const profileContract: Contract = {
  tag,
  summary: 'Read the file of an import in another way',
  description:
    'The file is read by itself after its upload. Call this when the format, the encoding or the delimiter was not found out rightly, or for another sheet of a workbook.',
  bodyExample: { format: 'csv', encoding: 'gb18030', delimiter: ';' },
  answers: { 202: { ...one, example: uploaded } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const readProfileContract: Contract = {
  tag,
  summary: 'Read what is in the file of an import',
  description:
    'Columns, lengths, duplicates and issues over every row, not a sample. 409 until the file was read, and while it is read again.',
  answers: {
    200: {
      description: 'What is in the file.',
      schema: profileSchema,
      example: {
        format: 'jsonl',
        encoding: 'utf-8',
        delimiter: null,
        gzip: false,
        sheet: null,
        sheets: [],
        columns: [{ name: 'messages', type: 'array', null_count: 0, samples: ['[{"role":"user","content":"Hi"}]'] }],
        detected_shape: 'chat',
        suggested_mapping: { messages: 'messages' },
        rows: 120,
        valid: 118,
        invalid: 2,
        duplicates: 1,
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
  summary: 'Preview an import',
  description:
    'Shows what becomes of the first rows, and counts over every row. Without a mapping the latest one or the suggested one is used. A mapping under which the file was not read yet is read for up to 20 seconds; after that the answer is 409 with the reason `profiling`: ask again when the import is `ready`.',
  bodyExample: { mapping: { messages: 'messages' }, options: { on_invalid: 'skip' }, limit: 1 },
  answers: {
    200: {
      description: 'What a confirmation would do.',
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
  summary: 'Confirm an import',
  description:
    'Imports what the latest preview has shown, in one transaction: all of it or nothing. It makes a version of the dataset. Confirmed again, nothing more happens.',
  idempotent: true,
  bodyExample: { preview_token: 'WyJpbXBfMDEiXQ.5uO8Qw2Zr6TnVb3YwLx9Cd' },
  answers: { 202: { ...one, example: importing } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const listContract: Contract = {
  tag,
  summary: 'List imports',
  description: 'The imports of the project, newest first, for its owner.',
  answers: {
    200: {
      description: 'A page of imports.',
      schema: pageSchema(importSchema),
      example: { data: [completed], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['not_found', 'invalid_cursor'],
};

export const readContract: Contract = {
  tag,
  summary: 'Read an import',
  description:
    'The state and progress of an import. Ask again until `state` is the one that the next step needs, or `finished_at` is set.',
  answers: { 200: { ...one, example: completed } },
  faults: ['not_found'],
};

export const errorsContract: Contract = {
  tag,
  summary: 'List the issues of an import',
  description:
    'The first 10,000 issues of the last profile, in the order of the file. With `Accept: application/x-ndjson`, all of them as a file, one JSON object on a line (up to a million).',
  answers: {
    200: {
      description: 'A page of issues, or the file.',
      schema: pageSchema(issueSchema),
      example: { data: [issue], next_cursor: null, total_count: 1 },
      also: [{ type: 'application/x-ndjson', event: issueSchema, example: `${JSON.stringify(issue)}\n` }],
    },
  },
  headers: Type.Object({
    accept: Type.Optional(Type.String({ description: '`application/x-ndjson` for the file.' })),
  }),
  faults: ['not_found', 'invalid_cursor', 'state_conflict', 'artifact_not_found'],
};

export const cancelContract: Contract = {
  tag,
  summary: 'Cancel an import',
  description:
    'Ends an import; nothing of it is in the dataset. One that is being written is `canceling` until its worker has stopped. A canceled one stays as it is.',
  answers: {
    200: { ...one, example: { ...waiting, state: 'canceled', expires_at: null, finished_at: completed.finished_at } },
  },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
