import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, OperatorError } from '#kernel';
import { createTestDatabase, dropDatabase } from '#test/database.ts';
import { openDatabase } from './database.ts';
import { constraintOf, isUnavailable, sqlState } from './sqlstate.ts';

const isServiceUnavailable = (error: unknown) => error instanceof Fault && error.fault === 'service_unavailable';

test('whatever keeps a running server from a new connection is 503: nothing was asked, and it is mended elsewhere', async () => {
  const { url, drop } = await createTestDatabase();
  const server = await openDatabase({ url, maxConnections: 1 });
  // A password that is changed is refused in the same way: with an answer, where the network would have none.
  await drop();
  for (const work of [
    () => server.query('select 1'),
    () => server.query('select 1'),
    () => server.transaction((tx) => tx.query('select 1')),
  ])
    await assert.rejects(work(), isServiceUnavailable);
  await server.close();
});

test('a database', async (t) => {
  const { database, url, drop } = await createTestDatabase();
  t.after(drop);

  await t.test('reads int8 as bigint, timestamptz as Date, bytea as Buffer, and writes all three', async () => {
    const micro = 9_007_199_254_740_993n;
    const stamp = new Date('2026-05-01T12:00:00.123Z');
    const bytes = Buffer.from([0, 255, 10]);
    const rows = await database.query('select $1::int8 as a, $2::timestamptz as b, $3::bytea as c, $4::bytea[] as d', [
      micro,
      stamp,
      bytes,
      [bytes, bytes],
    ]);
    assert.deepEqual(rows, [{ a: micro, b: stamp, c: bytes, d: [bytes, bytes] }]);
  });

  await t.test('plans a named statement once per connection', async () => {
    const name = 'guarantee_planned_once';
    for (let i = 0; i < 5; i++) await database.query('select $1::int as n', [i], { name });
    const rows = await database.query(
      'select calls from (select generic_plans + custom_plans as calls from pg_prepared_statements where name = $1) s',
      [name],
    );
    assert.deepEqual(rows, [{ calls: 5n }]);
  });

  await t.test('keeps what a transaction did only when its work succeeds', async () => {
    await database.query('create table kept (n int primary key)');
    await database.transaction((tx) => tx.query('insert into kept values (1)'));
    const work = database.transaction(async (tx) => {
      await tx.query('insert into kept values (2)');
      throw new Error('no');
    });
    await assert.rejects(work, /^Error: no$/);
    assert.deepEqual(await database.query('select n from kept'), [{ n: 1 }]);
  });

  await t.test('never reports a transaction as committed that PostgreSQL rolled back', async () => {
    const work = database.transaction(async (tx) => {
      await tx.query('insert into kept values (3)');
      await tx.query('insert into kept values (1)').catch(() => {});
    });
    await assert.rejects(work, /nothing was committed/);
    assert.deepEqual(await database.query('select n from kept'), [{ n: 1 }]);
  });

  await t.test('copies rows within a transaction, and after a refused copy the connection goes on', async () => {
    const text = 'copy kept (n) from stdin';
    await database.transaction(async (tx) => {
      await tx.copy(text, [Buffer.from('11\n1'), Buffer.from('2\n')]);
      await tx.query('savepoint before');
      const refused = await tx.copy(text, [Buffer.from('13\nno\n'), Buffer.alloc(3_000_000, '14\n')]).catch(sqlState);
      assert.equal(refused, '22P02');
      await tx.query('rollback to savepoint before');
      await tx.copy(text, []);
    });
    const work = database.transaction(async (tx) => {
      await tx.copy(text, [Buffer.from('15\n')]);
      await tx.copy(text, [Buffer.from('11\n')]);
    });
    await assert.rejects(work, (error) => constraintOf(error) === 'kept_pkey');
    assert.deepEqual(await database.query('select n from kept order by n'), [{ n: 1 }, { n: 11 }, { n: 12 }]);
    await database.query('delete from kept where n > 1');
  });

  await t.test('names the violated constraint, through wrapping errors too', async () => {
    const error: unknown = await database
      .query('insert into kept values (1)')
      .catch((cause) => new Error('x', { cause }));
    assert.equal(constraintOf(error), 'kept_pkey');
    assert.equal(sqlState(error), '23505');
    assert.equal(isUnavailable(error), false);
  });

  await t.test('answers 503 with Retry-After when its connections are cut, and works again by itself', async () => {
    const running = database.query('select pg_sleep(20)');
    const admin = await openDatabase({ url, maxConnections: 1 });
    t.after(() => admin.close());
    const cut = () =>
      admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    const refused = assert.rejects(running, isServiceUnavailable);
    while ((await cut()).length === 0);
    await refused;
    assert.deepEqual(await database.query('select 1 as n'), [{ n: 1 }]);
  });

  await t.test('gives up a statement that takes too long with 503, and works again by itself', async () => {
    const slow = database.query('select pg_sleep(20)', undefined, { timeoutMs: 100 });
    await assert.rejects(slow, isServiceUnavailable);
    assert.deepEqual(await database.query('select 1 as n'), [{ n: 1 }]);
  });

  await t.test('ends a transaction whose process has stopped in its midst, whatever the server is set to', async () => {
    const name = new URL(url).pathname.slice(1);
    await database.query(`alter database ${name} set idle_in_transaction_session_timeout = 0`);
    const later = await openDatabase({ url, maxConnections: 1 });
    const rows = await later.query('show idle_in_transaction_session_timeout');
    await later.close();
    assert.deepEqual(rows, [{ idle_in_transaction_session_timeout: '1min' }]);
  });

  await t.test('reads times and patterns as they are written, whatever the server is set to', async () => {
    const name = new URL(url).pathname.slice(1);
    for (const setting of ["DateStyle = 'German'", 'standard_conforming_strings = off'])
      await database.query(`alter database ${name} set ${setting}`);
    await database.query(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    const later = await openDatabase({ url, maxConnections: 1 });
    const stamp = new Date('2026-05-01T12:00:00.123Z');
    const rows = await later.query(
      `select $1::timestamptz as stamp, 'a\\_' as pattern, current_setting('transaction_isolation') as isolation`,
      [stamp],
    );
    await later.close();
    assert.deepEqual(rows, [{ stamp, pattern: 'a\\_', isolation: 'read committed' }]);
  });

  await t.test('ends no statement that takes or waits longer than people may', async () => {
    const name = new URL(url).pathname.slice(1);
    const bounds = ['statement_timeout', 'lock_timeout', 'idle_session_timeout'];
    for (const bound of bounds) await database.query(`alter database ${name} set ${bound} = '200ms'`);
    const later = await openDatabase({ url, maxConnections: 1 });
    const rows = await later.query('select current_setting(name) as bound from unnest($1::text[]) name', [bounds]);
    await later.close();
    assert.deepEqual(rows, [{ bound: '0' }, { bound: '0' }, { bound: '0' }]);
  });

  await t.test('that ends the connection of a transaction for its length counts as unavailable', async () => {
    const work = database.transaction(async (tx) => {
      await tx.query(`set local transaction_timeout = '50ms'`);
      await tx.query('select pg_sleep(60)');
    });
    await assert.rejects(work, isServiceUnavailable);
  });

  await t.test('that refuses writes counts as unavailable', async () => {
    const work = database.transaction(async (tx) => {
      await tx.query('set transaction read only');
      await tx.query('insert into kept values (4)');
    });
    await assert.rejects(work, isServiceUnavailable);
  });

  await t.test('of another encoding than UTF8 is refused before a text is lost in it', async (t) => {
    const place = new URL(url);
    const name = `${place.pathname.slice(1)}_latin`;
    await database.query(
      `create database ${name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`,
    );
    t.after(() => dropDatabase(database, name));
    place.pathname = name;
    await assert.rejects(openDatabase({ url: place.href, maxConnections: 1 }), {
      name: 'OperatorError',
      message: /^The database has the encoding LATIN1; make one with UTF8: createdb /,
    });
  });

  await t.test('with a wrong password is refused in one line that does not show it', async () => {
    const wrong = new URL(url);
    wrong.password = 'wrong-secret';
    await assert.rejects(openDatabase({ url: wrong.href, maxConnections: 1 }), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /refuses this user or password/);
      assert.doesNotMatch(error.message, /wrong-secret|\n/);
      return true;
    });
  });
});

test('a server that is not there is refused in one line', async () => {
  const nowhere = openDatabase({ url: 'postgres://u:hidden@127.0.0.1:1/x', maxConnections: 1 });
  await assert.rejects(nowhere, {
    name: 'OperatorError',
    message: 'The PostgreSQL server cannot be reached: connect ECONNREFUSED 127.0.0.1:1. (127.0.0.1:1/x)',
  });
  await assert.rejects(openDatabase({ url: 'localhost:5432', maxConnections: 1 }), OperatorError);
});
