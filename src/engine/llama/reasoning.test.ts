import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chatMlTemplate, smallShape, writeRandomModel } from '#test/random-model.ts';
import { ChildDriver, finishedOf, smallConfig, userPrompt } from './child-driver.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-reasoning-'));
after(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);

const template = chatMlTemplate.replace(
  "{{- '<|im_start|>assistant\\n' -}}",
  "{{- '<|im_start|>assistant\\n<think>\\n' -}}",
);
const thinks = { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false, template } as const;
writeRandomModel(file('thinks.gguf'), thinks);
writeRandomModel(file('ends.gguf'), { ...thinks, ends: true });

test('effort low closes reasoning by force, high does not', async (t) => {
  const thinker = await ChildDriver.start({ ...smallConfig, ggufPath: file('thinks.gguf') });
  t.after(() => thinker.stop());
  const low = await thinker.write(userPrompt('think', { reasoningEffort: 'low' }), { maxTokens: 60 });
  const { usage, reason } = finishedOf(low);
  assert.ok(low.reasoning.length > 0 && low.content.length > 0);
  assert.ok(usage.reasoningTokens > 30 && usage.reasoningTokens < 50);
  assert.deepEqual([usage.completionTokens, reason], [60, 'length']);
  const high = await thinker.write(userPrompt('think', { reasoningEffort: 'high' }), { maxTokens: 60 });
  assert.deepEqual([high.content, finishedOf(high).usage.reasoningTokens], ['', 60]);
  const format = { type: 'json_object' } as const;
  const json = await thinker.write(userPrompt('think', { reasoningEffort: 'low', responseFormat: format }), {
    maxTokens: 60,
  });
  assert.ok(json.reasoning.length > 0);
  assert.match(json.content, /^\{/);
});

test('a model that ends within its reasoning gives the answer all the same, where its form was promised', async (t) => {
  const thinker = await ChildDriver.start({ ...smallConfig, ggufPath: file('ends.gguf') });
  t.after(() => thinker.stop());
  const properties = { sure: { type: 'boolean' } };
  const schema = { type: 'object', properties, required: ['sure'], additionalProperties: false };
  const responseFormat = { type: 'json_schema', schema } as const;
  let endedEarly = 0;
  for (let seed = 1; endedEarly < 3 && seed <= 60; seed += 1) {
    const sampling = { maxTokens: 600, temperature: 1, seed };
    const free = await thinker.write(userPrompt('think', { reasoningEffort: 'high' }), sampling);
    const { usage, reason } = finishedOf(free);
    if (free.content !== '' || usage.completionTokens > 500) continue;
    endedEarly += 1;
    assert.equal(reason, 'length');
    const formed = await thinker.write(userPrompt('think', { reasoningEffort: 'high', responseFormat }), sampling);
    assert.equal(formed.reasoning, free.reasoning);
    assert.match(formed.content, /^\{\s*"sure"\s*:\s*(true|false)\s*\}$/);
    assert.equal(finishedOf(formed).reason, 'stop');
  }
  assert.equal(endedEarly, 3);
});

test('a model whose template knows no thinking writes think tags as text, also in front, and keeps to a form', async (t) => {
  const plain = chatMlTemplate.replace(/\{%- if enable_thinking.*?endif -%\}/, '');
  const tags = ['<think>', '</think>'];
  const words = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? `<think>${at}` : `</think>\n${at}`));
  const shape = { ...smallShape, vocabulary: 310 };
  const model = { ...thinks, shape, template: plain, spread: 0.05, ends: true, words };
  writeRandomModel(file('plain.gguf'), model);
  writeRandomModel(file('knows.gguf'), { ...model, template: `{#- enable_thinking -#}${plain}` });
  const [child, knowing] = await Promise.all(
    ['plain.gguf', 'knows.gguf'].map((name) => ChildDriver.start({ ...smallConfig, ggufPath: file(name) })),
  );
  assert.ok(child && knowing);
  t.after(() => Promise.all([child.stop(), knowing.stop()]));
  let [inFront, reasoned] = [0, 0];
  for (let seed = 1; seed <= 60; seed += 1) {
    const sampling = { maxTokens: 40, temperature: 1, seed };
    for (const reasoningEffort of ['none', 'low', 'high', null] as const) {
      const text = await child.write(
        userPrompt('Why <think>', { reasoningEffort, effortIsHint: true }),
        sampling,
        `${seed}`,
      );
      assert.deepEqual([text.reasoning, finishedOf(text).usage.reasoningTokens], ['', 0]);
      if (tags.some((tag) => text.content.startsWith(tag))) inFront += 1;
    }
    const known = await knowing.write(userPrompt('Why', { reasoningEffort: null }), sampling);
    if (known.reasoning !== '') reasoned += 1;
    const responseFormat = { type: 'json_schema', schema: { enum: ['<think>', '</think>'] } } as const;
    const formed = await child.write(userPrompt('Why', { reasoningEffort: null, responseFormat }), sampling);
    assert.ok(tags.includes(JSON.parse(formed.content)), formed.content);
  }
  assert.ok(inFront > 5 && reasoned > 1, `${inFront} tags in front, ${reasoned} answers with reasoning`);
});
