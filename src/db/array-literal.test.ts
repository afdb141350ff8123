import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileDatabase } from '#test/file-database.ts';
import { arrayLiteral } from './array-literal.ts';

const database = fileDatabase({ maxConnections: 1 });

test('PostgreSQL reads lists as they were sent, whatever stands in them', async () => {
  const texts = ['', 'NULL', 'a', '"', '\\', '\\"', '{,}', ' a b ', "'", 'é😀', 'line\nline', null];
  const bigints = [0n, -1n, 9_223_372_036_854_775_807n, null];
  const numbers = [0, -0.5, 1e21, Number.NaN, Number.POSITIVE_INFINITY];
  const rows = await database().query(
    'select $1::text[] as texts, $2::bigint[]::text[] as bigints, $3::float8[] as numbers, $4::text[] as none',
    [texts, bigints, numbers, []],
  );
  assert.deepEqual(rows, [{ texts, bigints: bigints.map((each) => each?.toString() ?? null), numbers, none: [] }]);
});

test('other lists are left to the driver', async () => {
  const when = new Date('2026-11-22T05:00:00.123Z');
  for (const list of [[when], [Buffer.from('a')], [['a'], ['b']], [true], [{ a: 1 }]])
    assert.equal(arrayLiteral(list), null);
  const rows = await database().query(
    'select $1::timestamptz[] as times, $2::text[] as nested, $3::boolean[] as flags',
    [[when], [['a'], ['b']], [true, false]],
  );
  assert.deepEqual(rows, [{ times: [when], nested: [['a'], ['b']], flags: [true, false] }]);
});
