import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { createCountLimit } from './count-limit.ts';

test('an account has so many prompts counted at once and more as time goes by, and none of another one', () => {
  let nowMs = 0;
  const limit = createCountLimit({ nowMs: () => nowMs, monotonicMs: () => nowMs });
  for (let count = 0; count < 120; count++) limit.take('acc_1');
  const refused = (error: unknown) =>
    error instanceof Fault && error.row.status === 429 && error.options.retryAfterSeconds === 1;
  assert.throws(() => limit.take('acc_1'), refused);
  limit.take('acc_2');
  nowMs += 1_000;
  for (let count = 0; count < 10; count++) limit.take('acc_1');
  assert.throws(() => limit.take('acc_1'), refused);
  nowMs += 3_600_000;
  for (let count = 0; count < 120; count++) limit.take('acc_1');
  assert.throws(() => limit.take('acc_1'), refused);
});
