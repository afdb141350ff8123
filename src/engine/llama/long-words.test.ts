import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { createExampleEncoder, createTokenCounter } from '../tokens/token-counter.ts';
import { ChildDriver, smallConfig, userPrompt } from './child-driver.fixture.ts';

/** llama.cpp divides texts for these with regular expressions that call themselves for every letter of a word. */
const preTokenizers = ['gpt-4o', 'tekken', 'deepseek-llm', 'falcon'];
const word = 'a'.repeat(32_000);
const letters = [word, 'é'.repeat(300_000), 'A'.repeat(500_000), '字'.repeat(32_000)];

const folder = mkdtempSync(join(tmpdir(), 'fanfold-words-'));
after(() => rmSync(folder, { recursive: true }));

function write(preTokenizer: string, kind: 'text' | 'embedding' = 'text'): string {
  const path = join(folder, `${preTokenizer}-${kind}.gguf`);
  const shape = { ...smallShape, contextTokens: 4096 };
  writeRandomModel(path, { shape, seed: 3, kind, spread: 0.2, ends: false, preTokenizer });
  return path;
}

for (const preTokenizer of preTokenizers) {
  const ggufPath = write(preTokenizer);

  describe(`a word of very many letters, divided as ${preTokenizer} does it,`, () => {
    test('is counted by an engine child, which lives on', async () => {
      const child = await ChildDriver.start({ ...smallConfig, ggufPath });
      for (const text of letters) {
        const { reply } = await child.prepare(userPrompt(text));
        assert.ok(reply.type === 'prepared' && reply.promptTokens > 30_000, JSON.stringify(reply));
      }
      assert.equal((await child.write(userPrompt('hi'), { maxTokens: 3 })).reply.type, 'finished');
      await child.stop();
    });

    test('is embedded as far as it fits', async () => {
      const child = await ChildDriver.start({
        ...smallConfig,
        kind: 'embedding',
        ggufPath: write(preTokenizer, 'embedding'),
      });
      const { report } = await child.embed([word]);
      assert.deepEqual(report.type === 'prepared' && report.inputs, [{ tokens: 500, truncated: true }]);
      await child.stop();
    });

    test('is counted and encoded for datasets', async () => {
      const model = { id: 'm', kind: 'text', ggufPath, maxContextTokens: 4096 } as const;
      const options = { environment: process.env, log: () => {} };
      const counter = createTokenCounter({ models: () => [model], ...options });
      assert.deepEqual(await counter.count('m', [{ type: 'inputs', texts: [word] }]), [
        { tokens: word.length, longest: word.length },
      ]);
      assert.deepEqual(await counter.countTexts('m', [word, 'a']), [word.length, 1]);
      const encoder = createExampleEncoder(options);
      const [encoded] = await encoder.encode(ggufPath, [{ type: 'inputs', texts: [word] }], {
        maxTokens: 40_000,
        nowMs: 0,
      });
      assert.equal(encoded?.type === 'inputs' && encoded.inputs[0]?.length, word.length);
      await Promise.all([counter.close(), encoder.close()]);
    });
  });
}
