import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Clock, firstIdAt, newId, systemClock } from '#kernel';
import { awayFromNextHour } from '#test/midnight.ts';
import { anEvent, type FeedbackServer, startFeedback } from './feedback.fixture.ts';
import { createFeedbackMaintenance } from './maintenance.ts';

let server: FeedbackServer;

before(async () => {
  server = await startFeedback();
});

after(() => server?.stop());

const dayMs = 24 * 3_600_000;
const maintenanceAt = (ms: number) => {
  const clock: Clock = { ...systemClock, nowMs: () => ms };
  return createFeedbackMaintenance({ database: server.database, clock, retentionDays: 30 });
};

async function countsOf(datasetId: string): Promise<[Record<string, number>, number]> {
  const rows = await server.database.query<{ state: string; events: number; rows: number }>(
    `select state, sum(events)::integer as events, count(*)::integer as rows from retrieval_event_counts
      where dataset_id = $1 group by state having sum(events) <> 0 order by state`,
    [datasetId],
  );
  const counted = Object.fromEntries(rows.map(({ state, events }) => [state, events]));
  const [real] = await server.database.query<{ counted: Record<string, number> | null }>(
    `select json_object_agg(state, events order by state) as counted
       from (select state, count(*) as events from retrieval_events where dataset_id = $1 group by state) states`,
    [datasetId],
  );
  assert.deepEqual(counted, real?.counted ?? {}, 'what is counted is what is there');
  return [counted, rows.reduce((sum, row) => sum + row.rows, 0)];
}

test('events are removed when their time is over, whatever became of them; examples stay', async () => {
  const { datasetId, events, ask, report, project } = await server.person();
  const { id: promoted } = await report({ external_id: 'free again' });
  await ask('POST', `${events}/${promoted}/promote`);
  const { id: skipped } = await report();
  await ask('PATCH', `${events}/${skipped}/skip`);
  await report();
  const now = Date.now();
  await maintenanceAt(now + 29 * dayMs).runAll();
  assert.equal((await ask('GET', events)).json.total_count, 3);
  await maintenanceAt(now + 31 * dayMs).runAll();
  assert.equal((await ask('GET', events)).json.total_count, 0);
  assert.deepEqual((await countsOf(datasetId))[0], {});
  assert.equal((await ask('GET', `${project}/datasets/${datasetId}/examples`)).json.total_count, 1);
  await report({ external_id: 'free again' });
});

test('a server whose clock has jumped ahead removes no event', async (t) => {
  const { datasetId, report } = await server.person();
  await report();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 400 * dayMs });
  await maintenanceAt(Date.now()).runAll();
  t.mock.timers.reset();
  assert.deepEqual((await countsOf(datasetId))[0], { pending: 1 });
  await maintenanceAt(Date.now() + 400 * dayMs).runAll();
  assert.deepEqual((await countsOf(datasetId))[0], {});
});

test('many events of many datasets are removed in one round, and those of today stay', async () => {
  const person = await server.person();
  const datasets = [person.datasetId, await person.newDataset(), await person.newDataset()];
  const old = firstIdAt('rev', Date.now() - 40 * dayMs).slice(0, -8);
  for (const datasetId of datasets) {
    await server.database.query(
      `insert into retrieval_events (dataset_id, id, body_digest, state, query, results, judgments, words)
       select $1, id || lpad(n::text, 8, '0'), sha256(''), 'pending', 'q', '[]', '[]', ' q '
         from unnest($2::text[]) as id, generate_series(1, 450) n`,
      [datasetId, [old, newId('rev').slice(0, -8)]],
    );
  }
  await maintenanceAt(Date.now()).runAll();
  for (const datasetId of datasets) assert.deepEqual((await countsOf(datasetId))[0], { pending: 450 });
});

test('counts are right at all times, however many changes there are and whoever adds them up', async () => {
  const person = await server.person();
  const { ask, events, datasetId } = person;
  const ids: string[] = [];
  for (let round = 0; round < 5; round++) {
    const { json } = await ask('POST', `${events}/batch`, { events: Array.from({ length: 20 }, anEvent) });
    ids.push(...json.results.map(({ id }: { id: string }) => id));
  }
  await Promise.all([
    ...ids.slice(0, 40).map((id) => ask('PATCH', `${events}/${id}/skip`)),
    ...Array.from({ length: 30 }, () => person.report()),
    ask('POST', `${events}/promote`, { ids: ids.slice(50, 60) }),
    maintenanceAt(Date.now()).runAll(),
    maintenanceAt(Date.now()).runAll(),
  ]);
  const [counted, before] = await countsOf(datasetId);
  assert.deepEqual(counted, { pending: 80, promoted: 10, skipped: 40 });
  await Promise.all([maintenanceAt(Date.now()).runAll(), maintenanceAt(Date.now()).runAll()]);
  const [same, rows] = await countsOf(datasetId);
  assert.deepEqual(same, counted);
  assert.ok(rows <= before && rows < 64, `${rows} rows`);
});

test('the feed tells the first promotion of an hour at once, and the others when it is over', async () => {
  await awayFromNextHour();
  const { ask, events, datasetId, report } = await server.person();
  const feed = async () => {
    const { json } = await ask('GET', '/api/v1/activity?type=retrieval.promoted');
    return json.data.map((row: { message: string; data: { events: number }; subject: { id: string } }) => {
      assert.equal(row.subject.id, datasetId);
      return row.data.events;
    });
  };
  for (let count = 0; count < 3; count++) await ask('POST', `${events}/${(await report()).id}/promote`);
  const { json } = await ask('POST', `${events}/batch`, { events: Array.from({ length: 4 }, anEvent) });
  await ask('POST', `${events}/promote`, { ids: json.results.map(({ id }: { id: string }) => id) });
  assert.deepEqual(await feed(), [1]);
  await maintenanceAt(Date.now()).runAll();
  assert.deepEqual(await feed(), [1], 'the hour is not over');
  await server.database.query(`update promotion_notices set hour = hour - interval '1 hour' where dataset_id = $1`, [
    datasetId,
  ]);
  await Promise.all([maintenanceAt(Date.now()).runAll(), maintenanceAt(Date.now()).runAll()]);
  assert.deepEqual(await feed(), [6, 1]);
  await maintenanceAt(Date.now()).runAll();
  assert.deepEqual(await feed(), [6, 1]);
  await ask('POST', `${events}/${(await report()).id}/promote`);
  assert.deepEqual(await feed(), [1, 6, 1]);
});

test('pairs are forgotten after the window', async () => {
  const { ask, events, report, datasetId } = await server.person();
  await ask('POST', `${events}/${(await report()).id}/promote`);
  await ask('POST', `${events}/${(await report()).id}/promote`);
  await server.database.query(
    `update promoted_pairs set promoted_at = now() - interval '91 days'
      where dataset_id = $1 and pair = (select pair from promoted_pairs where dataset_id = $1 order by pair limit 1)`,
    [datasetId],
  );
  await maintenanceAt(Date.now()).runAll();
  const left = await server.database.query('select from promoted_pairs where dataset_id = $1', [datasetId]);
  assert.equal(left.length, 1);
});

test('a promoted event cannot be changed, not even by a statement', async () => {
  const { ask, events, report, datasetId } = await server.person();
  const { id } = await report();
  await ask('POST', `${events}/${id}/promote`);
  await assert.rejects(
    server.database.query(`update retrieval_events set query = 'x' where dataset_id = $1`, [datasetId]),
    /never changes/,
  );
});
