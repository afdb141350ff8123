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
    query_split: null,
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

test('what is wrong with an event is refused with the path of the field; wrong types are 422, wrong values 400', async () => {
  const { events, ask } = await server.person();
  const event = anEvent();
  const [first] = event.results;
  const withResult = (change: object) => ({ ...event, results: [{ ...first, rank: 3, ...change }] });
  const judging = (change: object) => ({ ...event, judgments: [{ rank: 1, label: 'positive', ...change }] });
  const cases: [object, number, string][] = [
    [{ ...event, query: undefined }, 422, 'query'],
    [{ ...event, query: 7 }, 422, 'query'],
    [{ ...event, query: '' }, 400, 'query'],
    [{ ...event, query: '  ' }, 400, 'query'],
    [{ ...event, query: 'q'.repeat(8_193) }, 400, 'query'],
    [{ ...event, results: undefined }, 422, 'results'],
    [{ ...event, results: [] }, 400, 'results'],
    [{ ...event, results: Array.from({ length: 51 }, (_, at) => ({ rank: at + 1, text: 'x' })) }, 400, 'results'],
    [{ ...event, results: ['x'] }, 422, 'results[0]'],
    [{ ...event, results: [first, first] }, 400, 'results[1].rank'],
    [withResult({ text: undefined }), 422, 'results[0].text'],
    [withResult({ text: '' }), 400, 'results[0].text'],
    [withResult({ text: 't'.repeat(32_769) }), 400, 'results[0].text'],
    [withResult({ text: 'a\u0000b' }), 400, 'results[0].text'],
    [withResult({ rank: 0 }), 400, 'results[0].rank'],
    [withResult({ rank: '1' }), 422, 'results[0].rank'],
    [withResult({ rank: 1.5 }), 422, 'results[0].rank'],
    [withResult({ score: 'high' }), 422, 'results[0].score'],
    [withResult({ document_id: 'd'.repeat(257) }), 400, 'results[0].document_id'],
    [withResult({ embedding: [0.1, 0.2] }), 400, 'results[0].embedding'],
    [withResult({ embedding: 'AAAAPw==' }), 400, 'results[0].embedding'],
    [withResult({ details: { text_vector: [1] } }), 400, 'results[0].details.text_vector'],
    [withResult({ values: Array.from({ length: 128 }, () => 0.5) }), 400, 'results[0].values'],
    [{ ...event, query_embedding: [0.1] }, 400, 'query_embedding'],
    [{ ...event, metadata: { embedding: [0.1] } }, 400, 'metadata.embedding'],
    [{ ...event, metadata: { vector: 'AAAAPw==' } }, 400, 'metadata.vector'],
    [judging({ rank: 9 }), 400, 'judgments[0].rank'],
    [judging({ rank: undefined }), 422, 'judgments[0].rank'],
    [judging({ rank: undefined, document_id: 'z' }), 400, 'judgments[0].document_id'],
    [judging({ document_id: 'b' }), 400, 'judgments[0].document_id'],
    [judging({ label: undefined }), 422, 'judgments[0].label'],
    [judging({ label: 'good' }), 400, 'judgments[0].label'],
    [judging({ signal: 'hover' }), 400, 'judgments[0].signal'],
    [judging({ strength: 1.1 }), 400, 'judgments[0].strength'],
    [judging({ strength: '1' }), 422, 'judgments[0].strength'],
    [{ ...event, judgments: Array.from({ length: 51 }, () => ({ rank: 1, label: 'neutral' })) }, 400, 'judgments'],
    [{ ...event, external_id: '' }, 400, 'external_id'],
    [{ ...event, external_id: 'e'.repeat(129) }, 400, 'external_id'],
    [{ ...event, user_ref: 'u'.repeat(129) }, 400, 'user_ref'],
    [{ ...event, occurred_at: 'yesterday' }, 400, 'occurred_at'],
    [{ ...event, occurred_at: '2026-02-31T25:00:00Z' }, 400, 'occurred_at'],
    [{ ...event, occurred_at: '2026-02-30T12:00:00Z' }, 400, 'occurred_at'],
    [{ ...event, occurred_at: '9999-12-31T23:59:59-14:00' }, 400, 'occurred_at'],
    [{ ...event, occurred_at: '0000-01-01T00:00:00+14:00' }, 400, 'occurred_at'],
    [{ ...event, metadata: { a: 1 } }, 422, 'metadata.a'],
    [{ ...event, metadata: { a: 'v'.repeat(257) } }, 400, 'metadata.a'],
    [
      { ...event, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, ''])) },
      400,
      'metadata',
    ],
    [{ ...event, metadata: [] }, 422, 'metadata'],
  ];
  for (const [body, status, param] of cases) {
    const { status: got, json } = await ask('POST', events, body);
    assert.deepEqual(
      [got, json.error?.param, json.error?.code],
      [status, param, 'invalid_request'],
      JSON.stringify(json),
    );
    if (status !== 422) continue;
    const [{ loc, type }] = json.detail;
    const place = loc.slice(1).map((part: unknown) => (typeof part === 'number' ? `[${part}]` : `.${part}`));
    assert.deepEqual([loc[0], place.join('')], ['body', `.${param}`]);
    assert.match(type, /^(missing|(string|number|integer|array|object)_type)$/);
  }
  const whole = await ask('POST', events, []);
  assert.deepEqual([whole.status, whole.json.error.param, whole.json.detail[0].loc], [422, null, ['body']]);
  assert.equal((await ask('GET', events)).json.total_count, 0);
});

