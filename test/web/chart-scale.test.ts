import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { logTicksBetween, ticksBetween } from '../../web/src/charts/scale.ts';

const value = fc.integer({ min: -6_000, max: 4_000 }).map((thousandths) => thousandths / 1_000);

test('ticks of both scales ascend, enclose the values and stay few', () => {
  fc.assert(
    fc.property(value, value, (one, other) => {
      const [min, max] = [Math.min(one, other), Math.max(one, other)];
      for (const ticks of [ticksBetween(min, max), logTicksBetween(min, max)]) {
        assert.ok(ticks.length >= 2 && ticks.length <= 12, `${ticks}`);
        assert.deepEqual(
          ticks,
          ticks.toSorted((a, b) => a - b),
        );
        assert.ok((ticks[0] ?? 0) <= min + 1e-6 && (ticks.at(-1) ?? 0) >= max - 1e-6, `${ticks} of ${min} to ${max}`);
      }
    }),
  );
});

test('a logarithmic scale has round numbers', () => {
  const of = (least: number, greatest: number) =>
    logTicksBetween(Math.log10(least), Math.log10(greatest)).map((tick) => Number((10 ** tick).toPrecision(6)));
  assert.deepEqual(of(0.05, 6.4), [0.03, 0.1, 0.3, 1, 3, 10]);
  assert.deepEqual(of(0.3, 1.9), [0.2, 0.5, 1, 2]);
  assert.deepEqual(of(1e-6, 900), [1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 10, 100, 1_000]);
});
