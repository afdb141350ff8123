import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { startMs } from './admission.ts';

test('a request starts as soon as a place is free', () => {
  assert.equal(startMs([], 1), 0);
  assert.equal(startMs([5], 2), 0);
  assert.equal(startMs([5, 3], 2), 3);
  assert.equal(startMs([5, 3, 4, 1], 2), 6);
  assert.equal(startMs([100, 1, 1, 1, 1], 2), 4);
});

test('it is never later than the work ahead allows, and never earlier than all places together can do it', () => {
  const property = fc.property(fc.array(fc.nat(1_000)), fc.integer({ min: 1, max: 9 }), (ahead, places) => {
    const sum = ahead.reduce((total, ms) => total + ms, 0);
    const startsMs = startMs(ahead, places);
    assert.ok(startsMs * places <= sum);
    assert.ok(startsMs >= (sum - (places - 1) * Math.max(0, ...ahead)) / places - 1e-6);
  });
  fc.assert(property);
});
