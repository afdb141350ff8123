import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { backOffMs, guessThroughput, longestStepMs, remainingLoadMs, retryAfterSeconds } from './timing.ts';

test('Retry-After is whole seconds from 1 to 59, whatever the wait', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), (waitMs) => {
      const seconds = retryAfterSeconds(waitMs);
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 59);
    }),
  );
  assert.deepEqual([0, 1_000, 1_001, 30_000, 1e9].map(retryAfterSeconds), [1, 1, 2, 30, 59]);
});

test('a load that is late is expected to take half as long again', () => {
  assert.equal(remainingLoadMs(4_000, 1_000), 3_000);
  assert.equal(remainingLoadMs(4_000, 10_000), 5_000);
});

test('back-off doubles from the first delay up to 30 seconds', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((failures) => backOffMs(failures, 250)),
    [0, 250, 500, 1_000, 2_000],
  );
  assert.equal(backOffMs(1_000, 250), 30_000);
});

test('the guessed throughput of a 0.6B model at 8 bits is within a factor of 2 of a measured one', () => {
  // Measured on two cores: 43 tokens a second decoding, 210 prefilling.
  const { prefillMsPerToken, decodeMsPerToken } = guessThroughput(640e6);
  assert.ok(decodeMsPerToken > 23 && decodeMsPerToken < 46);
  assert.ok(prefillMsPerToken > 4.8 && prefillMsPerToken < 9.6);
});

test('a step may take 20 times its expected time before the child counts as hung', () => {
  assert.equal(longestStepMs({ prefillMsPerToken: 20, decodeMsPerToken: 100 }, 512, 60_000), 204_800);
  assert.equal(longestStepMs({ prefillMsPerToken: 0.1, decodeMsPerToken: 0.5 }, 512, 60_000), 60_000);
});
