import Type from 'typebox';
import { type Contract, pageSchema } from '#http';
import { tag } from './jobs.contract.ts';
import { frozenSchema, logSchema, manifestSchema, metricsSchema } from './records.schema.ts';

const sha256 = '9f1c6a0d2b7e4c83a5f0e1d2c3b4a5968778695a4b3c2d1e0f1a2b3c4d5e6f70';

const line = {
  seq: 4,
  attempt: 1,
  at: '2026-01-05T08:15:04.500Z',
  level: 'info',
  source: 'system',
  message: 'Training has started; active time is charged from now on.',
  data: null,
};

const stream = [
  `event: log\nid: 4\ndata: ${JSON.stringify(line)}\n\n`,
  'event: state\ndata: {"state":"running","phase":"training","attempt":1,"queue_position":null}\n\n',
  'event: end\ndata: {"state":"succeeded"}\n\n',
].join('');

export const logsContract: Contract = {
  tag,
  summary: 'Read the log',
  description:
    'The log of a job, oldest first, numbered without gaps over all attempts. With `Accept: text/event-stream` it is followed until the job is over: events `log` (their id is `seq`), `state`, `progress` and `end`. Who comes back with `Last-Event-ID` gets what he has missed; a job that is over is replayed and ended.',
  headers: Type.Object({
    'last-event-id': Type.Optional(Type.String({ description: 'Number of the last line that was received.' })),
  }),
  answers: {
    200: {
      description: 'A page of lines, or the stream.',
      schema: pageSchema(logSchema),
      example: { data: [line], next_cursor: null, total_count: 1 },
      also: [{ type: 'text/event-stream', event: Type.Union([logSchema, manifestSchema]), example: stream }],
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const metricsContract: Contract = {
  tag,
  summary: 'Read what was measured',
  description:
    'Loss, learning rate, speed and evaluations by step, thinned to `max_points`; `baseline.` is before training. Without `attempt`: of the present one.',
  answers: {
    200: {
      description: 'The series.',
      schema: metricsSchema,
      example: { attempt: 1, series: [{ name: 'loss', points: [[1, 2.31]] }] },
    },
  },
  faults: ['not_found'],
};

const knownVersion = Type.Object({
  'if-none-match': Type.Optional(Type.String({ description: 'The entity tag that the caller has.' })),
});

export const frozenContract: Contract = {
  tag,
  summary: 'Read the frozen dataset',
  description:
    'What the job learns from. With `Accept: application/x-ndjson` the rows themselves, one example per line, each with the split that the job takes it for: with a `test_ratio` more are held out than the version says.',
  headers: knownVersion,
  answers: {
    200: {
      description: 'What it is, or its rows.',
      schema: frozenSchema,
      headers: { etag: 'Digest of what is sent, in quotes.' },
      example: {
        dataset_id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
        version_id: 'dsv_01KAXR7F8H0K2N4Q6S8V0X2Z4B',
        sha256,
        example_count: 1248,
        split_counts: { train: 999, test: 249 },
        tokens: { samples: 999, held_out: 249, trained: 88120, dropped: 0, not_learnable: 0 },
        snapshot_sha256: sha256,
      },
      also: [
        {
          type: 'application/x-ndjson',
          event: manifestSchema,
          example:
            '{"messages":[{"content":"Thanks!","role":"user"},{"content":"With pleasure.","role":"assistant"}],"tools":null,"split":"train"}\n',
        },
      ],
    },
    304: { description: 'The caller has this already.' },
  },
  faults: ['not_found'],
};

export const loraContract: Contract = {
  tag,
  summary: 'Download the adapter',
  description:
    'A ZIP archive with `adapter_config.json` and `adapter_model.safetensors` as PEFT reads them, the tokenizer, and `manifest.json`. Ranges are served, so a download can go on where it stopped.',
  headers: Type.Object({
    ...knownVersion.properties,
    range: Type.Optional(Type.String({ description: 'Part of the bytes, as in `bytes=0-1023`.' })),
  }),
  answers: {
    200: {
      description: 'The archive.',
      type: 'application/zip',
      schema: Type.String({ description: 'Bytes.' }),
      headers: {
        etag: 'Digest of the archive, in quotes.',
        'x-fnf-sha256': 'SHA-256 of the whole archive.',
      },
      example: 'PK...',
    },
    206: {
      description: 'Part of the archive.',
      type: 'application/zip',
      schema: Type.String({ description: 'Bytes.' }),
      example: 'PK...',
    },
    304: { description: 'The caller has this archive.' },
    416: { description: 'There is no such part.' },
  },
  faults: ['not_found', 'state_conflict', 'artifact_not_found'],
};

export const manifestContract: Contract = {
  tag,
  summary: 'Read the manifest',
  description:
    'Where the adapter comes from: base model, frozen data, settings, versions of the trainer, digests of all files.',
  answers: {
    200: {
      description: 'The manifest.',
      schema: manifestSchema,
      example: {
        format: 1,
        base: { model: 'fanfold-tiny-chat', sha256 },
        adapter: { sha256, size_bytes: 812044, rank: 8 },
      },
    },
  },
  faults: ['not_found', 'state_conflict', 'artifact_not_found'],
};
