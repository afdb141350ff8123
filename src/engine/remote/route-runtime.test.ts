import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CircuitBreaker, type RouteCandidate, rankRoutes } from './route-runtime.ts';

const call = { baseModelId: 'big', adapter: null, scope: 'ada', prefix: 'p', tokens: 1, tried: new Set<never>() };
const candidate = (
  id: string,
  { isOpen = true, weight = 1, ...more }: Partial<RouteCandidate> & { isOpen?: boolean; weight?: number } = {},
): RouteCandidate => ({
  route: { id, weight },
  calls: new Set(),
  outstandingTokens: 0,
  hasCapacity: true,
  lastCallFailed: false,
  mayTake: () => isOpen,
  hasPrefix: () => false,
  hasAdapter: () => false,
  ...more,
});
const ids = (candidates: readonly RouteCandidate[]) => rankRoutes(candidates, call).map(({ route }) => route.id);

test('the route with the least work for its weight is first; full, draining and broken ones take nothing', () => {
  assert.deepEqual(
    ids([
      candidate('a', { outstandingTokens: 900 }),
      candidate('b', { outstandingTokens: 1_000, weight: 2 }),
      candidate('full', { hasCapacity: false }),
      candidate('draining or down', { isOpen: false }),
    ]),
    ['b', 'a'],
  );
});

test('a route whose last answer was none is asked when no other takes the call', () => {
  const busy = candidate('busy', { outstandingTokens: 9_000 });
  assert.deepEqual(ids([candidate('failing', { lastCallFailed: true, hasPrefix: () => true }), busy]), [
    'busy',
    'failing',
  ]);
});

test('a route that knows the beginning of the prompt is first unless it is far busier', () => {
  assert.deepEqual(ids([candidate('a'), candidate('b', { hasPrefix: () => true, outstandingTokens: 2_000 })]), [
    'b',
    'a',
  ]);
  assert.deepEqual(ids([candidate('a'), candidate('b', { hasPrefix: () => true, outstandingTokens: 9_000 })]), [
    'a',
    'b',
  ]);
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
