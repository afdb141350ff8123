import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createPartitionMaintenance, openDatabase } from '#db';
import { type Clock, newId, systemClock } from '#kernel';
import { awayFromMidnight } from '#test/midnight.ts';
import { type NewEvent, newEvent } from '../events/new-event.ts';
import { readReportedEvent } from '../events/read-event.ts';
import { createReporter } from '../events/report.ts';
import { anEvent, type FeedbackServer, startFeedback } from '../feedback.fixture.ts';
import { createFeedbackMaintenance } from '../maintenance.ts';
import { eventMonths } from './event-months.ts';
import { maintainPartitions } from './months.fixture.ts';

await awayFromMidnight();

let server: FeedbackServer;

before(async () => {
  server = await startFeedback();
  for (const ago of [1, 2, 3, 4]) await makeMonth(ago);
});

after(() => server?.stop());

const dayMs = 24 * 3_600_000;
const retentionDays = 30;

const startOf = (ago: number) => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago);
};

const nameOf = (ago: number) =>
  `retrieval_events_${new Date(startOf(ago)).toISOString().slice(0, 7).replace('-', '_')}`;

const makeMonth = (ago: number) =>
  server.database.query(`select add_month('retrieval_events', 'rev', $1)`, [
    new Date(startOf(ago)).toISOString().slice(0, 10),
  ]);

/** An event that was reported on the third day of a month so many months ago. */
function eventOf(datasetId: string, { ago, name = null }: { ago: number; name?: string | null }): NewEvent {
  const body = { ...anEvent(), query: `search ${name}`, ...(name === null ? {} : { external_id: name }) };
  return newEvent(readReportedEvent(body), { datasetId, id: newId('rev', startOf(ago) + 2 * dayMs) }, 0.5);
}

const reporterOf = (database = server.database) => createReporter({ database, minStrength: 0.5 });

/** Another server's work about months and about events, at a time. */
function replicaAt(ms: number) {
  const clock: Clock = { ...systemClock, nowMs: () => ms };
  const { database } = server;
  return {
    months: createPartitionMaintenance({ database, tables: [eventMonths(clock, retentionDays)] }),
    maintenance: createFeedbackMaintenance({ database, clock, retentionDays }),
  };
}

/** When all of that month is older than events are kept, and nothing of the next one is. */
const whenOver = (ago: number) => startOf(ago - 1) + retentionDays * dayMs;

