import { type Contract, said } from '#http';
import { eventExample, promotedExample } from '../events/event-example.ts';
import { promotedManySchema, promotedSchema } from './promotion.schema.ts';

const tag = 'retrieval_events';

const example = {
  id: 'ex_01KAXR8G9J1M3P5R7T9W1Y3A5C',
  dataset_id: eventExample.dataset_id,
  kind: 'embedding',
  text: null,
  embedding: {
    query: 'how do I get my money back',
    positives: [{ text: 'Refunds are paid within five days.', document_id: 'faq-12' }],
    negatives: [{ text: 'Parcels leave our house every evening.', document_id: 'faq-7' }],
  },
  split: 'train',
  origin: 'retrieval_event',
  origin_id: eventExample.id,
  tokens: 27,
  valid: true,
  issues: [],
  content_hash: '4b825dc642cb6eb9a060e54bf8d69288fbee49041f1c6a0d2b7e4c83a5f0e1d2',
  created_at: '2026-01-05T08:15:00.123Z',
  updated_at: '2026-01-05T08:15:00.123Z',
};

const faults = [
  'not_found',
  'owner_required',
  'embeddings_not_enabled',
  'state_conflict',
  'in_use',
  'capacity_unavailable',
] as const;

export const promoteContract: Contract = {
  tag,
  summary: said('Promote a retrieval event', '提升检索事件'),
  description: said(
    'Makes a training example of it: its query, what was judged positive, and negatives as the settings say; or what the body chooses. An event becomes one example: a promoted event is answered with what it became, and refused when the body chooses something else. Deleting the example does not reopen it. What stands in the way is told in `details.blockers`.',
    '由事件生成训练样本：包括查询、被判断为正例的结果，以及按设置选出的反例；也可由请求体指定。每个事件只生成一个样本：已提升的事件返回其样本；若请求体另有指定则拒绝。删除样本不会使事件重新开放。妨碍提升的原因见 `details.blockers`。',
  ),
  bodyExample: { positives: [2], dry_run: false },
  answers: {
    201: {
      description: said('The event and its example.', '事件及其样本。'),
      schema: promotedSchema,
      example: { event: promotedExample, examples: [example] },
    },
    200: {
      description: said('A dry run, or an event that was promoted before.', '预演，或此前已提升的事件。'),
      schema: promotedSchema,
      example: { event: eventExample, examples: [{ ...example, id: null }] },
    },
  },
  faults,
  idempotent: true,
};

export const promoteManyContract: Contract = {
  tag,
  summary: said('Promote many retrieval events', '批量提升检索事件'),
  description: said(
    'Promotes the events in `ids`, or the oldest pending ones of `filter`, each for itself. A filter may match any number of events: one request takes at most 1,000 of them, a transaction for every hundred, and tells how many remain and where to go on. A dry run says the same and changes nothing.',
    '提升 `ids` 指定的事件，或 `filter` 中最早的待处理事件，逐个处理。筛选条件可匹配任意数量的事件：一次请求最多处理 1,000 个，每 100 个一个事务，并返回剩余数量及后续起点。预演返回同样的结果，但不做任何更改。',
  ),
  bodyExamples: [
    { title: said('A few events', '若干事件'), value: { ids: [eventExample.id] } },
    {
      title: said('All of a filter, a tenth of the queries to measure with', '按条件提升，十分之一的查询用于评估'),
      value: { filter: { model: 'fanfold-tiny-embed' }, test_ratio: 0.1, dry_run: true },
    },
  ],
  answers: {
    200: {
      description: said('What became of each event.', '每个事件的处理结果。'),
      schema: promotedManySchema,
      example: {
        results: [
          { id: eventExample.id, status: 'promoted', example_ids: [example.id], blockers: [], error: null },
          {
            id: 'rev_01KAXRBF2N4Q6S8V0X2Z4B6D8F',
            status: 'rejected',
            example_ids: [],
            blockers: ['duplicate_of_example'],
            error: { code: 'state_conflict', message: 'This event cannot be promoted: duplicate_of_example.' },
          },
        ],
        dry_run: false,
        promoted: 1,
        already_promoted: 0,
        rejected: 1,
        remaining: 0,
        resume_after: null,
        stopped: null,
      },
    },
  },
  faults,
  idempotent: true,
};
