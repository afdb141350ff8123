import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PaceMeter } from './pace.ts';

test('beside others who write, a prompt has as much of a step as they have, and a few tokens at least', () => {
  const pace = new PaceMeter(() => {});
  assert.equal(pace.fairPrompt, Number.POSITIVE_INFINITY);
  for (let n = 0; n < 50; n += 1) pace.step({ tokens: 4, promptTokens: 0 }, 30);
  assert.equal(pace.fairPrompt, Number.POSITIVE_INFINITY);
  // 128 tokens of a prompt at 2 ms each, beside four others who take 30 ms.
  for (let n = 0; n < 50; n += 1) pace.step({ tokens: 132, promptTokens: 128 }, 30 + 256);
  assert.equal(pace.fairPrompt, 15);
  for (let n = 0; n < 100; n += 1) pace.step({ tokens: 4, promptTokens: 0 }, 1);
  assert.equal(pace.fairPrompt, 8);
});
