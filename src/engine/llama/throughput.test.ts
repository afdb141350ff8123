import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThroughputMeter } from './step-time.ts';

test('beside others who write, a prompt has as much of a step as they have, and a few tokens at least', () => {
  const throughput = new ThroughputMeter(() => {});
  assert.equal(throughput.fairPrompt, Number.POSITIVE_INFINITY);
  for (let n = 0; n < 50; n += 1) throughput.step({ tokens: 4, promptTokens: 0 }, 30);
  assert.equal(throughput.fairPrompt, Number.POSITIVE_INFINITY);
  // 128 tokens of a prompt at 2 ms each, beside four others who take 30 ms.
  for (let n = 0; n < 50; n += 1) throughput.step({ tokens: 132, promptTokens: 128 }, 30 + 256);
  assert.equal(throughput.fairPrompt, 15);
  for (let n = 0; n < 100; n += 1) throughput.step({ tokens: 4, promptTokens: 0 }, 1);
  assert.equal(throughput.fairPrompt, 8);
});
