import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { anEvent, type FeedbackServer, startFeedback } from '../feedback.fixture.ts';

let server: FeedbackServer;

before(async () => {
  server = await startFeedback();
});

after(() => server?.stop());

test('in a batch every event stands for itself', async () => {
  const { events, ask } = await server.person();
  const known = { ...anEvent(), external_id: 'known' };
  await ask('POST', events, known);
  const waiting = { ...anEvent(), external_id: 'waiting', judgments: [] };
  await ask('POST', events, waiting);
  const fresh = { ...anEvent(), external_id: 'fresh' };
  const { status, json } = await ask('POST', `${events}/batch`, {
    events: [
      fresh,
      { ...anEvent(), results: [{ rank: 1, text: 'x', embedding: [0.1] }] },
      known,
      { ...known, query: 'other words' },
      fresh,
      { ...waiting, judgments: [{ rank: 1, label: 'positive' }] },
      'no event',
      anEvent(),
      { ...anEvent(), query: 'half a pair \ud800' },
    ],
  });
  assert.equal(status, 200);
  assert.deepEqual([json.created, json.duplicates, json.rejected], [2, 3, 4]);
  assert.deepEqual(
    json.results.map((result: { status: string; judged: boolean; error: { param: string; code: string } | null }) => [
      result.status,
      result.judged,
      result.error?.code ?? null,
      result.error?.param ?? null,
    ]),
    [
      ['created', false, null, null],
      ['rejected', false, 'invalid_request', 'events[1].results[0].embedding'],
      ['duplicate', false, null, null],
      ['rejected', false, 'conflict', 'events[3].external_id'],
      ['duplicate', false, null, null],
      ['duplicate', true, null, null],
      ['rejected', false, 'invalid_request', 'events[6]'],
      ['created', false, null, null],
      ['rejected', false, 'invalid_request', 'events[8].query'],
    ],
  );
  assert.equal(json.results[0].id, json.results[4].id);
  assert.equal((await ask('GET', `${events}?state=pending`)).json.total_count, 4);
});

test('what is no batch is refused as a whole', async () => {
  const { events, ask } = await server.person();
  for (const [body, status, param] of [
    [{}, 422, 'events'],
    [{ events: {} }, 422, 'events'],
    [{ events: [] }, 400, 'events'],
    [{ events: Array.from({ length: 101 }, anEvent) }, 400, 'events'],
    [[anEvent()], 422, null],
  ] as const) {
    const answer = await ask('POST', `${events}/batch`, body);
    assert.deepEqual([answer.status, answer.json.error.param], [status, param]);
  }
});

test('events of a batch are listed in its order, newest first', async () => {
  const { events, ask } = await server.person();
  const queries = Array.from({ length: 60 }, (_, at) => `query ${at}`);
  // External ids in another order: rows are written in theirs.
  const batch = queries.map((query, at) => ({ ...anEvent(), query, external_id: `id-${(at * 37) % 60}` }));
  await ask('POST', `${events}/batch`, { events: batch });
  const { json } = await ask('GET', `${events}?limit=100`);
  assert.deepEqual(
    json.data.map(({ query }: { query: string }) => query),
    queries.toReversed(),
  );
});
