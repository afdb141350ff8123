export const reportedExample = {
  external_id: 'search-2026-01-02-000417',
  query: 'how do I get my money back',
  results: [
    { rank: 1, document_id: 'faq-7', text: 'Parcels leave our house every evening.', score: 0.41 },
    { rank: 2, document_id: 'faq-12', text: 'Refunds are paid within five days.', score: 0.62 },
    { rank: 3, document_id: 'faq-3', text: 'We are open from nine to five.', score: 0.22 },
  ],
  judgments: [{ rank: 2, label: 'positive', signal: 'click' }],
  model: 'fanfold-tiny-embed',
};

const { results, ...reported } = reportedExample;

export const rowExample = {
  id: 'rev_01KAXRAE1M3P5R7T9W1Y3A5C7E',
  dataset_id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  state: 'pending',
  ...reported,
  index_id: null,
  request_id: null,
  user_ref: null,
  occurred_at: null,
  metadata: {},
  result_count: 3,
  judgments: [{ rank: 2, document_id: null, label: 'positive', signal: 'click', strength: 1 }],
  promotable: true,
  blockers: [],
  query_split: null,
  suggested: { positives: [2], negatives: [1], dropped: [{ rank: 3, reason: 'below_last_looked_at' }] },
  example_ids: [],
  skipped_reason: null,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
  promoted_at: null,
};

export const eventExample = { ...rowExample, results };

export const promotedExample = {
  ...eventExample,
  state: 'promoted',
  promotable: false,
  example_ids: ['ex_01KAXR8G9J1M3P5R7T9W1Y3A5C'],
  updated_at: '2026-01-05T08:15:00.123Z',
  promoted_at: '2026-01-05T08:15:00.123Z',
};
