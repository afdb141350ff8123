import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '#kernel';
import { anEvent, type FeedbackServer, type Person, startFeedback } from '../feedback.fixture.ts';

let server: FeedbackServer;

before(async () => {
  server = await startFeedback();
});

after(() => server?.stop());

type Result = { id: string; status: string; example_ids: string[]; blockers: string[]; error: { code: string } | null };

async function reportMany({ ask, events }: Person, count: number, change: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 100) {
    const batch = Array.from({ length: Math.min(100, left) }, () => ({ ...anEvent(), ...change }));
    const { json } = await ask('POST', `${events}/batch`, { events: batch });
    ids.push(...json.results.map(({ id }: { id: string }) => id));
  }
  return ids;
}

const countExamples = async ({ ask, project, datasetId }: Person): Promise<number> =>
  (await ask('GET', `${project}/datasets/${datasetId}/examples?limit=1`)).json.total_count;

test('events are promoted each for itself, in the order of their ids', async () => {
  const person = await server.person();
  const { ask, events, report } = person;
  const other = await server.person();
  const foreign = await other.report();
  const [first = '', second = ''] = await reportMany(person, 2);
  const { id: unjudged } = await report({ judgments: [] });
  const { id: skipped } = await report();
  await ask('PATCH', `${events}/${skipped}/skip`);
  const { id: before } = await report();
  await ask('POST', `${events}/${before}/promote`);
  const ids = [second, 'nothing', unjudged, skipped, before, foreign.id, first, second];
  const dry = await ask('POST', `${events}/promote`, { ids, dry_run: true });
  assert.deepEqual(
    dry.json.results.map(({ status }: Result) => status),
    ['promotable', 'rejected', 'rejected', 'rejected', 'already_promoted', 'rejected', 'promotable', 'promotable'],
  );
  assert.equal(await countExamples(person), 1);
  const { status, json } = await ask('POST', `${events}/promote`, { ids });
  assert.equal(status, 200);
  assert.deepEqual(
    json.results.map((result: Result) => [result.id, result.status, result.error?.code ?? null, result.blockers]),
    [
      [second, 'promoted', null, []],
      ['nothing', 'rejected', 'not_found', []],
      [unjudged, 'rejected', 'state_conflict', ['no_positive']],
      [skipped, 'rejected', 'state_conflict', []],
      [before, 'already_promoted', null, []],
      [foreign.id, 'rejected', 'not_found', []],
      [first, 'promoted', null, []],
      [second, 'promoted', null, []],
    ],
  );
  assert.deepEqual([json.already_promoted, json.rejected, json.remaining, json.resume_after], [1, 4, 0, null]);
  assert.equal(await countExamples(person), 3);
  assert.equal((await other.ask('GET', `${other.events}/${foreign.id}`)).json.state, 'pending');
});

test('of events that teach the same in one request, the first is promoted', async () => {
  const person = await server.person();
  const event = anEvent();
  const ids: string[] = [];
  for (const query of [event.query, event.query.toUpperCase(), `${event.query} today`])
    ids.push((await person.report({ ...event, query })).id);
  for (const isDryRun of [true, false]) {
    const { json } = await person.ask('POST', `${person.events}/promote`, { ids, dry_run: isDryRun });
    assert.deepEqual(
      json.results.map(({ status, blockers }: Result) => [status === 'rejected', blockers]),
      [
        [false, []],
        [true, ['duplicate_of_example']],
        [false, []],
      ],
    );
  }
});

test('a filter promotes the pending events that fit it, and leaves the others', async () => {
  const person = await server.person();
  const { ask, events, report } = person;
  await reportMany(person, 5, { model: 'new-model' });
  await reportMany(person, 3, { model: 'old-model' });
  await reportMany(person, 2, { model: 'new-model', judgments: [] });
  await report({ query: 'a purple balloon', model: 'new-model' });
  const byWord = await ask('POST', `${events}/promote`, { filter: { q: 'balloon' }, dry_run: true });
  assert.deepEqual([byWord.json.promoted, byWord.json.dry_run], [1, true]);
  const nothing = await ask('POST', `${events}/promote`, { filter: { q: '!!' } });
  assert.deepEqual([nothing.json.results, nothing.json.remaining], [[], 0]);
  const { json } = await ask('POST', `${events}/promote`, { filter: { model: 'new-model' } });
  assert.deepEqual([json.promoted, json.rejected, json.remaining], [6, 0, 0]);
  assert.equal((await ask('GET', `${events}?state=pending`)).json.total_count, 3);
  assert.equal((await ask('GET', `${events}?state=needs_judgment`)).json.total_count, 2);
});