test('as much as the limits allow is taken', async () => {
  const { events, ask, report } = await server.person();
  const results = Array.from({ length: 50 }, (_, at) => ({
    rank: at + 1,
    document_id: 'd'.repeat(256),
    text: 'word '.repeat(2_000),
    score: at,
  }));
  const judgments = Array.from({ length: 50 }, (_, at) => ({ rank: at + 1, label: 'neutral' }));
  const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`key-${at}`, 'v'.repeat(256)]));
  await report({ query: 'q'.repeat(8_192), results, judgments, metadata, external_id: 'e'.repeat(128) });
  const tooMuch = results.map((result) => ({ ...result, text: 'word '.repeat(2_100) }));
  const { status, json } = await ask('POST', events, { ...anEvent(), results: tooMuch });
  assert.deepEqual([status, json.error.param], [400, 'results']);
  const large = { ...anEvent(), results: results.slice(0, 8), judgments };
  const batch = Array.from({ length: 100 }, (_, at) => ({
    ...large,
    judgments: judgments.slice(0, 8),
    external_id: `${at}`,
  }));
  const { json: answer } = await ask('POST', `${events}/batch`, { events: batch });
  assert.equal(answer.created, 100, JSON.stringify(answer).slice(0, 500));
});

test('unknown fields have no effect and are named', async () => {
  const { events, ask } = await server.person();
  const { results, ...event } = anEvent();
  const sent = { ...event, colour: 'red', results: results.map((result) => ({ ...result, title: 'T', tags: [1, 2] })) };
  const { status, headers } = await ask('POST', events, sent);
  assert.equal(status, 201);
  assert.equal(headers.get('x-fnf-ignored-fields'), 'colour, results.title, results.tags');
  const batch = await ask('POST', `${events}/batch`, { events: [sent], dry_run: true });
  assert.equal(
    batch.headers.get('x-fnf-ignored-fields'),
    'dry_run, events.colour, events.results.title, events.results.tags',
  );
});

test('the same event again makes nothing, another one under its external id is a conflict', async () => {
  const { events, ask } = await server.person();
  const event = { ...anEvent(), external_id: 'twice' };
  const first = await ask('POST', events, event);
  const again = await ask('POST', events, { ...event, results: event.results.toReversed(), metadata: {} });
  assert.deepEqual([first.status, again.status], [201, 200]);
  assert.deepEqual(again.json, first.json);
  for (const other of [
    { ...event, query: 'something else' },
    { ...event, model: 'another' },
    { ...event, results: event.results.slice(0, 3) },
    { ...event, judgments: [...event.judgments, { rank: 1, label: 'negative' }] },
  ]) {
    const { status, json } = await ask('POST', events, other);
    assert.deepEqual([status, json.error.code, json.error.param], [409, 'conflict', 'external_id']);
  }
  assert.equal((await ask('GET', events)).json.total_count, 1);
});

test('an external id is of its dataset', async () => {
  const { events, ask, newDataset, project } = await server.person();
  const event = { ...anEvent(), external_id: 'mine' };
  const elsewhere = `${project}/datasets/${await newDataset()}/retrieval-events`;
  assert.equal((await ask('POST', events, event)).status, 201);
  assert.equal((await ask('POST', elsewhere, event)).status, 201);
});

