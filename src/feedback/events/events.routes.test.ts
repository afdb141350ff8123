import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '#kernel';
import { type FeedbackServer, type Person, startFeedback } from '../feedback.fixture.ts';

let server: FeedbackServer;

before(async () => {
  server = await startFeedback();
});

after(() => server?.stop());

type Row = { id: string; query: string; state: string };

/** Queries of a list, page by page. */
async function queriesOf({ events, ask }: Person, query: string, limit = 100): Promise<string[]> {
  const found: string[] = [];
  let cursor = '';
  do {
    const { status, json } = await ask('GET', `${events}?limit=${limit}${query && `&${query}`}${cursor}`);
    assert.equal(status, 200, JSON.stringify(json));
    found.push(...json.data.map((row: Row) => row.query));
    assert.ok(json.data.length <= limit && json.total_count >= json.data.length);
    cursor = json.next_cursor === null ? '' : `&cursor=${encodeURIComponent(json.next_cursor)}`;
  } while (cursor !== '');
  return found;
}

test('a list shows events without their results, newest first, in pages that lose nothing', async () => {
  const person = await server.person();
  const reported: Row[] = [];
  for (let count = 0; count < 7; count++) reported.unshift(await person.report());
  assert.deepEqual(
    await queriesOf(person, '', 3),
    reported.map(({ query }) => query),
  );
  const { json } = await person.ask('GET', `${person.events}?limit=1`);
  assert.equal(json.total_count, 7);
  const { results, ...row } = (await person.ask('GET', `${person.events}/${reported[0]?.id}`)).json;
  assert.equal(results.length, 4);
  assert.deepEqual(json.data, [row]);
});

test('each filter finds what it says, and filters work together', async () => {
  const person = await server.person();
  const { ask, events, report } = person;
  const early = await report({ query: 'blue lamp in the hall', model: 'model-a', external_id: 'one' });
  await report({ query: 'red lamp', model: 'model-b', judgments: [] });
  const third = await report({ query: 'Lampe bleue, rouge', model: 'model-a' });
  await report({ query: '怎么重置灯' });
  await ask('PATCH', `${events}/${early.id}/skip`);
  const at = (time: string) => encodeURIComponent(time);
  for (const [query, expected] of [
    ['state=pending', ['怎么重置灯', 'Lampe bleue, rouge']],
    ['state=needs_judgment', ['red lamp']],
    ['state=skipped', ['blue lamp in the hall']],
    ['state=promoted', []],
    ['model=model-a', ['Lampe bleue, rouge', 'blue lamp in the hall']],
    ['model=model-a&state=pending', ['Lampe bleue, rouge']],
    ['external_id=one', ['blue lamp in the hall']],
    ['external_id=two', []],
    ['q=LAMP', ['red lamp', 'blue lamp in the hall']],
    ['q=lamp*', ['Lampe bleue, rouge', 'red lamp', 'blue lamp in the hall']],
    ['q=lamp%20blue', ['blue lamp in the hall']],
    ['q=lamp&state=needs_judgment', ['red lamp']],
    [`q=${at('重置')}`, ['怎么重置灯']],
    ['q=%21%21', []],
    [`q=${at("lamp' | 'red")}`, ['red lamp']],
    [`from=${at(third.created_at)}`, ['怎么重置灯', 'Lampe bleue, rouge']],
    [`to=${at(third.created_at)}`, ['red lamp', 'blue lamp in the hall']],
    [`from=${at(early.created_at)}&to=${at(third.created_at)}&model=model-b`, ['red lamp']],
  ] as const) {
    const { json } = await ask('GET', `${events}?${query}`);
    assert.deepEqual(
      json.data.map((row: Row) => row.query),
      expected,
      query,
    );
    assert.equal(json.total_count, expected.length, query);
  }
});

test('a search stays within its dataset', async () => {
  const [one, other] = [await server.person(), await server.person()];
  await one.report({ query: 'violet curtain' });
  await other.report({ query: 'violet carpet' });
  assert.deepEqual(await queriesOf(one, 'q=violet'), ['violet curtain']);
});

test('a word that most events have is found like any other, and so are its next pages', async () => {
  const person = await server.person();
  await server.database.query(
    `insert into retrieval_events (dataset_id, id, body_digest, state, query, results, judgments, words)
     select $1, $2 || lpad(n::text, 8, '0'), sha256(''), 'needs_judgment', 'common query ' || n, '[]', '[]',
            ' common query ' || n || case when n % 7 = 0 then ' seventh ' else ' ' end
       from generate_series(1, 6000) n`,
    [person.datasetId, newId('rev').slice(0, -8)],
  );
  const { json } = await person.ask('GET', `${person.events}?q=common&limit=2`);
  assert.deepEqual([json.total_count, json.data[0].query], [6000, 'common query 6000']);
  const seventh = await person.ask('GET', `${person.events}?q=seventh&limit=100`);
  assert.deepEqual([seventh.json.total_count, seventh.json.data.length], [857, 100]);
  const next = await person.ask(
    'GET',
    `${person.events}?q=common&limit=2&cursor=${encodeURIComponent(json.next_cursor)}`,
  );
  assert.equal(next.json.data[0].query, 'common query 5998');
});

