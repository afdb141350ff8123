import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurns } from './turns.ts';

/** Work that ends when it is told to. */
function createWork() {
  const started: number[] = [];
  const ends = new Map<number, PromiseWithResolvers<number>>();
  const work = (id: number) => () => {
    const end = Promise.withResolvers<number>();
    started.push(id);
    ends.set(id, end);
    return end.promise;
  };
  return {
    started,
    work,
    end: (id: number) => ends.get(id)?.resolve(id),
    fail: (id: number) => ends.get(id)?.reject(new Error(`${id}`)),
  };
}

test('no more work runs than may, and what waits begins in the order in which it came', async () => {
  const { started, work, end } = createWork();
  const inTurn = createTurns({ running: 2 });
  const all = [1, 2, 3, 4].map((id) => inTurn(work(id)));
  await nextTurn();
  assert.deepEqual(started, [1, 2]);
  end(2);
  await nextTurn();
  assert.deepEqual(started, [1, 2, 3]);
  end(1);
  await nextTurn();
  assert.deepEqual(started, [1, 2, 3, 4]);
  end(3);
  end(4);
  assert.deepEqual(await Promise.all(all), [1, 2, 3, 4]);
});

test('work that fails gives its place away', async () => {
  const { started, work, end, fail } = createWork();
  const inTurn = createTurns({ running: 1 });
  const first = inTurn(work(1));
  const second = inTurn(work(2));
  await nextTurn();
  fail(1);
  await assert.rejects(first, /1/);
  await nextTurn();
  assert.deepEqual(started, [1, 2]);
  end(2);
  assert.equal(await second, 2);
});

test('work that would wait can be refused, and takes no place then', async () => {
  const { started, work, end } = createWork();
  const full = new Error('full');
  const inTurn = createTurns({
    running: 1,
    onWait: (waiting) => {
      if (waiting >= 1) throw full;
    },
  });
  const first = inTurn(work(1));
  const second = inTurn(work(2));
  await assert.rejects(inTurn(work(3)), full);
  end(1);
  await nextTurn();
  end(2);
  assert.deepEqual(await Promise.all([first, second]), [1, 2]);
  assert.deepEqual(started, [1, 2]);
});