test('while nothing was judged positive, judgments can be added, and nothing else', async () => {
  const { events, ask } = await server.person();
  const { judgments: click, ...shown } = { ...anEvent(), external_id: 'later' };
  const first = await ask('POST', events, shown);
  assert.deepEqual(
    [first.json.state, first.json.blockers, first.json.promotable],
    ['needs_judgment', ['no_positive'], false],
  );
  const neutral = { rank: 1, label: 'neutral' };
  const looked = await ask('POST', events, { ...shown, judgments: [neutral] });
  assert.deepEqual([looked.status, looked.json.id, looked.json.state], [200, first.json.id, 'needs_judgment']);
  const changed = await ask('POST', events, { ...shown, query: 'another', judgments: click });
  assert.deepEqual([changed.status, changed.json.error.code], [409, 'conflict']);
  // Only the new ones need be sent.
  const clicked = await ask('POST', events, { ...shown, judgments: click });
  assert.deepEqual([clicked.status, clicked.json.state, clicked.json.judgments.length], [200, 'pending', 2]);
  assert.ok(clicked.json.updated_at > first.json.updated_at);
  const late = await ask('POST', events, { ...shown, judgments: [...click, neutral] });
  assert.deepEqual([late.status, late.json.judgments.length], [200, 2]);
  const closed = await ask('POST', events, { ...shown, judgments: [{ rank: 2, label: 'positive' }] });
  assert.deepEqual([closed.status, closed.json.error.code], [409, 'conflict']);
});

test('an event cannot collect more judgments than one may have', async () => {
  const { events, ask } = await server.person();
  const { judgments: _, ...shown } = { ...anEvent(), external_id: 'many' };
  const weak = (count: number, from: number) =>
    Array.from({ length: count }, (__, at) => ({ rank: 1, label: 'positive', strength: (at + from) / 1_000 }));
  assert.equal((await ask('POST', events, { ...shown, judgments: weak(50, 0) })).status, 201);
  const { status, json } = await ask('POST', events, { ...shown, judgments: weak(1, 90) });
  assert.deepEqual([status, json.error.code], [409, 'conflict']);
});

test('a weak positive makes no event pending', async () => {
  const { report } = await server.person();
  const { state } = await report({ judgments: [{ rank: 3, label: 'positive', signal: 'dwell', strength: 0.4 }] });
  assert.equal(state, 'needs_judgment');
});

test('a request with an Idempotency-Key reports once, whether it has external ids or not', async () => {
  const { events, ask } = await server.person();
  for (const [path, body, status] of [
    [`${events}/batch`, { events: [anEvent(), { ...anEvent(), external_id: 'keyed' }] }, 200],
    [events, anEvent(), 201],
  ] as const) {
    const key = { 'idempotency-key': `key of ${path}` };
    const first = await ask('POST', path, body, key);
    const again = await ask('POST', path, body, key);
    assert.deepEqual([first.status, again.status], [status, status]);
    assert.deepEqual(again.json, first.json);
    assert.equal(again.headers.get('idempotent-replay'), 'true');
  }
  assert.equal((await ask('GET', events)).json.total_count, 3);
});

test('feedback has no place in text projects, in archives, and in what is not there', async () => {
  const { events, ask, slug, project, datasetId } = await server.person();
  const { json: texts } = await ask('POST', `/api/v1/projects/${slug}/chat/datasets`, { name: 'Texts' });
  const ofText = `/api/v1/projects/${slug}/chat/datasets/${texts.id}/retrieval-events`;
  for (const [method, path] of [
    ['GET', ofText],
    ['POST', ofText],
    ['POST', `${ofText}/batch`],
    ['POST', `${ofText}/promote`],
    ['GET', `${ofText}/rev_01J9ZK3V5W7X8Y9A0B1C2D3E4F`],
    ['GET', `/api/v1/projects/${slug}/chat/retrieval-settings`],
  ] as const) {
    const body = method === 'POST' ? { ...anEvent(), events: [], ids: ['x'] } : undefined;
    const { status, json } = await ask(method, path, body);
    assert.deepEqual([status, json.error.code], [409, 'embeddings_not_enabled'], path);
  }
  const missing = events.replace(datasetId, 'ds_01J9ZK3V5W7X8Y9A0B1C2D3E4F');
  assert.equal((await ask('POST', missing, anEvent())).status, 404);
  assert.equal((await ask('POST', events.replace(datasetId, 'nothing'), anEvent())).status, 404);
  await ask('PATCH', `${project}/datasets/${datasetId}`, { archived: true });
  const archived = await ask('POST', events, anEvent());
  assert.deepEqual([archived.status, archived.json.error.details.state], [409, 'archived']);
  await ask('PATCH', `${project}/datasets/${datasetId}`, { archived: false });
  await ask('PATCH', project, { archived: true });
  assert.equal((await ask('POST', events, anEvent())).status, 409);
  assert.equal((await ask('GET', events)).status, 200);
});
