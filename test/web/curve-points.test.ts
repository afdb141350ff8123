import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { highestOf, isOverfitting, isWide, lowestOf } from '../../web/src/rooms/training/curve-points.ts';

type Point = readonly [step: number, loss: number];

const loss = fc.double({ min: 0.001, max: 20, noNaN: true });
const curve: fc.Arbitrary<Point[]> = fc
  .array(loss, { minLength: 1, maxLength: 12 })
  .map((values) => values.map((value, index): Point => [(index + 1) * 10, value]));

const overfits = (points: readonly Point[]): boolean => {
  const lowest = lowestOf(points);
  assert.ok(lowest);
  return isOverfitting(points, lowest);
};

test('the selected step is the first with the lowest validation loss', () => {
  fc.assert(
    fc.property(curve, (points) => {
      const [step, value] = lowestOf(points) ?? [0, 0];
      for (const [otherStep, other] of points) assert.ok(other > value || (other === value && otherStep >= step));
    }),
  );
  assert.equal(lowestOf([]), undefined);
});

test('a training whose validation loss ends at its lowest does not overfit', () => {
  fc.assert(
    fc.property(curve, (points) => {
      const falling = points.map(([step], index): Point => [step, points.length - index]);
      assert.equal(overfits(falling), false);
      const [, lowest] = lowestOf(points) ?? [0, 0];
      assert.equal(overfits([...points, [1_000, lowest]]), false);
    }),
  );
});

test('a validation loss that rises after its lowest point is overfitting, unless the rise is noise', () => {
  fc.assert(
    fc.property(curve, fc.double({ min: 0, max: 1, noNaN: true }), (points, rise) => {
      const [, lowest] = lowestOf(points) ?? [0, 0];
      fc.pre(Math.abs(rise - 0.02) > 1e-9);
      assert.equal(overfits([...points, [1_000, lowest * (1 + rise)]]), rise > 0.02);
    }),
  );
});

test('overfitting depends on neither the scale of the loss nor the order of the points', () => {
  fc.assert(
    fc.property(curve, fc.constantFrom(0.5, 2, 1_024), (points, factor) => {
      const scaled = points.map(([step, value]): Point => [step, value * factor]);
      assert.equal(overfits(scaled), overfits(points));
      const lowest = lowestOf(points);
      assert.ok(lowest);
      assert.equal(isOverfitting(points.toReversed(), lowest), isOverfitting(points, lowest));
    }),
  );
});

test('of a measure that should be high, the selected step is the first with the highest', () => {
  fc.assert(
    fc.property(curve, (points) => {
      const [step, value] = highestOf(points) ?? [0, 0];
      for (const [otherStep, other] of points) assert.ok(other < value || (other === value && otherStep >= step));
    }),
  );
});

test('only a wide range of values is shown on a logarithmic scale without being asked', () => {
  const of = (...values: number[]) => isWide(values.map((value, index): Point => [index, value]));
  assert.deepEqual([of(2, 0.09), of(2, 0.11), of(3), of(), of(0, 3), of(0)], [true, false, false, false, false, false]);
});
