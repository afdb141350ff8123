import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PreparedStore } from './prepared.ts';

test('a prepared prompt can be taken once, unless it was dropped or waited too long', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const store = new PreparedStore<string>(60_000);
  store.put('a', 'first');
  assert.deepEqual([store.take('a'), store.take('a')], ['first', null]);
  store.put('b', 'second');
  store.drop('b');
  assert.equal(store.take('b'), null);
  store.put('c', 'third');
  context.mock.timers.tick(59_999);
  store.put('d', 'fourth');
  context.mock.timers.tick(1);
  assert.deepEqual([store.take('c'), store.take('d'), store.size], [null, 'fourth', 0]);
});
