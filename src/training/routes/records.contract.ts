import Type from 'typebox';
import { type Contract, pageSchema, said } from '#http';
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
  summary: said('Read the log', '读取日志'),
  description: said(
    'The log of a job, oldest first, numbered without gaps over all attempts. With `Accept: text/event-stream` it is followed until the job is over: events `log` (their id is `seq`), `state`, `progress` and `end`. Who comes back with `Last-Event-ID` gets what he has missed; a job that is over is replayed and ended.',
    '任务日志，按时间正序，跨尝试连续编号。使用 `Accept: text/event-stream` 可持续接收直至任务结束：事件有 `log`（id 为 `seq`）、`state`、`progress` 和 `end`。携带 `Last-Event-ID` 重连会补发错过的内容；已结束的任务会重放后关闭。',
  ),
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String(said('Number of the last line that was received.', '最后收到的日志序号。')),
    ),
  }),
  answers: {
    200: {
      description: said('A page of lines, or the stream.', '一页日志，或事件流。'),
      schema: pageSchema(logSchema),
      example: { data: [line], next_cursor: null, total_count: 1 },
      also: [{ type: 'text/event-stream', event: Type.Union([logSchema, manifestSchema]), example: stream }],
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const metricsContract: Contract = {
  tag,
  summary: said('Read what was measured', '读取训练指标'),
  description: said(
    'Loss, learning rate, speed and evaluations by step, thinned to `max_points`; `baseline.` is before training. Without `attempt`: of the present one.',
    '按步数返回损失、学习率、速度与评估结果，抽稀至 `max_points`；`baseline.` 为训练前的指标。省略 `attempt` 则为当前尝试。',
  ),
  answers: {
    200: {
      description: said('The series.', '指标序列。'),
      schema: metricsSchema,
      example: { attempt: 1, series: [{ name: 'loss', points: [[1, 2.31]] }] },
    },
  },
  faults: ['not_found'],
};

const knownVersion = Type.Object({
  'if-none-match': Type.Optional(Type.String(said('The entity tag that the caller has.', '调用者已有的实体标签。'))),
});

export const frozenContract: Contract = {
  tag,
  summary: said('Read the frozen dataset', '查看冻结的数据集'),
  description: said(
    'What the job learns from. With `Accept: application/x-ndjson` the rows themselves, one example per line, each with the split that the job takes it for: with a `test_ratio` more are held out than the version says.',
    '任务所用的数据。使用 `Accept: application/x-ndjson` 可获取数据行，每行一个样本，并带有任务实际采用的划分：设有 `test_ratio` 时，留出的样本多于版本中的测试样本。',
  ),
  headers: knownVersion,
  answers: {
    200: {
      description: said('What it is, or its rows.', '数据概要或数据行。'),
      schema: frozenSchema,
      headers: { etag: said('Digest of what is sent, in quotes.', '内容摘要，带引号。') },
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
    304: { description: said('The caller has this already.', '调用者已有此内容。') },
  },
  faults: ['not_found'],
};

export const loraContract: Contract = {
  tag,
  summary: said('Download the adapter', '下载适配器'),
  description: said(
    'A ZIP archive with `adapter_config.json` and `adapter_model.safetensors` as PEFT reads them, the tokenizer, and `manifest.json`. Ranges are served, so a download can go on where it stopped.',
    'ZIP 压缩包，含 PEFT 可读的 `adapter_config.json` 与 `adapter_model.safetensors`、分词器文件和 `manifest.json`。支持分段下载，可断点续传。',
  ),
  headers: Type.Object({
    ...knownVersion.properties,
    range: Type.Optional(
      Type.String(said('Part of the bytes, as in `bytes=0-1023`.', '字节范围，如 `bytes=0-1023`。')),
    ),
  }),
  answers: {
    200: {
      description: said('The archive.', '压缩包。'),
      type: 'application/zip',
      schema: Type.String(said('Bytes.', '字节内容。')),
      headers: {
        etag: said('Digest of the archive, in quotes.', '压缩包摘要，带引号。'),
        'x-fnf-sha256': said('SHA-256 of the whole archive.', '整个压缩包的 SHA-256。'),
      },
      example: 'PK...',
    },
    206: {
      description: said('Part of the archive.', '压缩包的一部分。'),
      type: 'application/zip',
      schema: Type.String(said('Bytes.', '字节内容。')),
      example: 'PK...',
    },
    304: { description: said('The caller has this archive.', '调用者已有此压缩包。') },
    416: { description: said('There is no such part.', '所请求的范围不存在。') },
  },
  faults: ['not_found', 'state_conflict', 'artifact_not_found'],
};

export const manifestContract: Contract = {
  tag,
  summary: said('Read the manifest', '查看清单'),
  description: said(
    'Where the adapter comes from: base model, frozen data, settings, versions of the trainer, digests of all files.',
    '适配器的来源：基础模型、冻结数据、设置、训练程序版本及各文件摘要。',
  ),
  answers: {
    200: {
      description: said('The manifest.', '清单。'),
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
