import { type Contract, pageSchema, said } from '#http';
import { eventExample, rowExample } from './event-example.ts';
import { eventRowSchema, eventSchema } from './events.schema.ts';

const tag = 'retrieval_events';

export const listContract: Contract = {
  tag,
  summary: said('List retrieval events', '列出检索事件'),
  description: said(
    'The events of a dataset, newest first, without their results; for the owner only. A cursor belongs to the dataset and all filters.',
    '按上报时间倒序排列，不含结果内容，仅限所有者。游标只对同一数据集和同一组筛选条件有效。',
  ),
  answers: {
    200: {
      description: said('A page of events.', '一页事件。'),
      schema: pageSchema(eventRowSchema),
      example: { data: [rowExample], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor', 'not_found', 'embeddings_not_enabled'],
};

export const readContract: Contract = {
  tag,
  summary: said('Read a retrieval event', '查看检索事件'),
  description: said(
    'An event with what was shown, what was judged, and what it would teach.',
    '检索事件：展示的结果、作出的判断，以及可从中学到的内容。',
  ),
  answers: {
    200: {
      description: said('The event with its results.', '该事件及其结果。'),
      schema: eventSchema,
      example: eventExample,
    },
  },
  faults: ['not_found', 'embeddings_not_enabled'],
};

const moveFaults = ['not_found', 'owner_required', 'embeddings_not_enabled', 'state_conflict'] as const;

export const skipContract: Contract = {
  tag,
  summary: said('Skip a retrieval event', '跳过检索事件'),
  description: said(
    'Puts an event aside: it is not promoted until it is restored. An event that is skipped already stays as it is; a promoted one cannot be skipped.',
    '恢复之前不会被提升。已跳过的事件保持不变；已提升的事件不能跳过。',
  ),
  bodyExample: { reason: 'A test of ours' },
  answers: {
    200: {
      description: said('The event.', '该事件。'),
      schema: eventSchema,
      example: {
        ...eventExample,
        state: 'skipped',
        promotable: false,
        skipped_reason: 'A test of ours',
        updated_at: '2026-01-05T08:15:00.123Z',
      },
    },
  },
  faults: moveFaults,
};

export const restoreContract: Contract = {
  tag,
  summary: said('Restore a retrieval event', '恢复检索事件'),
  description: said(
    'Takes back that it was skipped. An event that is not skipped stays as it is; a promoted one stays promoted.',
    '撤销跳过。未跳过的事件保持不变；已提升的事件不能恢复。',
  ),
  answers: {
    200: { description: said('The event.', '该事件。'), schema: eventSchema, example: eventExample },
  },
  faults: moveFaults,
};
