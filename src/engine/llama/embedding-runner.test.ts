import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NativeContext } from './binding.ts';
import { EmbeddingRunner, type EmbeddingRunnerOptions } from './embedding-runner.ts';

const batchTokens = 10;

/** A runner whose inputs are noted by their first token, in the order in which they are evaluated. */
function noted() {
  const evaluated: number[] = [];
  const context = {
    disposeSequence() {},
    initBatch() {},
    addToBatch(_sequence: number, _from: number, tokens: Uint32Array) {
      evaluated.push(tokens[0] ?? -1);
    },
    decodeBatch: async () => {},
    getEmbedding: () => new Float64Array([1, 0]),
    // as: what these tests need of it.
  } as unknown as NativeContext;
  const options = {
    model: { createContext: async () => context, facts: { pooling: 'last', causal: true, rerank: {} } },
    config: { kind: 'embedding', maxContextTokens: 100, batchTokens, adapterContexts: 0, threads: 1 },
    send: () => {},
    now: () => 0,
  } as unknown as EmbeddingRunnerOptions;
  return { runner: new EmbeddingRunner(options), evaluated };
}

const input = (first: number) => new Uint32Array(batchTokens).fill(first);
const runOut = async (runner: EmbeddingRunner) => {
  while (runner.hasWork) await runner.run(() => true);
};

test('however many requests one scope has waiting, the one of another is next or next but one', async () => {
  const { runner, evaluated } = noted();
  for (let id = 1; id <= 50; id++) runner.embed(id, { inputs: [input(1)], adapter: null, scope: 'flood' });
  for (let call = 0; call < 10; call++) {
    runner.embed(100 + call, { inputs: [input(2), input(2)], adapter: null, scope: 'other' });
    await runner.run(() => true);
    await runner.run(() => true);
    await runner.run(() => true);
    await runner.run(() => true);
  }
  await runOut(runner);
  assert.equal(evaluated.length, 70);
  assert.equal(evaluated.slice(0, 40).filter((first) => first === 2).length, 20, 'every second one');
  assert.ok(!/2{3}|1{3}/.test(evaluated.slice(0, 40).join('')), evaluated.join(''));
});

test('requests of one scope take turns as well: a long list does not hold up a short one', async () => {
  const { runner, evaluated } = noted();
  runner.embed(1, { inputs: [1, 1, 1, 1].map(input), adapter: null, scope: 'a' });
  runner.embed(2, { inputs: [input(2)], adapter: null, scope: 'a' });
  await runOut(runner);
  assert.deepEqual(evaluated, [1, 2, 1, 1, 1]);
});
