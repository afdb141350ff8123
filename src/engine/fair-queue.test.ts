import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue, runningByScope } from './fair-queue.ts';

type Request = { id: number; scope: string };

const queueOf = (requests: readonly Request[]): FairQueue<Request> => {
  const queue = new FairQueue<Request>();
  for (const request of requests) queue.push(request);
  return queue;
};
const of = (scope: string, count: number): Request[] => Array.from({ length: count }, (_, id) => ({ id, scope }));

test('a scope whose requests have queued for long has its turn now and then, and never goes before another with all of them', () => {
  const queue = queueOf(of('flood', 60));
  const running = runningByScope(of('flood', 7));
  let floods = 0;
  for (let call = 0; call < 200; call++) {
    queue.push({ id: 1_000 + call, scope: 'other' });
    let before = 0;
    while (queue.shift(running)?.scope === 'flood') before += 1;
    assert.ok(before <= 1, `${before} went before call ${call}`);
    floods += before;
  }
  assert.ok(floods >= 5, `${floods} of the flood had a turn`);
});

test('where two scopes flood, neither the late ones of one nor those of the other keep a third out', () => {
  const queue = queueOf([...of('a', 40), ...of('b', 40)]);
  const running = runningByScope([...of('a', 4), ...of('b', 3)]);
  const taken: string[] = [];
  for (let call = 0; call < 100; call++) {
    queue.push({ id: 1_000 + call, scope: 'other' });
    let before = 0;
    for (let scope = queue.shift(running)?.scope; scope !== 'other'; scope = queue.shift(running)?.scope) {
      before += 1;
      taken.push(scope ?? assert.fail());
    }
    assert.ok(before <= 2, `${before} went before call ${call}`);
  }
  assert.deepEqual([...new Set(taken)].sort(), ['a', 'b']);
});

test('a request that may not begin yet keeps nobody behind it waiting, and is the next one once it may', () => {
  const queue = queueOf([{ id: 1, scope: 'a' }, ...of('b', 3).map(({ scope, id }) => ({ scope, id: id + 2 }))]);
  const idle = () => 0;
  assert.equal(queue.shift(idle, ({ id }) => id !== 1)?.id, 2);
  assert.equal(
    queue.shift(idle, () => false),
    null,
  );
  assert.equal(queue.shift(idle)?.id, 1);
  assert.equal(queue.size, 2);
});
