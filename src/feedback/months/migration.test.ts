import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { createPartitionMaintenance, type Database, migrate, openDatabase } from '#db';
import { newId, systemClock } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import { createCare } from '../care.ts';
import type { NewEvent } from '../events/new-event.ts';
import { createReporter } from '../events/report.ts';
import { readOneEvent } from '../events/report-body.ts';
import { anEvent } from '../feedback.fixture.ts';
import { eventMonths } from './event-months.ts';
import { maintainPartitions } from './months.fixture.ts';

await awayFromMidnight();

const migrations = join(import.meta.dirname, '../../../migrations');
const dayMs = 24 * 3_600_000;
const datasetId = newId('ds');
const context: { test?: TestDatabase; before?: Database } = {};

/** A database of the release before, with an event of each month of half a year, which this release then takes over. */
before(async () => {
  context.test = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-migrations-'));
  for (const name of await readdir(migrations)) if (name < '0032') await cp(join(migrations, name), join(folder, name));
  await database().query('drop schema public cascade');
  await database().query('create schema public');
  await migrate(database(), folder);
  context.before = await openDatabase({ url: context.test.url, maxConnections: 4, connectMs: 60_000 });
  await rm(folder, { recursive: true });
  await insertAsBefore([5, 4, 3, 2, 1, 0].map((ago) => eventOf(`kept ${ago}`, Date.now() - ago * 31 * dayMs)));
  await insertAsBefore([eventOf(null)]);
  await migrate(database());
});

test.after(async () => {
  await context.before?.close();
  await context.test?.drop();
});

function database(): Database {
  assert(context.test);
  return context.test.database;
}

/** The connections of a server of the release before, open since then. */
function databaseBefore(): Database {
  assert(context.before);
  return context.before;
}

function eventOf(name: string | null, ms = Date.now()): NewEvent {
  const body = { ...anEvent(), ...(name === null ? {} : { external_id: name }) };
  const { value } = readOneEvent(body, { datasetId, minStrength: 0.5 });
  return { ...value, id: newId('rev', ms), digest: '0'.repeat(64) };
}

/** Statements of the release before this one, word for word. */
async function insertAsBefore(events: readonly NewEvent[]): Promise<string[]> {
  const joined = (texts: readonly string[]) => texts.join('\n');
  const rows = events.toSorted((a, b) => ((a.externalId ?? '') < (b.externalId ?? '') ? -1 : 1));
  const added = await databaseBefore().query<{ id: string }>(
    `insert into retrieval_events
       (dataset_id, id, external_id, body_digest, state, query, results, judgments, model, details, words)
     select dataset_id, id, external_id, decode(digest, 'hex'), state, query, results, judgments, model,
            nullif(details, ''), words
       from unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n'), $3::text[], string_to_array($4, E'\\n'),
                   string_to_array($5, E'\\n'), $6::text[], string_to_array($7, E'\\n'), string_to_array($8, E'\\n'),
                   $9::text[], string_to_array($10, E'\\n'), string_to_array($11, E'\\n'))
         as reported (dataset_id, id, external_id, digest, state, query, results, judgments, model, details, words)
     on conflict (dataset_id, external_id) where external_id is not null do nothing
     returning id`,
    [
      joined(rows.map((event) => event.datasetId)),
      joined(rows.map(({ id }) => id)),
      rows.map(({ externalId }) => externalId),
      joined(rows.map(({ digest }) => digest)),
      joined(rows.map(({ state }) => state)),
      rows.map(({ query }) => query),
      joined(rows.map(({ results }) => results)),
      joined(rows.map(({ judgments }) => judgments)),
      rows.map(({ model }) => model),
      joined(rows.map(({ details }) => details)),
      joined(rows.map(({ words }) => words)),
    ],
    { name: 'feedback.insert_events' },
  );
  return added.map(({ id }) => id);
}

const findAsBefore = (name: string) =>
  databaseBefore().query<{ id: string }>(
    `select e.id from (select distinct * from unnest($1::text[], $2::text[]) as named (dataset_id, external_id)) asked
       join retrieval_events e on e.dataset_id = asked.dataset_id and e.external_id = asked.external_id
        and e.external_id is not null
      order by e.dataset_id, e.external_id for no key update of e`,
    [[datasetId], [name]],
  );

