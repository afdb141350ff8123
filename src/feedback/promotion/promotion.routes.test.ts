import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { anEvent, type FeedbackServer, type Person, startFeedback } from '../feedback.fixture.ts';

let server: FeedbackServer;

before(async () => {
  server = await startFeedback();
});

after(() => server?.stop());

async function examplesOf({ ask, project, datasetId }: Person) {
  const { json } = await ask('GET', `${project}/datasets/${datasetId}/examples?limit=100`);
  return json.data;
}

test('a promoted event is an example, and says so', async () => {
  const person = await server.person();
  const { events, ask, report, datasetId } = person;
  const event = await report();
  const { status, json } = await ask('POST', `${events}/${event.id}/promote`);
  assert.equal(status, 201);
  const [example] = json.examples;
  assert.deepEqual(example.embedding, {
    query: event.query,
    positives: [{ text: event.results[2].text, document_id: 'c' }],
    negatives: [0, 1].map((at) => ({ text: event.results[at].text, document_id: event.results[at].document_id })),
  });
  assert.deepEqual(
    [example.dataset_id, example.split, example.origin, example.origin_id, example.valid],
    [datasetId, 'train', 'retrieval_event', event.id, true],
  );
  assert.ok(example.tokens > 10);
  assert.deepEqual(await examplesOf(person), [example]);
  assert.deepEqual(
    [json.event.state, json.event.example_ids, json.event.promotable, json.event.blockers],
    ['promoted', [example.id], false, []],
  );
  assert.ok(json.event.promoted_at >= event.created_at);
  assert.deepEqual((await ask('GET', `${events}/${event.id}`)).json, json.event);
});

test('a document whose name is as long as events allow is learned with it, whatever its characters', async () => {
  const { events, ask, report } = await server.person();
  const { results, ...rest } = anEvent();
  const name = '\u{1F600}'.repeat(256);
  const event = await report({
    ...rest,
    results: results.map((one) => (one.rank === 3 ? { ...one, document_id: name } : one)),
  });
  const { status, json } = await ask('POST', `${events}/${event.id}/promote`);
  assert.equal(status, 201);
  assert.equal(json.examples[0].embedding.positives[0].document_id, name);
});

test('a dry run tells what would be made and makes nothing', async () => {
  const person = await server.person();
  const { events, ask, report } = person;
  const event = await report();
  const dry = await ask('POST', `${events}/${event.id}/promote`, { dry_run: true, split: 'test' });
  assert.deepEqual([dry.status, dry.json.event, dry.json.examples[0].id], [200, event, null]);
  assert.deepEqual(await examplesOf(person), []);
  const { json } = await ask('POST', `${events}/${event.id}/promote`, { split: 'test' });
  const timeless = ({ id: _, created_at: __, updated_at: ___, ...rest }: Record<string, unknown>) => rest;
  assert.deepEqual(timeless(dry.json.examples[0]), timeless(json.examples[0]));
});

test('a person may choose other positives, negatives, query and split', async () => {
  const { events, ask, report } = await server.person();
  const { id, results } = await report();
  const choice = { positives: [1, 2], negatives: [4], query: 'in other words', split: 'test' };
  const { status, json } = await ask('POST', `${events}/${id}/promote`, choice);
  assert.equal(status, 201);
  const [{ embedding, split }] = json.examples;
  const texts = (passages: { text: string }[]) => passages.map(({ text }) => text);
  assert.deepEqual(
    [embedding.query, texts(embedding.positives), texts(embedding.negatives), split],
    ['in other words', [results[0].text, results[1].text], [results[3].text], 'test'],
  );
});

test('a text that was shown twice is learned once, be it right or wrong', async () => {
  const { ask, events, report } = await server.person();
  const { id } = await report({
    results: ['wrong', 'wrong', 'right', 'right'].map((text, at) => ({ rank: at + 1, text })),
    judgments: [3, 4].map((rank) => ({ rank, label: 'positive' })),
  });
  const { json } = await ask('POST', `${events}/${id}/promote`, {});
  const { positives, negatives } = json.examples[0].embedding;
  assert.deepEqual([positives.length, negatives.length], [1, 1]);
});

