import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { pageOf, readPage } from './paging.ts';

test('a page has 25 rows by default and 1 to 100 on request', () => {
  assert.deepEqual(readPage({}), { limit: 25, cursor: null });
  assert.deepEqual(readPage(undefined), { limit: 25, cursor: null });
  assert.deepEqual(readPage({ limit: '1', cursor: 'a.b' }), { limit: 1, cursor: 'a.b' });
  assert.equal(readPage({ limit: '100' }).limit, 100);
  assert.deepEqual(readPage({ limit: 100, cursor: 'a.b' }), { limit: 100, cursor: 'a.b' });
});

test('every other limit is refused and named', () => {
  for (const limit of [
    '0',
    '101',
    '-1',
    '1.0',
    '1e1',
    '',
    ' 5',
    '0x5',
    'abc',
    '٣',
    '9'.repeat(400),
    ['1', '2'],
    0,
    101,
    1.5,
    Number.NaN,
    null,
  ])
    assert.throws(
      () => readPage({ limit }),
      (error) => error instanceof Fault && error.options.param === 'limit',
    );
});

test('a repeated cursor is no cursor', () => {
  assert.throws(
    () => readPage({ cursor: ['a', 'b'] }),
    (error) => error instanceof Fault && error.fault === 'invalid_cursor',
  );
});

test('the next cursor points behind the last row shown, and only when another row follows', () => {
  const page = (rows: number[]) =>
    pageOf({ rows, limit: 2, totalCount: 9, cursorOf: (row) => `after ${row}`, toWire: (row) => ({ row }) });
  assert.deepEqual(page([1, 2, 3]), { data: [{ row: 1 }, { row: 2 }], next_cursor: 'after 2', total_count: 9 });
  assert.deepEqual(page([1, 2]), { data: [{ row: 1 }, { row: 2 }], next_cursor: null, total_count: 9 });
  assert.deepEqual(page([]), { data: [], next_cursor: null, total_count: 9 });
});