test('a filter with more events than a request takes is gone through in parts, blocked ones included', async () => {
  const person = await server.person();
  const { ask, events } = person;
  const twin = anEvent();
  await reportMany(person, 250);
  for (let count = 0; count < 3; count++) await person.report(twin);
  await reportMany(person, 7);
  const seen: string[] = [];
  let after: string | null = null;
  const remaining: number[] = [];
  do {
    const { status, json }: Awaited<ReturnType<Person['ask']>> = await ask('POST', `${events}/promote`, {
      filter: {},
      limit: 120,
      ...(after === null ? {} : { after }),
    });
    assert.equal(status, 200, JSON.stringify(json));
    assert.ok(json.results.length <= 120);
    seen.push(...json.results.map(({ id }: Result) => id));
    remaining.push(json.remaining);
    after = json.resume_after;
  } while (after !== null);
  assert.deepEqual(remaining, [140, 20, 0]);
  assert.deepEqual(seen, [...new Set(seen)].toSorted());
  assert.equal(seen.length, 260);
  assert.equal(await countExamples(person), 258);
  assert.equal((await ask('GET', `${events}?state=pending`)).json.total_count, 2);
});

test('a dry run of a filter foretells what promoting it comes to, however far apart events that teach the same are', async () => {
  const person = await server.person();
  const { ask, events } = person;
  const twin = anEvent();
  await person.report(twin);
  await reportMany(person, 120);
  await person.report(twin);
  const statusesOf = async (body: object) => {
    const { json } = await ask('POST', `${events}/promote`, body);
    return json.results.map(({ id, status }: Result) => [id, status === 'promotable' ? 'promoted' : status]);
  };
  const foretold = await statusesOf({ filter: {}, dry_run: true });
  assert.equal(foretold.filter(([, status]: string[]) => status === 'rejected').length, 1);
  assert.deepEqual(foretold, await statusesOf({ filter: {} }));
});

test('a part of the queries goes to the test split, each always to the same side', async () => {
  const person = await server.person();
  const { ask, events, project, datasetId } = person;
  const ids = await reportMany(person, 100);
  await ask('POST', `${events}/promote`, { ids, test_ratio: 0.3 });
  const { json } = await ask('GET', `${project}/datasets/${datasetId}`);
  const { train, test: held } = json.split_counts;
  assert.equal(train + held, 100);
  assert.ok(held > 10 && held < 55, `${held} of 100`);
  const page = await ask('GET', `${project}/datasets/${datasetId}/examples?limit=100`);
  const splits = new Map(
    page.json.data.map((it: { embedding: { query: string }; split: string }) => [it.embedding.query, it.split]),
  );
  for (const [query, split] of [...splits].slice(0, 10)) {
    const again = await person.report({
      query: `  ${String(query).toUpperCase()}`,
      results: [{ rank: 3, text: 'another answer' }],
    });
    const promoted = await ask('POST', `${events}/promote`, { ids: [again.id], test_ratio: 0.3 });
    const [exampleId] = promoted.json.results[0].example_ids;
    const example = await ask('GET', `${project}/datasets/${datasetId}/examples/${exampleId}`);
    assert.equal(example.json.split, split);
  }
  for (const [query, split] of [...splits].slice(10, 30)) {
    const alone = await person.report({ query: `${query} `, results: [{ rank: 3, text: 'another answer' }] });
    const path = `${events}/${alone.id}/promote`;
    const dry = await ask('POST', path, { test_ratio: 0.3, dry_run: true });
    const promoted = await ask('POST', path, { test_ratio: 0.3 });
    assert.deepEqual([dry.json.examples[0].split, promoted.json.examples[0].split], [split, split]);
  }
});

