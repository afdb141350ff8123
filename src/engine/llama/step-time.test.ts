import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { StepTime } from './step-time.ts';

test('the shares of all requests together are the time of the step, whatever was done for whom', () => {
  const parts = fc.array(fc.record({ ms: fc.integer({ min: 0, max: 1000 }), of: fc.integer({ min: 0, max: 4 }) }));
  const tokens = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(parts, tokens, (done, counts) => {
      let nowMs = 7;
      const time = new StepTime(() => nowMs);
      for (const { ms, of } of done) {
        nowMs += ms;
        if (of === 4) time.shared();
        else time.ownOf(of);
      }
      const all = counts.reduce((sum, count) => sum + count, 0);
      const shares = counts.map((own, id) => time.shareOf(id, { own, all }));
      const sum = shares.reduce((before, share) => before + share, 0);
      assert.ok(Math.abs(sum - (nowMs - 7)) < 1e-6);
      assert.ok(Math.abs(time.totalMs - (nowMs - 7)) < 1e-6);
    }),
  );
});

test('what is done for one request is no part of the share of another', () => {
  let nowMs = 0;
  const time = new StepTime(() => nowMs);
  nowMs += 12;
  time.shared();
  nowMs += 1000;
  time.ownOf(1);
  nowMs += 2;
  time.ownOf(2);
  assert.equal(time.shareOf(1, { own: 1, all: 4 }), 1003);
  assert.equal(time.shareOf(2, { own: 3, all: 4 }), 11);
});