const deleteAsBefore = (endId: string) =>
  databaseBefore().query(
    `with due as (
       select dataset_id, id from retrieval_events
        where dataset_id = $1 and id < $2 order by id limit $3 for update skip locked
     )
     delete from retrieval_events e using due where e.dataset_id = due.dataset_id and e.id = due.id returning e.id`,
    [datasetId, endId, 200],
  );

const report = (names: readonly string[]) =>
  createReporter({ database: database(), minStrength: 0.5 }).report(names.map((name) => eventOf(name)));

async function assertConsistent(expected: number): Promise<void> {
  const rows = await database().query<{ counted: number; there: number; named: number; names: number }>(
    `select (select sum(events) from retrieval_event_counts where dataset_id = $1)::integer as counted,
            (select count(*) from reported_events where dataset_id = $1)::integer as there,
            (select count(*) from reported_events where dataset_id = $1 and external_id is not null)::integer as named,
            (select count(*) from retrieval_event_names n join reported_events e on e.id = n.event_id
              where n.dataset_id = $1)::integer as names`,
    [datasetId],
  );
  const unnamed = 1;
  assert.deepEqual(rows, [
    { counted: expected, there: expected, named: expected - unnamed, names: expected - unnamed },
  ]);
}

test('an installation keeps its events, and what they are called is taken', async () => {
  await assertConsistent(7);
  const outcomes = await report(['kept 5', 'kept 0', 'new']);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['duplicate', 'duplicate', 'created'],
  );
  await assertConsistent(8);
});

test('servers of this release and of the one before make an event of one external id once', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `both ${at}`);
  const rounds = Array.from({ length: 6 }, () => [
    insertAsBefore(names.map((name) => eventOf(name))).then((ids) => ids.length),
    report(names).then((outcomes) => outcomes.filter(({ status }) => status === 'created').length),
  ]);
  const made = await Promise.all(rounds.flat());
  assert.equal(
    made.reduce((sum, count) => sum + count, 0),
    names.length,
  );
  await assertConsistent(38);
});

test('the release before finds, changes and removes what this one wrote', async () => {
  await report(['to be judged']);
  const [found] = await findAsBefore('to be judged');
  assert(found);
  await databaseBefore().query(
    `update retrieval_events set state = 'skipped', skipped_reason = null, updated_at = now() where dataset_id = $1 and id = $2`,
    [datasetId, found.id],
  );
  const rows = await database().query('select state from reported_events where id = $1', [found.id]);
  assert.deepEqual(rows, [{ state: 'skipped' }]);
  const marked = await database().query(`select from reported_events where updated_at = '-infinity'`);
  assert.equal(marked.length, 0);
  assert.equal((await deleteAsBefore(newId('rev', Date.now() - 140 * dayMs))).length, 1);
  const [again] = await report(['kept 5']);
  assert.equal(again?.status, 'created');
  await assertConsistent(39);
});

test('what was there before goes when the last of its months does', async () => {
  const year = 365;
  const clock = { ...systemClock, nowMs: () => Date.now() + (year + 93) * dayMs };
  const options = { database: database(), clock, retentionDays: year };
  await maintainPartitions(createPartitionMaintenance({ ...options, tables: [eventMonths(clock, year)] }));
  const [left] = await database().query<{ events: number; counted: number }>(
    `select (select count(*) from reported_events)::integer as events,
            (select sum(events) from retrieval_event_counts)::integer as counted`,
  );
  assert.deepEqual(left, { events: 0, counted: 0 });
  await createCare(options).runAll();
  const [gone] = await database().query(
    `select to_regclass('retrieval_events') as view, (select count(*)::integer from retrieval_event_names) as names,
            (select count(*)::integer from pg_class where relname like 'reported_events_gone%') as tables`,
  );
  assert.deepEqual(gone, { view: null, names: 0, tables: 0 });
});

test('a new installation has nothing of the release before', async (t) => {
  const fresh = await createTestDatabase();
  t.after(fresh.drop);
  const [row] = await fresh.database.query(
    `select to_regclass('retrieval_events') as view,
            (select count(*)::integer from pg_inherits where inhparent = 'reported_events'::regclass) as parts`,
  );
  assert.deepEqual(row, { view: null, parts: 4 });
});
