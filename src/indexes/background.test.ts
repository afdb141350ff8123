import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fault } from '#kernel';
import { createBackground, giveWay } from './background.ts';
import type { EmbeddingEngine, IndexEmbeddingRequest } from './embedding.ts';

const signal = new AbortController().signal;
const request: IndexEmbeddingRequest = {
  embedder: { target: { baseModelId: 'm', adapter: null }, queryInstruction: 'Find', maxInputTokens: 8 },
  role: 'query',
  texts: ['a', 'b'],
  truncate: true,
  signal,
};

/** An index after some refusals, and remembers what it was asked. */
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
    throughput: () => ({ prefillMsPerToken: 1, decodeMsPerToken: 1 }),
  };
  return { engine, asked };
}

test('a batch waits for a model that loads, within its timeout, and gives up on anything else', async () => {
  const still = { models: () => [], clock: { monotonicMs: () => 0 }, timeoutMs: 10 };
  const { engine, asked } = engineAfter(['model_warming', 'model_warming']);
  const { promptTokens } = await createBackground({ ...still, engine })(request);
  assert.equal(promptTokens, 6);
  assert.deepEqual(asked, [['Instruct: Find\nQuery:a', 'Instruct: Find\nQuery:b']]);
  const broken = engineAfter(['generation_failed']).engine;
  await assert.rejects(createBackground({ ...still, engine: broken })(request), { fault: 'generation_failed' });
  let nowMs = 0;
  const clock = { monotonicMs: () => (nowMs += 100) };
  const slow = engineAfter(Array(9).fill('model_warming')).engine;
  await assert.rejects(createBackground({ ...still, engine: slow, clock, timeoutMs: 450 })(request), {
    fault: 'model_warming',
  });
});

test('batches of several builds go to the engine one at a time, in the order in which they came', async () => {
  const { engine } = engineAfter([]);
  const order: string[] = [];
  let running = 0;
  const watched: EmbeddingEngine = {
    ...engine,
    prepareEmbedding: async (inputs, abort) => {
      assert.equal(++running, 1);
      order.push(inputs.texts.join());
      await new Promise((resolve) => setTimeout(resolve, 5));
      return engine.prepareEmbedding(inputs, abort);
    },
    embed: async (prepared) => {
      running--;
      return engine.embed(prepared);
    },
    // What a build does itself is no reason to wait.
    load: () => ({ running, waiting: 0 }),
  };
  const embed = createBackground({ engine: watched, models: () => ['m'], clock: { monotonicMs: () => 0 } });
  const texts = [
    ['1', '1'],
    ['2', '2'],
    ['3', '3'],
  ];
  await Promise.all(texts.map((each) => embed({ ...request, role: 'document', texts: each })));
  assert.deepEqual(order, ['1,1', '2,2', '3,3']);
});

test('work in the background waits while models have calls, but not for ever', async () => {
  let looks = 0;
  let nowMs = 0;
  const models = () => ['m'];
  const busyFor = (times: number) => ({ load: () => ({ running: looks++ < times ? 1 : 0, waiting: 0 }) });
  await giveWay({ engine: busyFor(3), models, clock: { monotonicMs: () => nowMs } }, signal);
  assert.equal(looks, 4);
  looks = 0;
  const clock = { monotonicMs: () => (nowMs += 900) };
  await giveWay({ engine: busyFor(Number.POSITIVE_INFINITY), models, clock }, signal);
  assert.ok(looks >= 2 && looks < 6);
});
