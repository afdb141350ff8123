import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failed, isTried, succeeded, trying, upBreaker } from './breaker.ts';
import { type Candidate, rankRoutes } from './choose-route.ts';

const route = (id: string, more: Partial<Candidate> = {}): Candidate => ({
  ...{ id, weight: 1, capacity: 4, calls: 0, outstandingTokens: 0, isUp: true, isDoubtful: false, draining: false },
  ...{ knowsPrefix: false, hasAdapter: false },
  ...more,
});
const ids = (candidates: readonly Candidate[]) => rankRoutes(candidates).map(({ id }) => id);

test('the route with the least work for its weight is first; full, draining and broken ones take nothing', () => {
  assert.deepEqual(
    ids([
      route('a', { outstandingTokens: 900 }),
      route('b', { outstandingTokens: 1_000, weight: 2 }),
      route('full', { calls: 4 }),
      route('draining', { draining: true }),
      route('down', { isUp: false }),
    ]),
    ['b', 'a'],
  );
});

test('a route whose last answer was none is asked when no other takes the call', () => {
  const busy = route('busy', { outstandingTokens: 9_000 });
  assert.deepEqual(ids([route('doubtful', { isDoubtful: true, knowsPrefix: true }), busy]), ['busy', 'doubtful']);
});

test('a route that knows the beginning of the prompt is first unless it is far busier', () => {
  assert.deepEqual(ids([route('a'), route('b', { knowsPrefix: true, outstandingTokens: 2_000 })]), ['b', 'a']);
  assert.deepEqual(ids([route('a'), route('b', { knowsPrefix: true, outstandingTokens: 9_000 })]), ['a', 'b']);
});

test('a route is left out after three failures in a row, tried by one call at a time later, and back with the first success', () => {
  let breaker = upBreaker;
  for (const left of [true, true, false]) {
    breaker = failed(breaker, { nowMs: 0, error: 'refused' });
    assert.equal(isTried(breaker, 0), left);
  }
  assert.equal(isTried(breaker, 1_000), true);
  breaker = trying(breaker, 1_000);
  assert.equal(isTried(breaker, 1_000), false, 'another waits for what becomes of the first');
  breaker = failed(breaker, { nowMs: 1_100, error: 'refused' });
  assert.equal(isTried(breaker, 2_500), false, 'pauses grow');
  assert.equal(isTried(breaker, 3_100), true);
  assert.equal(isTried(succeeded(), 0), true);
});