test('a cursor is good for its dataset and its filters only', async () => {
  const person = await server.person();
  const { events, ask, newDataset, project } = person;
  for (let count = 0; count < 3; count++) await person.report({ model: 'm' });
  const { next_cursor: cursor } = (await ask('GET', `${events}?limit=1`)).json;
  const elsewhere = `${project}/datasets/${await newDataset()}/retrieval-events`;
  const after = `limit=1&cursor=${encodeURIComponent(cursor)}`;
  assert.equal((await ask('GET', `${events}?${after}`)).status, 200);
  for (const path of [
    `${elsewhere}?${after}`,
    `${events}?${after}&state=pending`,
    `${events}?${after}&q=x`,
    `${events}?${after}&model=m`,
    `${events}?${after}&external_id=x`,
    `${events}?${after}&from=2020-01-01T00:00:00Z`,
    `${events}?${after}x`,
  ]) {
    const { status, json } = await ask('GET', path);
    assert.deepEqual([status, json.error.code], [400, 'invalid_cursor'], path);
  }
});

test('bad filters are refused by name', async () => {
  const { events, ask } = await server.person();
  for (const [query, param] of [
    ['state=open', 'state'],
    ['limit=101', 'limit'],
    ['q=', 'q'],
    ['from=yesterday', 'from'],
    [`model=${'m'.repeat(201)}`, 'model'],
  ]) {
    const { status, json } = await ask('GET', `${events}?${query}`);
    assert.deepEqual([status, json.error.param], [400, param]);
  }
  for (const id of ['nothing', 'rev_01J9ZK3V5W7X8Y9A0B1C2D3E4F'])
    assert.equal((await ask('GET', `${events}/${id}`)).status, 404);
});

test('an event is skipped and restored, and doing so twice changes nothing', async () => {
  const { events, ask, report } = await server.person();
  for (const [change, state] of [
    [{}, 'pending'],
    [{ judgments: [] }, 'needs_judgment'],
  ] as const) {
    const { id } = await report(change);
    const skipped = await ask('PATCH', `${events}/${id}/skip`, { reason: 'A test' });
    assert.deepEqual(
      [skipped.status, skipped.json.state, skipped.json.skipped_reason, skipped.json.promotable],
      [200, 'skipped', 'A test', false],
    );
    const again = await ask('PATCH', `${events}/${id}/skip`, { reason: 'Another' });
    assert.deepEqual([again.status, again.json], [200, skipped.json]);
    const restored = await ask('PATCH', `${events}/${id}/restore`);
    assert.deepEqual([restored.status, restored.json.state, restored.json.skipped_reason], [200, state, null]);
    const twice = await ask('PATCH', `${events}/${id}/restore`);
    assert.deepEqual([twice.status, twice.json], [200, restored.json]);
  }
  const { id } = await report();
  const tooLong = await ask('PATCH', `${events}/${id}/skip`, { reason: 'r'.repeat(201) });
  assert.deepEqual([tooLong.status, tooLong.json.error.param], [400, 'reason']);
  assert.equal((await ask('PATCH', `${events}/${id}/skip`, { reason: 7 })).status, 422);
});

test('projects, datasets and the dashboard count what waits', async () => {
  const { project, datasetId, events, ask, report } = await server.person();
  const { id } = await report();
  await report();
  await report({ judgments: [] });
  const { id: promoted } = await report();
  await ask('POST', `${events}/${promoted}/promote`);
  const counts = async () => ({
    project: (await ask('GET', project)).json.counts.pending_retrieval_events,
    dataset: (await ask('GET', `${project}/datasets/${datasetId}`)).json.pending_retrieval_events,
    dashboard: (await ask('GET', '/api/v1/dashboard')).json.feedback,
  });
  const feedback = { pending: 2, needs_judgment: 1, promoted_window: 1 };
  assert.deepEqual(await counts(), { project: 2, dataset: 2, dashboard: feedback });
  await ask('PATCH', `${events}/${id}/skip`);
  assert.deepEqual(await counts(), { project: 1, dataset: 1, dashboard: { ...feedback, pending: 1 } });
  await ask('PATCH', `${events}/${id}/restore`);
  assert.deepEqual(await counts(), { project: 2, dataset: 2, dashboard: feedback });
});

test('the settings can be read and not written', async () => {
  const { project, ask } = await server.person();
  const { status, json } = await ask('GET', `${project}/retrieval-settings`);
  const { updated_at: _, ...settings } = json;
  assert.equal(status, 200);
  assert.deepEqual(settings, {
    accepts_events: true,
    auto_promote: false,
    min_strength: 0.5,
    negatives: {
      mode: 'explicit_then_skipped',
      max_negatives: 5,
      max_score_ratio: 0.95,
      near_duplicate_threshold: 0.9,
    },
    dedupe: { by: 'query+positive', window_days: 90 },
    retention_days: 365,
    limits: { max_batch: 100, max_results: 50, max_query_tokens: 2048 },
    base_model: 'fanfold-tiny-embed',
    max_seq_length: 2048,
    query_instruction: 'Given a customer question, retrieve the passage that answers it',
  });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const refused = await ask(method, `${project}/retrieval-settings`, { auto_promote: true });
    assert.equal(refused.status, 405);
    assert.match(refused.headers.get('allow') ?? '', /GET/);
  }
  await ask('PATCH', project, { archived: true });
  assert.equal((await ask('GET', `${project}/retrieval-settings`)).json.accepts_events, false);
});
