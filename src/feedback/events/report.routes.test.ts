import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { anEvent, type FeedbackServer, startFeedback } from '../feedback.fixture.ts';

let server: FeedbackServer;

before(async () => {
  server = await startFeedback();
});

after(() => server?.stop());

test('an event is answered with all that was reported and what it would teach', async () => {
  const { events, datasetId, ask } = await server.person();
  const sent = {
    ...anEvent(),
    external_id: 'mine-1',
    model: 'fanfold-tiny-embed',
    index_id: 'idx-1',
    request_id: 'req-1',
    user_ref: 'user-1',
    occurred_at: '2026-01-02T03:04:05+01:00',
    metadata: { page: '1', country: 'NL' },
  };
  const { status, json } = await ask('POST', events, sent);
  assert.equal(status, 201);
  const { id, created_at: at, ...event } = json;
  assert.match(id, /^rev_/);
  assert.deepEqual(event, {
    ...sent,
    dataset_id: datasetId,
    state: 'pending',
    results: sent.results.map((result) => ({ ...result, score: null })),
    result_count: 4,
    judgments: [{ rank: 3, document_id: null, label: 'positive', signal: 'click', strength: 1 }],
    occurred_at: '2026-01-02T02:04:05.000Z',
    promotable: true,
    blockers: [],
    suggested: { positives: [3], negatives: [1, 2], dropped: [{ rank: 4, reason: 'below_last_looked_at' }] },
    example_ids: [],
    skipped_reason: null,
    updated_at: at,
    promoted_at: null,
  });
  assert.deepEqual((await ask('GET', `${events}/${id}`)).json, json);
});

test('results may come in any order, and every optional field may be null', async () => {
  const { report } = await server.person();
  const { results, ...rest } = anEvent();
  const nulls = { external_id: null, model: null, index_id: null, user_ref: null, occurred_at: null, metadata: null };
  const event = await report({
    ...rest,
    ...nulls,
    results: results.toReversed().map((one) => ({ ...one, score: null })),
  });
  assert.deepEqual(
    event.results.map(({ rank }: { rank: number }) => rank),
    [1, 2, 3, 4],
  );
});
