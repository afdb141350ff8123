import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import type { FastifyBaseLogger } from 'fastify';
import { type ObjectStore, openFolderStore } from '#objects';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { removeIndexesOf } from '../indexes/deleted-projects.ts';
import { type FilledProject, fillProject } from './project-removal.fixture.ts';
import { openProjectRemoval } from './project-removal.ts';

let db: TestDatabase;
let objects: ObjectStore;
let folder: string;
const warnings: unknown[] = [];

before(async () => {
  db = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'fanfold-removal-'));
  objects = openFolderStore(folder);
});

after(async () => {
  await db?.drop();
  await rm(folder, { recursive: true });
});

/** What stays when a project is removed, and why. */
const staying: Record<string, string> = {
  ledger: 'money must be explainable',
  request_log: 'it goes with its month',
};

/** Columns by which a row belongs to a project, and the ids that they have in it. */
const idsOf = ({ ids }: FilledProject): Record<string, string> => ({
  project_id: ids.project,
  dataset_id: ids.dataset,
  import_id: ids.import,
  index_id: ids.index,
  job_id: ids.job,
  hosted_model_id: ids.model,
  chat_id: ids.chat,
  message_id: ids.message,
});

/** Rows that belong to a project, by table and column: of every table that has such a column. */
async function rowsOf(project: FilledProject): Promise<Map<string, number>> {
  const ids = idsOf(project);
  const columns = await db.database.query<{ table: string; column: string }>(
    `select c.table_name as table, c.column_name as column
       from information_schema.columns c join pg_class t on t.oid = c.table_name::regclass
      where c.table_schema = 'public' and t.relkind in ('r', 'p') and not t.relispartition and c.column_name = any($1)
      order by 1, 2`,
    [Object.keys(ids)],
  );
  const counted = new Map<string, number>();
  for (const { table, column } of columns) {
    const [row] = await db.database.query<{ rows: number }>(
      `select count(*)::integer as rows from ${table} where ${column} = $1`,
      [ids[column]],
    );
    counted.set(`${table}.${column}`, row?.rows ?? 0);
  }
  const [row] = await db.database.query<{ rows: number }>(
    'select count(*)::integer as rows from all_projects where id = $1',
    [project.ids.project],
  );
  return counted.set('all_projects.id', row?.rows ?? 0);
}

const removal = (store: Pick<ObjectStore, 'remove'> = objects) => {
  // as: only warnings are logged.
  const log = { warn: ({ err }: { err: unknown }) => warnings.push(err) } as unknown as FastifyBaseLogger;
  const files = { forget: async () => {} };
  const indexes = { removal: removeIndexesOf({ database: db.database, files }) };
  return openProjectRemoval({ database: db.database, objects: { ...objects, ...store }, log }, { indexes });
};

async function markDeleted({ ids }: FilledProject): Promise<void> {
  await db.database.query('update all_projects set deleted_at = now(), removal_due_at = now() where id = $1', [
    ids.project,
  ]);
}

async function makeDue({ ids }: FilledProject): Promise<void> {
  await db.database.query('update all_projects set removal_due_at = now() where id = $1', [ids.project]);
}

async function filled() {
  const [{ accountId }, { accountId: friendId }] = [await seedAccount(db.database), await seedAccount(db.database)];
  const project = await fillProject(db, { accountId, friendId });
  for (const key of project.objects) await objects.put(key, Readable.from([Buffer.from(key)]));
  return { accountId, friendId, project };
}

const areThere = async ({ objects: keys }: FilledProject) =>
  (await Promise.all(keys.map((key) => objects.size(key)))).map((size) => size !== null);

async function storedBytes(accountId: string): Promise<bigint | undefined> {
  const [row] = await db.database.query<{ bytes: bigint }>('select bytes from account_storage where account_id = $1', [
    accountId,
  ]);
  return row?.bytes;
}

