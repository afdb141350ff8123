import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { daysBehind, windowAt, windowNames } from './window.ts';

test('a window is whole hours or days up to the one that runs, without a gap', () => {
  fc.assert(
    fc.property(fc.constantFrom(...windowNames), fc.integer({ min: 0, max: 4_102_444_800_000 }), (name, nowMs) => {
      const { points, grain, since } = windowAt(name, nowMs);
      const stepMs = grain === 'hour' ? 3_600_000 : 86_400_000;
      assert.equal(points.length, { '24h': 24, '7d': 7, '30d': 30 }[name]);
      assert.equal(points[0]?.getTime(), since.getTime());
      for (const [index, point] of points.entries()) assert.equal(point.getTime(), since.getTime() + index * stepMs);
      const last = points.at(-1)?.getTime() ?? 0;
      assert.ok(last <= nowMs && nowMs < last + stepMs && last % stepMs === 0);
    }),
  );
});

test('a pace is measured over the time that the account was there, and over a day at least', () => {
  const nowMs = Date.UTC(2026, 0, 8, 12);
  const window = windowAt('7d', nowMs);
  assert.equal(daysBehind(window, { nowMs, bornAt: new Date(0) }), 6.5);
  assert.equal(daysBehind(window, { nowMs, bornAt: new Date(nowMs - 3 * 86_400_000) }), 3);
  assert.equal(daysBehind(window, { nowMs, bornAt: new Date(nowMs - 60_000) }), 1);
});