test('a choice is checked: ranks must be there, a positive cannot be a negative, nobody promotes nothing', async () => {
  const { events, ask, report } = await server.person();
  const { id } = await report();
  const path = `${events}/${id}/promote`;
  for (const [body, status, what] of [
    [{ positives: [3, 9] }, 400, 'positives[1]'],
    [{ negatives: [5] }, 400, 'negatives[0]'],
    [{ query: ' ' }, 400, 'query'],
    [{ query: 'q'.repeat(8_193) }, 400, 'query'],
    [{ split: 'both' }, 400, 'split'],
    [{ split: 'test', test_ratio: 0.1 }, 400, 'test_ratio'],
    [{ test_ratio: 0.6 }, 400, 'test_ratio'],
    [{ positives: '3' }, 422, 'positives'],
  ] as const) {
    const { status: got, json } = await ask('POST', path, body);
    assert.deepEqual([got, json.error.param], [status, what]);
  }
  for (const [body, blocker] of [
    [{ negatives: [3] }, 'positive_equals_negative'],
    [{ positives: [1], negatives: [1] }, 'positive_equals_negative'],
    [{ positives: [] }, 'no_positive'],
  ] as const) {
    const { status, json } = await ask('POST', path, body);
    assert.deepEqual([status, json.error.code, json.error.details], [409, 'state_conflict', { blockers: [blocker] }]);
  }
});

test('who names the positives judges: an event without any can be promoted so', async () => {
  const { events, ask, report } = await server.person();
  const { id, state } = await report({ judgments: [] });
  assert.equal(state, 'needs_judgment');
  const refused = await ask('POST', `${events}/${id}/promote`);
  assert.deepEqual([refused.status, refused.json.error.details], [409, { blockers: ['no_positive'] }]);
  assert.equal((await ask('POST', `${events}/${id}/promote`, { positives: [2] })).status, 201);
});

test('promoted is final: again gives the same, otherwise and away are refused', async () => {
  const person = await server.person();
  const { events, ask, report } = person;
  const { id } = await report({ external_id: 'final' });
  const first = await ask('POST', `${events}/${id}/promote`);
  const again = await ask('POST', `${events}/${id}/promote`);
  assert.deepEqual([again.status, again.json], [200, first.json]);
  for (const [method, path, body] of [
    ['POST', 'promote', { positives: [1] }],
    ['PATCH', 'skip', undefined],
    ['PATCH', 'restore', undefined],
  ] as const) {
    const { status, json } = await ask(method, `${events}/${id}/${path}`, body);
    assert.deepEqual([status, json.error.code, json.error.details.state], [409, 'state_conflict', 'promoted'], path);
  }
  const example = first.json.examples[0].id;
  await ask('DELETE', `${person.project}/datasets/${person.datasetId}/examples/${example}`);
  const gone = await ask('POST', `${events}/${id}/promote`);
  assert.deepEqual([gone.status, gone.json.event.state, gone.json.examples], [200, 'promoted', []]);
  assert.deepEqual(await examplesOf(person), []);
});

test('a skipped event is not promoted before it is restored', async () => {
  const { events, ask, report } = await server.person();
  const { id } = await report();
  await ask('PATCH', `${events}/${id}/skip`);
  const { status, json } = await ask('POST', `${events}/${id}/promote`);
  assert.deepEqual(
    [status, json.error.details],
    [409, { state: 'skipped', allowed_from: ['pending', 'needs_judgment'] }],
  );
  await ask('PATCH', `${events}/${id}/restore`);
  assert.equal((await ask('POST', `${events}/${id}/promote`)).status, 201);
});

test('an event that teaches nothing new is blocked, however its words are written', async () => {
  const person = await server.person();
  const { events, ask, report, project, datasetId } = person;
  const event = anEvent();
  const first = await report(event);
  const { json } = await ask('POST', `${events}/${first.id}/promote`);
  const [, , clicked] = event.results;
  const same = await report({
    query: `  ${event.query.toUpperCase()}`,
    results: [{ ...clicked, rank: 1, text: clicked?.text.replaceAll(' ', '  ') }],
    judgments: [{ rank: 1, label: 'positive' }],
  });
  assert.deepEqual([same.promotable, same.blockers], [false, ['duplicate_of_example']]);
  const refused = await ask('POST', `${events}/${same.id}/promote`);
  assert.deepEqual([refused.status, refused.json.error.details], [409, { blockers: ['duplicate_of_example'] }]);
  // One more thing to find is news.
  const more = await ask('POST', `${events}/${same.id}/promote`, { query: 'said in a new way', dry_run: true });
  assert.equal(more.status, 200);
  await ask('DELETE', `${project}/datasets/${datasetId}/examples/${json.examples[0].id}`);
  assert.deepEqual((await ask('GET', `${events}/${same.id}`)).json.blockers, []);
  assert.equal((await ask('POST', `${events}/${same.id}/promote`)).status, 201);
});

