import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUnderWay } from './under-way.ts';

test('it is over when all has settled, however, and also what began meanwhile', async () => {
  const underWay = createUnderWay();
  await underWay.over();
  const [first, second, third] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const seen: string[] = [];
  const tracked = [first, second].map((each) => underWay.track(each?.promise ?? Promise.reject()));
  const both = [underWay.over(), underWay.over()].map((over) => over.then(() => seen.push('over')));
  first?.resolve();
  await tracked[0];
  void underWay.track(third?.promise ?? Promise.reject());
  second?.reject(new Error('gone'));
  await assert.rejects(tracked[1] ?? Promise.resolve(), /gone/);
  assert.equal(underWay.count(), 1);
  assert.deepEqual(seen, []);
  third?.resolve();
  await Promise.all(both);
  assert.deepEqual(seen, ['over', 'over']);
  assert.equal(underWay.count(), 0);
});

test('what begins when something ends is waited for, too', async () => {
  const underWay = createUnderWay();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  void underWay.track(first.promise).then(() => underWay.track(second.promise));
  let isOver = false;
  const over = underWay.over().then(() => (isOver = true));
  first.resolve();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(isOver, false);
  second.resolve();
  await over;
});
