import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeathWatch } from './death-watch.ts';

const limits = { deadAfterMs: 15_000, longestGapMs: 6_000 };

test('an instance is dead after fifteen seconds of watched silence, not earlier', () => {
  const watch = createDeathWatch(limits);
  const sighting = { id: 'ins_a', seenAt: '2026-01-01 00:00:00+00' };
  for (const nowMs of [0, 5_000, 10_000]) assert.deepEqual(watch.observe([sighting], nowMs), []);
  assert.deepEqual(watch.observe([sighting], 15_000), [sighting]);
});

test('silence is counted in time, however often somebody looks', () => {
  const watch = createDeathWatch(limits);
  const sighting = { id: 'ins_a', seenAt: '2026-01-01 00:00:00+00' };
  for (let nowMs = 100_000; nowMs < 115_000; nowMs += 100) assert.deepEqual(watch.observe([sighting], nowMs), []);
  assert.deepEqual(watch.observe([sighting], 115_000), [sighting]);
});

test('any change of the life sign is life, also one that goes back in time', () => {
  const watch = createDeathWatch(limits);
  const signs = ['2026-01-01 12:00:00+00', '2025-12-31 12:00:00+00', '2026-01-02 12:00:00+00'];
  for (let step = 0; step < 30; step++) {
    const seenAt = signs[step % signs.length] ?? null;
    assert.deepEqual(watch.observe([{ id: 'ins_a', seenAt }], step * 5_000), []);
  }
});

test('an hour without a view of the database kills nobody who comes back with it', () => {
  const watch = createDeathWatch(limits);
  const frozen = { id: 'ins_a', seenAt: '2026-01-01 00:00:00+00' };
  for (const nowMs of [0, 5_000]) watch.observe([frozen], nowMs);
  assert.deepEqual(watch.observe([frozen], 3_605_000), []);
  assert.deepEqual(watch.observe([{ id: 'ins_a', seenAt: '2026-01-01 01:00:04+00' }], 3_610_000), []);
});

test('holds of an instance that never registered are released too', () => {
  const watch = createDeathWatch(limits);
  const orphan = { id: 'ins_lost', seenAt: null };
  for (const nowMs of [0, 5_000, 10_000]) watch.observe([orphan], nowMs);
  assert.deepEqual(watch.observe([orphan], 15_000), [orphan]);
});

test('an instance that left and returned starts with a clean slate', () => {
  const watch = createDeathWatch(limits);
  const sighting = { id: 'ins_a', seenAt: '2026-01-01 00:00:00+00' };
  for (const nowMs of [0, 5_000, 10_000]) watch.observe([sighting], nowMs);
  watch.observe([], 15_000);
  assert.deepEqual(watch.observe([sighting], 20_000), []);
});
