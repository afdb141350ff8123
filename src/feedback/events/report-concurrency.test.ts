import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDatabase } from '#db';
import { aNewEvent, anEvent, type FeedbackServer, startFeedback } from '../feedback.fixture.ts';
import type { NewEvent } from './new-event.ts';
import { createReporter } from './report.ts';

let server: FeedbackServer;

before(async () => {
  server = await startFeedback();
});

after(() => server?.stop());

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);

test('one event from thirty clients at once is made once', async () => {
  const { events, ask } = await server.person();
  const event = { ...anEvent(), external_id: 'same' };
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask('POST', events, event)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array(29).fill(200), 201]);
  assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1);
});

test('batches with the same events in any order neither wait for ever nor make one twice', async () => {
  const { events, ask } = await server.person();
  const pool = Array.from({ length: 120 }, (_, at) => ({ ...anEvent(), external_id: `pool-${at}` }));
  const batches = Array.from({ length: 24 }, () => shuffled(pool).slice(0, 60));
  const keyed = (at: number) => (at % 4 === 0 ? { 'idempotency-key': `batch ${at}` } : {});
  const answers = await Promise.all(
    batches.map((batch, at) => ask('POST', `${events}/batch`, { events: batch }, keyed(at))),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const distinct = new Set(batches.flat().map(({ external_id: id }) => id)).size;
  const sum = (field: string) => answers.reduce((total, { json }) => total + json[field], 0);
  assert.deepEqual([sum('created'), sum('duplicates'), sum('rejected')], [distinct, 24 * 60 - distinct, 0]);
  assert.equal((await ask('GET', events)).json.total_count, distinct);
});

test('judgments that thirty clients add to one event at once are all kept', async () => {
  const { events, ask } = await server.person();
  const { judgments: _, ...event } = { ...anEvent(), external_id: 'judged' };
  const { json } = await ask('POST', events, event);
  const judging = (at: number) => ({ ...event, judgments: [{ rank: 1, label: 'neutral', strength: at / 100 }] });
  const answers = await Promise.all(
    Array.from({ length: 30 }, (__, at) =>
      at % 2 === 0
        ? ask('POST', events, judging(at))
        : ask('POST', `${events}/batch`, { events: [judging(at), judging(at)] }),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const { judgments } = (await ask('GET', `${events}/${json.id}`)).json;
  assert.deepEqual(
    judgments.map(({ strength }: { strength: number }) => strength).toSorted(),
    Array.from({ length: 30 }, (__, at) => at / 100),
  );
});

test('an event that is judged and skipped at once ends in one of the two states, with all that was said', async () => {
  const { events, ask } = await server.person();
  const rounds = Array.from({ length: 12 }, async (_, at) => {
    const { judgments, ...event } = { ...anEvent(), external_id: `race-${at}` };
    const { json } = await ask('POST', events, event);
    const [judged, skipped] = await Promise.all([
      ask('POST', events, { ...event, judgments }),
      ask('PATCH', `${events}/${json.id}/skip`),
    ]);
    const after = (await ask('GET', `${events}/${json.id}`)).json;
    assert.equal(skipped.status, 200);
    assert.equal(after.state, 'skipped');
    assert.equal(after.judgments.length, judged.status === 200 ? 1 : 0, `judged with ${judged.status}`);
  });
  await Promise.all(rounds);
});

test('clients that report at the same time share statements, and each gets its own answer', async () => {
  const { datasetId } = await server.person();
  const other = await server.person();
  let statements = 0;
  const database = await openDatabase({ url: server.database.url, maxConnections: 4 });
  try {
    const counting: typeof database = {
      ...database,
      query: (text, values, options) => {
        statements += 1;
        return database.query(text, values, options);
      },
    };
    const reporter = createReporter({ database: counting, minStrength: 0.5 });
    const eventOf = (at: number): NewEvent => aNewEvent(at % 2 === 0 ? datasetId : other.datasetId);
    const requests = Array.from({ length: 40 }, (_, at) => [eventOf(at)]);
    const outcomes = await Promise.all(requests.map((request) => reporter.report(request)));
    assert.deepEqual(
      outcomes,
      requests.map(([event]) => [{ status: 'created', id: event?.id }]),
    );
    assert.ok(statements < 12, `${statements} statements for 40 requests`);
  } finally {
    await database.close();
  }
});

test('a request that cannot be stored does not sink those that share its statement', async () => {
  const { datasetId } = await server.person();
  const reporter = createReporter({ database: server.database, minStrength: 0.5 });
  const good = () => aNewEvent(datasetId);
  const bad = { ...good(), digest: '00' };
  const [first, second, third] = await Promise.allSettled([
    reporter.report([good()]),
    reporter.report([bad]),
    reporter.report([good()]),
  ]);
  assert.deepEqual([first?.status, second?.status, third?.status], ['fulfilled', 'rejected', 'fulfilled']);
});
