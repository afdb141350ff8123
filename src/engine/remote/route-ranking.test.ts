import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CircuitBreaker } from './circuit-breaker.ts';
import { type RouteCandidate, rankRoutes } from './route-ranking.ts';

const route = (id: string, more: Partial<RouteCandidate> = {}): RouteCandidate => ({
  id,
  weight: 1,
  capacity: 4,
  calls: 0,
  outstandingTokens: 0,
  isUp: true,
  lastCallFailed: false,
  draining: false,
  knowsPrefix: false,
  hasAdapter: false,
  ...more,
});
const ids = (candidates: readonly RouteCandidate[]) => rankRoutes(candidates).map(({ id }) => id);

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
  assert.deepEqual(ids([route('failing', { lastCallFailed: true, knowsPrefix: true }), busy]), ['busy', 'failing']);
});

test('a route that knows the beginning of the prompt is first unless it is far busier', () => {
  assert.deepEqual(ids([route('a'), route('b', { knowsPrefix: true, outstandingTokens: 2_000 })]), ['b', 'a']);
  assert.deepEqual(ids([route('a'), route('b', { knowsPrefix: true, outstandingTokens: 9_000 })]), ['a', 'b']);
});

test('a route is left out after three failures in a row, tried by one call at a time later, and back with the first success', () => {
  const breaker = new CircuitBreaker();
  for (const isAllowed of [true, true, false]) {
    breaker.fail('refused', 0);
    assert.equal(breaker.allowsCall(0), isAllowed);
  }
  assert.equal(breaker.allowsCall(1_000), true);
  breaker.startCall(1_000);
  assert.equal(breaker.allowsCall(1_000), false, 'other calls wait for the outcome of the trial');
  breaker.fail('refused', 1_100);
  assert.equal(breaker.allowsCall(2_500), false, 'pauses grow');
  assert.equal(breaker.allowsCall(3_100), true);
  breaker.succeed();
  assert.deepEqual([breaker.isClosed, breaker.lastError], [true, null]);
});
