import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEndOfTurn } from './turn.ts';

test('all who ask in one turn go on together at its end, after what was scheduled before them', async () => {
  const endOfTurn = createEndOfTurn();
  const order: string[] = [];
  setImmediate(() => order.push('scheduled before'));
  const first = endOfTurn();
  assert.equal(endOfTurn(), first);
  process.nextTick(() => order.push('this turn'));
  await first;
  assert.deepEqual(order, ['this turn', 'scheduled before']);
  const next = endOfTurn();
  assert.notEqual(next, first);
  await next;
});