test('after the window a query may teach a passage again, but never what a live example already says', async () => {
  const person = await server.person();
  const { events, ask, report, datasetId } = person;
  const event = anEvent();
  const first = await report(event);
  await ask('POST', `${events}/${first.id}/promote`);
  const sameWords = await report(event);
  const otherNegatives = await report({ ...event, results: event.results.slice(1) });
  assert.deepEqual(otherNegatives.blockers, ['duplicate_of_example']);
  await server.database.query(
    `update promoted_pairs set promoted_at = now() - interval '91 days' where dataset_id = $1`,
    [datasetId],
  );
  assert.deepEqual((await ask('GET', `${events}/${sameWords.id}`)).json.blockers, ['duplicate_of_example']);
  assert.equal((await ask('POST', `${events}/${sameWords.id}/promote`)).status, 409);
  assert.equal((await ask('POST', `${events}/${otherNegatives.id}/promote`)).status, 201);
});

test('what the model does not take is left out; without a positive that it takes, the event is blocked', async () => {
  const { events, ask, report } = await server.person();
  const long = 'many words about lamps and doors '.repeat(200);
  const { results, judgments } = anEvent();
  const withLong = (rank: number) =>
    results.map((result) => (result.rank === rank ? { ...result, text: long } : result));
  const negative = await report({ results: withLong(1), judgments });
  assert.deepEqual(
    [negative.promotable, negative.suggested.negatives, negative.suggested.dropped[0]],
    [true, [2], { rank: 1, reason: 'over_token_limit' }],
  );
  assert.equal((await ask('POST', `${events}/${negative.id}/promote`)).json.examples[0].valid, true);
  const positive = await report({ results: withLong(3), judgments });
  assert.deepEqual([positive.promotable, positive.blockers], [false, ['over_token_limit']]);
  assert.equal((await ask('POST', `${events}/${positive.id}/promote`)).status, 409);
  const query = await report({ query: long, results, judgments });
  assert.deepEqual(query.blockers, ['over_token_limit']);
  assert.equal((await ask('POST', `${events}/${query.id}/promote`, { query: 'shorter' })).status, 201);
});

test('an archived dataset shows its events, all blocked', async () => {
  const { events, ask, report, project, datasetId } = await server.person();
  const { id } = await report();
  await ask('PATCH', `${project}/datasets/${datasetId}`, { archived: true });
  assert.deepEqual((await ask('GET', `${events}/${id}`)).json.blockers, ['dataset_archived']);
  const { status, json } = await ask('POST', `${events}/${id}/promote`);
  assert.deepEqual([status, json.error.details.blockers], [409, ['dataset_archived']]);
  assert.equal((await ask('PATCH', `${events}/${id}/skip`)).status, 409);
});

test('a promotion with an Idempotency-Key is answered the same again', async () => {
  const person = await server.person();
  const { events, ask, report } = person;
  const { id } = await report();
  const key = { 'idempotency-key': 'promote once' };
  const first = await ask('POST', `${events}/${id}/promote`, { positives: [2] }, key);
  const again = await ask('POST', `${events}/${id}/promote`, { positives: [2] }, key);
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.deepEqual(again.json, first.json);
  assert.equal((await examplesOf(person)).length, 1);
});

test('nothing but a promotion makes an example of feedback', async () => {
  const person = await server.person();
  const { events, ask, report } = person;
  const event = { ...anEvent(), external_id: 'only' };
  const { id } = await report(event);
  await ask('POST', events, event);
  await ask('POST', `${events}/batch`, { events: [anEvent(), { ...anEvent(), judgments: [] }] });
  await ask('PATCH', `${events}/${id}/skip`);
  await ask('PATCH', `${events}/${id}/restore`);
  await ask('GET', `${events}/${id}`);
  await ask('GET', events);
  await ask('POST', `${events}/${id}/promote`, { dry_run: true });
  await ask('POST', `${events}/promote`, { filter: {}, dry_run: true });
  assert.deepEqual(await examplesOf(person), []);
});
