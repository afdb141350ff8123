import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nativeSeed, samplerConfig } from './sampler.ts';

const sampling = {
  maxTokens: 100,
  temperature: 0.7,
  topP: 0.9,
  presencePenalty: 0,
  frequencyPenalty: 0,
  seed: 5,
  stop: [],
};

test('temperature 0 and top-p 0 both draw the most likely token', () => {
  assert.deepEqual(samplerConfig({ ...sampling, temperature: 0 }, 1), { temperature: 0, seed: 5 });
  assert.deepEqual(samplerConfig({ ...sampling, topP: 0 }, 1), { temperature: 0, seed: 5 });
});

test('what does nothing is left out, so that it costs nothing', () => {
  assert.deepEqual(samplerConfig(sampling, 1), { temperature: 0.7, topP: 0.9, seed: 5 });
  assert.deepEqual(samplerConfig({ ...sampling, topP: 1, seed: null }, 9), { temperature: 0.7, seed: 9 });
});

test('penalties see every token of the longest possible text', () => {
  const config = samplerConfig({ ...sampling, presencePenalty: -1 }, 1);
  assert.deepEqual([config.repeatPenaltyMaxTokens, config.repeatPenaltyPresencePenalty], [100, -1]);
});

test('every seed maps to a native one, never to the value that means "draw one"', () => {
  const seeds = [0, 1, -1, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, -(2 ** 53) + 1];
  const native = seeds.map(nativeSeed);
  for (const seed of native) assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 0xffffffff);
  assert.deepEqual(native.slice(0, 2), [0, 1]);
  assert.notEqual(nativeSeed(2 ** 32 + 5), nativeSeed(5));
});
