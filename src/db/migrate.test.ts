import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestDatabase } from '#test/database.ts';
import { openDatabase } from './database.ts';
import { migrate, migrationFolder } from './migrate.ts';

const second = '--! compatible\ninsert into first values (2);';

test('migrations', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-migrations-'));
  t.after(() => rm(folder, { recursive: true }));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const emptyDatabase = async () => {
    await database.query('drop schema public cascade');
    await database.query('create schema public');
  };

  await t.test('every released file has been applied once to a fresh database', async () => {
    const names = (await readdir(migrationFolder)).sort();
    const rows = await database.query<{ name: string }>('select name from schema_migrations order by version');
    assert.deepEqual(
      rows.map(({ name }) => name),
      names,
    );
  });

  await t.test('run once when many replicas start together', async () => {
    await emptyDatabase();
    await write('0001_first.sql', '--! compatible\ncreate table first (n int);');
    await write('0002_second.sql', second);
    await Promise.all(Array.from({ length: 6 }, () => migrate(database, folder)));
    assert.deepEqual(await database.query('select n from first'), [{ n: 2 }]);
  });

  await t.test('leave nothing behind when one of them fails', async () => {
    await write('0003_third.sql', '--! compatible\ncreate table third (n int);');
    await write('0004_broken.sql', '--! compatible\ncreate table fourth (n nonsense);');
    await assert.rejects(migrate(database, folder), { code: '42704' });
    assert.deepEqual(await database.query(`select to_regclass('third')::text as third`), [{ third: null }]);
  });

  await t.test('of a newer release are accepted when compatible and refused when breaking', async () => {
    await rm(join(folder, '0003_third.sql'));
    await rm(join(folder, '0004_broken.sql'));
    const insert = 'insert into schema_migrations (version, name, breaking, digest) values ($1, $2, $3, $2)';
    await database.query(insert, [3, '0003_newer.sql', false]);
    await migrate(database, folder);
    await database.query(insert, [4, '0004_newer.sql', true]);
    await assert.rejects(migrate(database, folder), { name: 'OperatorError', message: /0004_newer\.sql/ });
  });

  await t.test('of which another text was applied are refused', async () => {
    await database.query('delete from schema_migrations where version = 4');
    await write('0002_second.sql', '--! compatible\ninsert into first values (3);');
    await assert.rejects(migrate(database, folder), {
      name: 'OperatorError',
      message: /another text .*0002_second\.sql/,
    });
    await write('0002_second.sql', second);
  });

  await t.test('without the first line or with a number that is taken are refused', async () => {
    await write('0003_silent.sql', 'select 1;');
    await assert.rejects(migrate(database, folder), /the first line must be/);
    await rm(join(folder, '0003_silent.sql'));
    await write('0002_twice.sql', '--! compatible\nselect 1;');
    await assert.rejects(migrate(database, folder), /its number is taken/);
  });

  await t.test('of a database of another program are refused in one line and change nothing', async () => {
    await emptyDatabase();
    const refused = {
      name: 'OperatorError',
      message: /^The database holds something of another program \(.+\)\. Give/,
    };
    await database.query('create table accounts (n int)');
    await assert.rejects(migrate(database), refused);
    assert.deepEqual(await database.query(`select to_regclass('schema_migrations')::text as made`), [{ made: null }]);
    await emptyDatabase();
    await database.query('create table schema_migrations (version text primary key)');
    await assert.rejects(migrate(database), refused);
    const columns = `select column_name as name from information_schema.columns where table_name = 'schema_migrations'`;
    assert.deepEqual(await database.query(columns), [{ name: 'version' }]);
    await emptyDatabase();
    await migrate(database);
  });

  await t.test('of a user who may not make tables are refused, and it is said what is missing', async (t) => {
    await emptyDatabase();
    await database.query('revoke create on schema public from current_user');
    t.after(emptyDatabase);
    await assert.rejects(migrate(database), {
      name: 'OperatorError',
      message: /^The database user may not make tables \(permission denied for schema public\)\. Let it own/,
    });
  });

  await t.test('of a user whose search_path leads nowhere are refused in one line', async (t) => {
    const url = new URL(database.url);
    url.searchParams.set('options', '-c search_path=nowhere');
    const lost = await openDatabase({ url: url.href, maxConnections: 1 });
    t.after(lost.close);
    await assert.rejects(migrate(lost), { name: 'OperatorError', message: /^The search_path of .+ names no schema/ });
  });

  await t.test('that can only be read are refused in one line', async (t) => {
    const url = new URL(database.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const reader = await openDatabase({ url: url.href, maxConnections: 1 });
    t.after(reader.close);
    await assert.rejects(migrate(reader), { name: 'OperatorError', message: /^The database takes no changes: / });
  });
});
