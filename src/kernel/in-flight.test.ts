import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInFlight } from './in-flight.ts';

test('it is over when all has settled, however, and also what began meanwhile', async () => {
  const inFlight = createInFlight();
  await inFlight.drained();
  const [first, second, third] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const seen: string[] = [];
  const tracked = [first, second].map((each) => inFlight.track(each?.promise ?? Promise.reject()));
  const both = [inFlight.drained(), inFlight.drained()].map((over) => over.then(() => seen.push('over')));
  first?.resolve();
  await tracked[0];
  void inFlight.track(third?.promise ?? Promise.reject());
  second?.reject(new Error('gone'));
  await assert.rejects(tracked[1] ?? Promise.resolve(), /gone/);
  assert.equal(inFlight.count(), 1);
  assert.deepEqual(seen, []);
  third?.resolve();
  await Promise.all(both);
  assert.deepEqual(seen, ['over', 'over']);
  assert.equal(inFlight.count(), 0);
});

test('what begins when something ends is waited for, too', async () => {
  const inFlight = createInFlight();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  void inFlight.track(first.promise).then(() => inFlight.track(second.promise));
  let isOver = false;
  const over = inFlight.drained().then(() => (isOver = true));
  first.resolve();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(isOver, false);
  second.resolve();
  await over;
});