async function tables(like: string): Promise<string[]> {
  const rows = await server.database.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relname like $1 order by 1`,
    [like],
  );
  return rows.map(({ name }) => name);
}

/** Every event that has an external id has it alone, and what is counted is what is there. */
async function assertConsistent(datasetId: string): Promise<void> {
  const wrong = await server.database.query(
    `select * from (select id, external_id from retrieval_events where dataset_id = $1 and external_id is not null) e
       full join (select event_id, external_id from retrieval_event_names where dataset_id = $1) n
         on n.event_id = e.id and n.external_id = e.external_id
      where e.id is null or n.event_id is null`,
    [datasetId],
  );
  assert.deepEqual(wrong, []);
  await assertCounted(datasetId);
}

async function assertCounted(datasetId: string): Promise<void> {
  const counted = await server.database.query(
    `select state, sum(events)::integer as events from retrieval_event_counts where dataset_id = $1
      group by state having sum(events) <> 0 order by state`,
    [datasetId],
  );
  const real = await server.database.query(
    `select state, count(*)::integer as events from retrieval_events where dataset_id = $1 group by state order by state`,
    [datasetId],
  );
  assert.deepEqual(counted, real);
}

test('an event of one external id is made once, whatever months, batches and replicas report it', async () => {
  const { datasetId } = await server.person();
  const other = await openDatabase({ url: server.database.url, maxConnections: 8, connectMs: 60_000 });
  try {
    const reporters = [reporterOf(), reporterOf(other)];
    const names = Array.from({ length: 40 }, (_, at) => `name ${at}`);
    const batches = Array.from({ length: 16 }, (_, batch) =>
      // From each end in turn, and months that differ for one name.
      names.map((__, at) => {
        const place = batch % 4 < 2 ? at : names.length - 1 - at;
        return { ...eventOf(datasetId, { ago: (batch + at) % 4, name: names[place] ?? '' }), digest: '0'.repeat(64) };
      }),
    );
    const outcomes = await Promise.all(batches.map((batch, at) => reporters[at % 2]?.report(batch) ?? []));
    const created = outcomes.flat().filter(({ status }) => status === 'created');
    assert.equal(created.length, names.length);
    const answers = new Map<string, Set<string>>();
    for (const [at, batch] of batches.entries())
      for (const [index, { externalId }] of batch.entries()) {
        const outcome = outcomes[at]?.[index];
        assert(outcome && 'id' in outcome && externalId, JSON.stringify(outcome));
        answers.set(externalId, (answers.get(externalId) ?? new Set()).add(outcome.id));
      }
    assert.deepEqual(
      [...answers.values()].map(({ size }) => size),
      names.map(() => 1),
      'everybody was told the same event',
    );
    const [row] = await server.database.query<{ events: number; months: number }>(
      `select count(*)::integer as events, count(distinct tableoid)::integer as months
         from retrieval_events where dataset_id = $1`,
      [datasetId],
    );
    assert.equal(row?.events, names.length);
    assert.ok(row.months > 1, `events in ${row.months} months`);
    await assertConsistent(datasetId);
  } finally {
    await other.close();
  }
});

test('lists, searches, filters and decisions go through all months', async () => {
  const { datasetId, ask, events } = await server.person();
  const made = [0, 1, 2, 3].flatMap((ago) => [0, 1, 2].map((at) => eventOf(datasetId, { ago, name: `${ago}-${at}` })));
  await reporterOf().report(made);
  const newestFirst = made
    .map(({ id }) => id)
    .toSorted()
    .toReversed();
  for (const query of ['', '&q=search', '&state=pending']) {
    const seen: string[] = [];
    for (let cursor = ''; cursor !== 'end'; ) {
      const { json } = await ask('GET', `${events}?limit=5${query}${cursor}`);
      assert.equal(json.total_count, 12);
      seen.push(...json.data.map(({ id }: { id: string }) => id));
      cursor = json.next_cursor === null ? 'end' : `&cursor=${encodeURIComponent(json.next_cursor)}`;
    }
    assert.deepEqual(seen, newestFirst, query);
  }
  const totalOf = async (query: string) => (await ask('GET', `${events}?${query}`)).json.total_count;
  const at = (ago: number) => new Date(startOf(ago)).toISOString();
  assert.equal(await totalOf(`from=${at(2)}&to=${at(0)}`), 6);
  assert.equal(await totalOf('external_id=3-1'), 1);
  assert.equal(await totalOf('external_id=none'), 0);
  const [oldest, newest] = [newestFirst.at(-1) ?? '', newestFirst[0] ?? ''];
  assert.equal((await ask('PATCH', `${events}/${oldest}/skip`)).status, 200);
  const { json } = await ask('POST', `${events}/promote`, { ids: [newest, newestFirst[6]] });
  assert.equal(json.promoted, 2, JSON.stringify(json));
  assert.equal((await ask('GET', `${events}/${oldest}`)).json.state, 'skipped');
  assert.equal(await totalOf('state=pending'), 9);
  await assertConsistent(datasetId);
});

test('a month goes as a whole with its names, and counts are right at once', async () => {
  const { datasetId, ask, events } = await server.person();
  const batch = [4, 3, 2].flatMap((ago) => [0, 1].map((at) => eventOf(datasetId, { ago, name: `${ago}-${at}` })));
  await reporterOf().report([...batch, eventOf(datasetId, { ago: 4 })]);
  const [oldest] = batch;
  assert(oldest);
  await ask('PATCH', `${events}/${oldest.id}/skip`);

  const before = replicaAt(whenOver(4) - 1);
  await maintainPartitions(before.months);
  assert.deepEqual(await tables(nameOf(4)), [nameOf(4)], 'some of it is still kept');
  const replicas = [replicaAt(whenOver(4)), replicaAt(whenOver(4))];
  await Promise.all(replicas.map(({ months }) => maintainPartitions(months)));
  assert.deepEqual(await tables(nameOf(4)), []);
  const total = async (query = '') => (await ask('GET', `${events}${query}`)).json.total_count;
  assert.deepEqual([await total(), await total('?state=skipped'), await total('?q=search')], [4, 0, 4]);
  await assertCounted(datasetId);
  assert.equal((await ask('GET', `${events}/${oldest.id}`)).status, 404);

  // Its external ids are free at once, whoever asks for them first.
  const again = await Promise.all(
    [0, 1, 2].map(() => reporterOf().report([0, 1].map((at) => eventOf(datasetId, { ago: 0, name: `4-${at}` })))),
  );
  assert.deepEqual(
    again
      .flat()
      .map(({ status }) => status)
      .toSorted(),
    ['conflict', 'conflict', 'conflict', 'conflict', 'created', 'created'],
  );
  await Promise.all(replicas.map(({ maintenance }) => maintenance.runAll()));
  await assertConsistent(datasetId);
  assert.equal(await total(), 6);
});

test('within the month in which the time ends, events go day by day, and their external ids are free', async () => {
  const { datasetId, ask, events } = await server.person();
  await reporterOf().report([
    eventOf(datasetId, { ago: 2, name: 'old' }),
    { ...eventOf(datasetId, { ago: 2, name: 'kept' }), id: newId('rev', startOf(2) + 9 * dayMs) },
  ]);
  const { maintenance, months } = replicaAt(startOf(2) + (5 + retentionDays) * dayMs);
  await maintenance.runAll();
  await maintainPartitions(months);
  const { json } = await ask('GET', events);
  assert.deepEqual([json.total_count, json.data[0].external_id], [1, 'kept']);
  const outcomes = await reporterOf().report([eventOf(datasetId, { ago: 0, name: 'old' })]);
  assert.equal(outcomes[0]?.status, 'created');
  await assertConsistent(datasetId);
});
