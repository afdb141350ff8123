import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import {
  createPartitionMaintenance,
  listPartitions,
  monthAfter,
  monthsBefore,
  type PartitionedTable,
} from './partitions.ts';

await awayFromMidnight();

const database = fileDatabase();

const day = 24 * 3_600_000;
const thisMonth = monthsBefore(Date.now(), 0);
const keepsAll = () => null;

beforeEach(async () => {
  await database().query(`create table notes (id text collate "C" primary key, text text) partition by range (id)`);
  await database().query('create table notes_other partition of notes default');
});

test.afterEach(() => database().query('drop table notes'));

const notes = (keptSince: () => Date | null = keepsAll): PartitionedTable => ({
  table: 'notes',
  key: 'req',
  keptSince,
  removal: 'drop',
});

const months = (table = notes(), log?: Parameters<typeof createPartitionMaintenance>[0]['log']) =>
  createPartitionMaintenance({ database: database(), tables: [table], ...(log ? { log } : {}) });

const insert = (id: string) => database().query('insert into notes (id) values ($1)', [id]);

async function placeOf(id: string): Promise<string | undefined> {
  const [row] = await database().query<{ place: string }>(
    'select tableoid::regclass::text as place from notes where id = $1',
    [id],
  );
  return row?.place;
}

test('replicas that start together make this month and the next two, once', async () => {
  await Promise.all([1, 2, 3].map(() => months().run()));
  assert.deepEqual(await listPartitions(database(), 'notes'), [
    thisMonth,
    monthAfter(thisMonth),
    monthAfter(monthAfter(thisMonth)),
  ]);
  await months().run();
  assert.equal((await listPartitions(database(), 'notes')).length, 3);
});

test('what came before its month was made is kept, and moves into it', async () => {
  const ids = [newId('req'), newId('req', monthAfter(thisMonth).getTime()), newId('req', 0), 'another name'];
  for (const id of ids) assert.equal(await insert(id).then(() => placeOf(id)), 'notes_other');
  await months().run();
  const name = (month: Date) => `notes_${month.toISOString().slice(0, 7).replace('-', '_')}`;
  assert.deepEqual(await Promise.all(ids.map(placeOf)), [
    name(thisMonth),
    name(monthAfter(thisMonth)),
    'notes_other',
    'notes_other',
  ]);
});

test('a month begins and ends with the ids of its first and last millisecond', async () => {
  await months().run();
  const [first, last] = [thisMonth.getTime(), monthAfter(thisMonth).getTime() - 1];
  const ids = [newId('req', first - 1), newId('req', first), newId('req', last), newId('req', last + 1)];
  for (const id of ids) await insert(id);
  const places = await Promise.all(ids.map(placeOf));
  assert.equal(places[0], 'notes_other');
  assert.equal(places[1], places[2]);
  assert.notEqual(places[2], places[3]);
});

test('a month goes when all of it is too old, and not before', async () => {
  await database().query(`select add_month('notes', 'req', $1)`, [monthsBefore(thisMonth.getTime(), 1)]);
  const old = newId('req', thisMonth.getTime() - day);
  await insert(old);
  await months(notes(() => new Date(thisMonth.getTime() - 1))).run();
  assert.notEqual(await placeOf(old), undefined);
  const replicas = [1, 2, 3].map(() => months(notes(() => thisMonth)));
  await Promise.all(replicas.map(({ run }) => run()));
  assert.equal(await placeOf(old), undefined);
  assert.equal((await listPartitions(database(), 'notes')).length, 3);
});

test('a server whose clock has jumped ahead ends no month, not even the one that is written to', async (t) => {
  await database().query(`select add_month('notes', 'req', $1)`, [monthsBefore(thisMonth.getTime(), 1)]);
  const warnings: string[] = [];
  const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message) };
  const kept = notes(() => new Date(Math.max(thisMonth.getTime(), Date.now() - day)));
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 400 * day });
  await months(kept, log).run();
  t.mock.timers.reset();
  assert.equal((await listPartitions(database(), 'notes')).length, 4);
  assert.match(warnings.join(), /clock of this server is ahead/);
  await months(kept, log).run();
  assert.equal((await listPartitions(database(), 'notes')).length, 3);
});

test('a month that is not closed stays', async () => {
  await months({ ...notes(() => monthAfter(thisMonth)), beforeRemoval: async () => false }).run();
  assert.equal((await listPartitions(database(), 'notes')).length, 3);
});

test('whoever uses the table is not waited for; the next round ends the month', async () => {
  await months().run();
  const ending = notes(() => monthAfter(thisMonth));
  const warnings: string[] = [];
  const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message) };
  await database().transaction(async (tx) => {
    await tx.query('select from notes');
    const busy = months(ending, log);
    await busy.start({ works: true });
    while (warnings.length === 0) await sleep(20);
    await busy.stop();
  });
  assert.equal((await listPartitions(database(), 'notes')).length, 3);
  await months(ending).run();
  assert.equal((await listPartitions(database(), 'notes')).length, 2);
});

test('a process that only serves makes months and ends none', async () => {
  const serving = months(notes(() => monthAfter(thisMonth)));
  await serving.start({ works: false });
  await serving.stop();
  assert.equal((await listPartitions(database(), 'notes')).length, 3);
});

test('the numbers of the ledger jump to a month that is there, and never back', async () => {
  const next = monthAfter(thisMonth).toISOString().slice(0, 10);
  const last = async () =>
    (await database().query<{ seq: bigint }>('select last_value as seq from ledger_numbers'))[0]?.seq ?? 0n;
  const before = await last();
  await database().query(`select begin_ledger_month('2400-01-01')`);
  assert.equal(await last(), before);
  await Promise.all([1, 2].map(() => database().query('select begin_ledger_month($1)', [next])));
  const [start] = await database().query<{ seq: bigint }>('select ledger_month_start($1) as seq', [next]);
  assert.equal(await last(), start?.seq);
  await database().query(`select nextval('ledger_numbers'), nextval('ledger_numbers'), begin_ledger_month($1)`, [next]);
  await database().query('select begin_ledger_month($1)', [thisMonth.toISOString().slice(0, 10)]);
  assert.equal(await last(), (start?.seq ?? 0n) + 1n);
});
