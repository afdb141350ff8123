import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/database.ts';
import { openDatabase } from './database.ts';
import { constraintOf, isUnavailable, sqlState } from './sqlstate.ts';

test('a prepared statement', async (t) => {
  const { url, drop } = await createTestDatabase();
  // One connection: every run meets what the one before has left there.
  const database = await openDatabase({ url, maxConnections: 1 });
  t.after(async () => {
    await database.close();
    await drop();
  });

  await t.test('gives at every run what the same statement gives without a name', async () => {
    const text = `select $1::text as a, $2::int8 as b, $3::boolean as c, $4::text[] as d, $5::float8 as e, n,
                         now() - now() as f, '2026-05-01T12:00:00.123Z'::timestamptz as g, '\\x00ff'::bytea as h,
                         null::int as i, array[1, 2]::bigint[] as j, $2::numeric as k
                    from generate_series(1, $6::int) n`;
    const lists = [['a', null, '{"x": "\\\\"}', 'ü'], [], ['NULL', '', ' ']];
    for (const [run, list] of lists.entries()) {
      const values = [`"ü😀\n\\${run}'`, 2n ** 62n + BigInt(run), run === 1, list, run / 3, 3 - run];
      const named = await database.query(text, values, { name: 'all_kinds' });
      assert.deepEqual(named, await database.query(text, values));
      assert.equal(named.length, 3 - run);
    }
    assert.deepEqual(await database.query('select $1::text as a', [undefined], { name: 'null_only' }), [{ a: null }]);
    assert.deepEqual(await database.query('select 1 as a', [], { name: 'no_values' }), [{ a: 1 }]);
  });

  await t.test('takes values that only the driver can write, before and after others', async () => {
    const run = (value: unknown) => database.query('select $1::bytea as a', [value], { name: 'bytes' });
    const bytes = Buffer.from([0, 255]);
    for (const value of [bytes, '\\x00ff', bytes, '\\x00ff']) assert.deepEqual(await run(value), [{ a: bytes }]);
  });

  await t.test('without a result gives no rows', async () => {
    await database.query('create table written (n int primary key)');
    const write = (n: number) => database.query('insert into written values ($1)', [n], { name: 'write' });
    for (const n of [1, 2, 3]) assert.deepEqual(await write(n), []);
    assert.deepEqual(await database.query('select count(*)::int as n from written'), [{ n: 3 }]);
  });

  await t.test('that fails leaves the connection and its later runs as they were', async () => {
    await database.query('create table rules (n int constraint small check (n < 10))');
    const write = (n: unknown) => database.query('insert into rules values ($1) returning n', [n], { name: 'rules' });
    for (let round = 0; round < 2; round += 1) {
      await assert.rejects(write('no number'), (error) => sqlState(error) === '22P02' && !isUnavailable(error));
      await assert.rejects(write(10), (error) => constraintOf(error) === 'small');
      assert.deepEqual(await write(round), [{ n: round }]);
    }
    const trouble: unknown = await write(10).catch((error: unknown) => error);
    assert(trouble instanceof Error && trouble.stack?.includes('rowsOf'), 'its stack leads to the statement');
    const broken = () => database.query('select nothing', [], { name: 'broken' });
    for (let round = 0; round < 2; round += 1) await assert.rejects(broken(), (error) => sqlState(error) === '42703');
    assert.deepEqual(await write(5), [{ n: 5 }]);
  });

  await t.test('whose result has changed is refused and not misread', async () => {
    await database.query('create table changing (a int, b text)');
    await database.query(`insert into changing values (1, 'one')`);
    const read = () => database.query('select * from changing', [], { name: 'changing' });
    for (let round = 0; round < 2; round += 1) assert.deepEqual(await read(), [{ a: 1, b: 'one' }]);
    await database.query('alter table changing drop column a, add column a text');
    await assert.rejects(read(), (error) => sqlState(error) === '0A000');
  });

  await t.test('is read once in a transaction that fails, and again behind it', async () => {
    const name = 'in_transaction';
    const read = (sql: Pick<typeof database, 'query'>) => sql.query('select $1::int as n', [1], { name });
    const failing = database.transaction(async (tx) => {
      assert.deepEqual(await read(tx), [{ n: 1 }]);
      await tx.query('select 1 / 0');
    });
    await assert.rejects(failing, (error) => sqlState(error) === '22012');
    assert.deepEqual(await read(database), [{ n: 1 }]);
    const plans = await database.query('select 1 as once from pg_prepared_statements where name = $1', [name]);
    assert.deepEqual(plans, [{ once: 1 }]);
  });

  await t.test('that takes too long is given up with 503, and works again', async () => {
    const wait = (seconds: number) =>
      database.query('select pg_sleep($1)::text as a', [seconds], { name: 'wait', timeoutMs: 300 });
    await assert.rejects(wait(60), isUnavailable);
    assert.deepEqual(await database.query('select $1::int as a', [7], { name: 'after' }), [{ a: 7 }]);
  });

  await t.test('with the name of another one is refused', async () => {
    await database.query('select 1 as a', [], { name: 'taken' });
    await assert.rejects(database.query('select 2 as a', [], { name: 'taken' }));
    assert.deepEqual(await database.query('select 1 as a', [], { name: 'taken' }), [{ a: 1 }]);
  });
});
