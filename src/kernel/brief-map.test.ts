import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BriefMap } from './brief-map.ts';

test('it has the same in it as a map, in the same order, whatever is put in and taken out', () => {
  const step = fc.tuple(fc.nat(8), fc.option(fc.nat(99)));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const [brief, plain] = [new BriefMap<number, number>(), new Map<number, number>()];
      for (const [key, value] of steps) {
        assert.equal(brief.get(key), plain.get(key));
        if (value === null) assert.equal(brief.delete(key), plain.get(key));
        if (value === null) plain.delete(key);
        else {
          brief.set(key, value);
          plain.set(key, value);
        }
        assert.equal(brief.size, plain.size);
      }
      assert.deepEqual(brief.entries(), [...plain]);
      assert.deepEqual(brief.values(), [...plain.values()]);
    }),
  );
});