test('no table has a row of a deleted project, but for those that are to stay, and no object is left', async () => {
  const { accountId, friendId, project } = await filled();
  const other = await fillProject(db, { accountId, friendId });
  for (const key of other.objects) await objects.put(key, Readable.from([Buffer.from(key)]));
  const before = await rowsOf(project);
  const otherBefore = await rowsOf(other);
  // The fixture has a row in every table: otherwise this proves nothing about it.
  const empty = [...before].filter(([name, rows]) => rows === 0 && !name.startsWith('ledger.'));
  assert.deepEqual(empty, []);
  assert.equal(await storedBytes(accountId), 34n);
  await markDeleted(project);
  await removal().runAll();
  assert.deepEqual(warnings, []);
  const left = [...(await rowsOf(project))].filter(([, rows]) => rows > 0).map(([name]) => name.split('.')[0]);
  assert.deepEqual(
    left.filter((table = '') => !(table in staying)),
    [],
  );
  assert.deepEqual(left, ['request_log']);
  assert.deepEqual(await areThere(project), [false, false, false, false, false]);
  assert.deepEqual(await rowsOf(other), otherBefore);
  assert.deepEqual(await areThere(other), [true, true, true, true, true]);
  // What it had stored no longer counts.
  assert.equal(await storedBytes(accountId), 17n);
  const [address] = await db.database.query('select 1 from project_addresses where id = $1', [project.ids.project]);
  assert.ok(address, 'The ledger can still name the project.');
});

test('a removal that is cut off anywhere goes on from there', async () => {
  const { project } = await filled();
  await markDeleted(project);
  // Fails at every object once, as if the process had died there.
  const failed = new Set<string>();
  const remove = async (key: string) => {
    await objects.remove(key);
    if (failed.has(key)) return;
    failed.add(key);
    throw new Error('The process dies here.');
  };
  let runs = 0;
  for (; (await rowsOf(project)).get('all_projects.id') === 1; runs++) {
    assert.ok(runs < 50, 'It makes progress.');
    await removal({ remove }).runAll();
    await makeDue(project);
  }
  assert.ok(runs > project.objects.length);
  const left = [...(await rowsOf(project))].filter(([, rows]) => rows > 0).map(([name]) => name);
  assert.deepEqual(left, ['request_log.project_id']);
  assert.deepEqual(await areThere(project), [false, false, false, false, false]);
});

test('several servers that remove at the same time remove everything once', async () => {
  const all = await Promise.all([filled(), filled(), filled()]);
  for (const { project } of all) await markDeleted(project);
  warnings.length = 0;
  await Promise.all(Array.from({ length: 4 }, () => removal().runAll()));
  assert.deepEqual(warnings, []);
  for (const { project } of all) assert.equal((await rowsOf(project)).get('all_projects.id'), 0);
});

test('what versions are made of is deleted with its project only', async () => {
  const { project } = await filled();
  const { dataset } = project.ids;
  for (const table of ['examples', 'example_contents', 'dataset_versions'])
    await assert.rejects(db.database.query(`delete from ${table} where dataset_id = $1`, [dataset]), /never changes/);
});

test('a dataset with examples or events, and a job with a log, are not deleted before these', async () => {
  const { project } = await filled();
  const { dataset, job } = project.ids;
  await markDeleted(project);
  for (const [table, id] of [
    ['datasets', dataset],
    ['training_jobs', job],
  ])
    await assert.rejects(db.database.query(`delete from ${table} where id = $1`, [id]), { code: '23503' });
});

test('an answer that is being made keeps its chat, and so the project, until it has ended', async () => {
  const { project } = await filled();
  const { message } = project.ids;
  await db.database.query(
    `update chat_messages set state = 'streaming', lease_until = now() + interval '1 minute' where id = $1`,
    [message],
  );
  await markDeleted(project);
  await removal().runAll();
  const rows = await rowsOf(project);
  assert.deepEqual([rows.get('chat_messages.chat_id'), rows.get('all_projects.id')], [1, 1]);
  await db.database.query(`update chat_messages set state = 'complete', lease_until = null where id = $1`, [message]);
  await makeDue(project);
  await removal().runAll();
  assert.equal((await rowsOf(project)).get('all_projects.id'), 0);
});
