import { type Contract, said } from '#http';
import { eventExample, reportedExample } from './event-example.ts';
import { eventSchema } from './events.schema.ts';
import { reportAnswerSchema } from './report.schema.ts';
import { reportedBatchSchema, reportedEventSchema } from './reported.schema.ts';

const tag = 'retrieval_events';

export const reportContract: Contract = {
  tag,
  summary: said('Report a search', '上报一次搜索'),
  description: said(
    'What a search showed, and what people did with it. With an `external_id` it can be sent again: the same event makes nothing, and while nothing was judged positive, new judgments are added to it. Vectors are refused: only text becomes training data. Nothing is learned from an event before it is promoted.',
    '搜索展示的结果及用户的反应。带有 `external_id` 时可以重复发送：相同的事件不会重复创建；在尚无正例时，新的判断会并入原事件。不接受向量：只有文本会成为训练数据。事件在被提升之前不会用于训练。',
  ),
  body: reportedEventSchema,
  bodyExample: reportedExample,
  answers: {
    201: { description: said('The event.', '该事件。'), schema: eventSchema, example: eventExample },
    200: {
      description: said('The event was there; new judgments were added to it.', '事件已存在；新的判断已并入其中。'),
      schema: eventSchema,
      example: eventExample,
    },
  },
  faults: ['invalid_shape', 'not_found', 'owner_required', 'embeddings_not_enabled', 'state_conflict', 'conflict'],
  idempotent: true,
};

export const batchContract: Contract = {
  tag,
  summary: said('Report many searches', '批量上报搜索'),
  description: said(
    'Up to 100 events in 8 MiB, each taken for itself: one that is wrong never sinks the rest. Events without an `external_id` are new each time; send one, or an `Idempotency-Key`, to be able to repeat the request.',
    '一次最多 100 个事件、8 MiB。每个事件单独处理，有错误的不影响其余事件。没有 `external_id` 的事件每次都会新建；如需重试，请提供 `external_id` 或 `Idempotency-Key`。',
  ),
  body: reportedBatchSchema,
  bodyExample: { events: [reportedExample] },
  answers: {
    200: {
      description: said('What became of each event.', '每个事件的处理结果。'),
      schema: reportAnswerSchema,
      example: {
        results: [
          { index: 0, status: 'created', id: eventExample.id, judged: false, error: null },
          {
            index: 1,
            status: 'rejected',
            id: null,
            judged: false,
            error: {
              code: 'invalid_request',
              message: 'events[1].results[0].embedding: vectors are not taken: only text becomes training data',
              param: 'events[1].results[0].embedding',
            },
          },
        ],
        created: 1,
        duplicates: 0,
        rejected: 1,
      },
    },
  },
  faults: ['invalid_shape', 'not_found', 'owner_required', 'embeddings_not_enabled', 'state_conflict'],
  idempotent: true,
};