test('what a request must say is checked', async () => {
  const { ask, events } = await server.person();
  for (const [body, status, param] of [
    [{}, 400, 'ids'],
    [{ ids: [newId('rev')], filter: {} }, 400, 'ids'],
    [{ ids: [] }, 400, 'ids'],
    [{ ids: Array.from({ length: 101 }, () => newId('rev')) }, 400, 'ids'],
    [{ ids: 'all' }, 422, 'ids'],
    [{ filter: { q: '' } }, 400, 'filter.q'],
    [{ filter: { from: 'now' } }, 400, 'filter.from'],
    [{ filter: { modle: 'search' } }, 400, 'filter.modle'],
    [{ filter: {}, after: 'x' }, 400, 'after'],
    [{ filter: {}, limit: 1_001 }, 400, 'limit'],
    [{ filter: {}, test_ratio: 0.6 }, 400, 'test_ratio'],
    [{ filter: {}, test_ratio: 0.1, split: 'train' }, 400, 'test_ratio'],
  ] as const) {
    const { status: got, json } = await ask('POST', `${events}/promote`, body);
    assert.deepEqual([got, json.error.param], [status, param], JSON.stringify(body));
  }
});

test('fifty promotions of one event at once make one example and one row of the feed', async () => {
  const person = await server.person();
  const { ask, events, report } = person;
  const { id } = await report();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      at % 5 === 0
        ? ask('POST', `${events}/promote`, { ids: [id] })
        : at % 5 === 1
          ? ask('POST', `${events}/promote`, { filter: {} })
          : ask('POST', `${events}/${id}/promote`, undefined, at % 5 === 2 ? { 'idempotency-key': `try ${at}` } : {}),
    ),
  );
  // On a busy machine some wait too long for the dataset, and are told so.
  const refused = answers.filter(({ status, json }) => status >= 400 && json.error.code !== 'in_use');
  assert.deepEqual(refused, []);
  assert.equal(await countExamples(person), 1);
  const alone = answers.filter(({ json }) => json.event);
  assert.equal(new Set(alone.map(({ json }) => json.examples[0].id)).size, 1);
  const made =
    alone.filter(({ status }) => status === 201).length +
    answers.filter(({ json }) => json.results?.some(({ status }: Result) => status === 'promoted')).length;
  assert.equal(made, 1);
  const { json } = await ask('GET', '/api/v1/activity?type=retrieval.promoted');
  assert.deepEqual([json.total_count, json.data[0].data.events], [1, 1]);
});

test('promotions, judgments and skips of the same events at once leave every event in one piece', async () => {
  const person = await server.person();
  const { ask, events } = person;
  const shown = Array.from({ length: 30 }, (_, at) => ({ ...anEvent(), external_id: `piece-${at}` }));
  const { json } = await ask('POST', `${events}/batch`, {
    events: shown.map((event) => ({ ...event, judgments: [] })),
  });
  const ids: string[] = json.results.map(({ id }: Result) => id);
  await Promise.all([
    ...shown.map((event) => ask('POST', events, event)),
    ...ids.filter((_, at) => at % 3 === 0).map((id) => ask('PATCH', `${events}/${id}/skip`)),
    ...Array.from({ length: 6 }, () => ask('POST', `${events}/promote`, { ids })),
    ask('POST', `${events}/batch`, { events: shown }),
    ...ids.filter((_, at) => at % 3 === 0).map((id) => ask('PATCH', `${events}/${id}/restore`)),
  ]);
  await ask('POST', `${events}/promote`, { filter: {} });
  const page = await ask('GET', `${events}?limit=100`);
  for (const row of page.json.data) {
    assert.ok(['promoted', 'skipped'].includes(row.state) || row.judgments.length === 0, row.state);
    assert.equal(row.example_ids.length, row.state === 'promoted' ? 1 : 0);
  }
  const promoted = (await ask('GET', `${events}?state=promoted`)).json.total_count;
  assert.equal(await countExamples(person), promoted);
});
