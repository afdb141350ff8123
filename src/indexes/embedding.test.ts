import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fault } from '#kernel';
import { type EmbeddingEngine, type EmbeddingRequest, embedPatiently, giveWay } from './embedding.ts';

const signal = new AbortController().signal;
const request: EmbeddingRequest = {
  embedder: { target: { baseModelId: 'm', adapter: null }, queryInstruction: 'Find', maxInputTokens: 8 },
  role: 'query',
  ...{ texts: ['a', 'b'], truncate: true, signal },
};

/** Answers after some refusals, and remembers what it was asked. */
function engineAfter(refusals: readonly ('model_warming' | 'generation_failed')[]) {
  const left = [...refusals];
  const asked: string[][] = [];
  const engine: EmbeddingEngine = {
    prepareEmbedding: async ({ texts }) => {
      const refusal = left.shift();
      if (refusal) throw fault(refusal, { retryAfterSeconds: 0.001 });
      asked.push(texts);
      return { handle: 'h', inputs: texts.map(() => ({ tokens: 3, truncated: false })), dimensions: 2 };
    },
    embed: async () => ({ vectors: [new Float32Array(2), new Float32Array(2)], promptTokens: 6, activeMs: 1 }),
    release: () => {},
    load: () => ({ running: 0, waiting: 0 }),
    pace: () => ({ prefillMsPerToken: 1, decodeMsPerToken: 1 }),
  };
  return { engine, asked };
}

test('a batch waits for a model that loads, within its patience, and gives up on anything else', async () => {
  const still = { monotonicMs: () => 0 };
  const { engine, asked } = engineAfter(['model_warming', 'model_warming']);
  const { promptTokens } = await embedPatiently(engine, request, { clock: still, forMs: 10 });
  assert.equal(promptTokens, 6);
  assert.deepEqual(asked, [['Instruct: Find\nQuery:a', 'Instruct: Find\nQuery:b']]);
  const broken = engineAfter(['generation_failed']).engine;
  await assert.rejects(embedPatiently(broken, request, { clock: still, forMs: 10 }), { fault: 'generation_failed' });
  let nowMs = 0;
  const running = { monotonicMs: () => (nowMs += 100) };
  const slow = engineAfter(Array(9).fill('model_warming')).engine;
  await assert.rejects(embedPatiently(slow, request, { clock: running, forMs: 250 }), { fault: 'model_warming' });
});

test('work in the background waits while models have calls, but not for ever', async () => {
  let looks = 0;
  let nowMs = 0;
  const clock = { monotonicMs: () => nowMs };
  const busyFor = (times: number) => ({ load: () => ({ running: looks++ < times ? 1 : 0, waiting: 0 }) });
  await giveWay(busyFor(3), { models: ['m'], clock, signal });
  assert.equal(looks, 4);
  looks = 0;
  const passing = { monotonicMs: () => (nowMs += 900) };
  await giveWay(busyFor(Number.POSITIVE_INFINITY), { models: ['m'], clock: passing, signal });
  assert.ok(looks >= 2 && looks < 6);
});
