import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chatMlTemplate, smallShape, writeRandomModel } from '#test/random-model.ts';
import type { ChatPrompt, Sampling } from '../port.ts';
import { ChildDriver, finishedOf, smallConfig, userPrompt } from './child-driver.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-reasoning-bound-'));
after(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, `${name}.gguf`);

const opened = chatMlTemplate.replace(
  "{{- '<|im_start|>assistant\\n' -}}",
  "{{- '<|im_start|>assistant\\n<think>\\n' -}}",
);
const plain = chatMlTemplate.replace(/\{%- if enable_thinking.*?endif -%\}/, '');
const model = { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false } as const;
/** The prompt opens its reasoning. */
writeRandomModel(file('opened'), { ...model, template: opened });
writeRandomModel(file('ends'), { ...model, template: opened, ends: true });
/** Some of its answers begin with reasoning, which it opens itself. */
const words = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? `<think>${at}` : `</think>\n${at}`));
const opens = { ...model, shape: { ...smallShape, vocabulary: 310 }, spread: 0.05, ends: true, words };
writeRandomModel(file('opens'), { ...opens, template: `{#- enable_thinking -#}${plain}` });
writeRandomModel(file('plain'), { ...opens, template: plain });

const think: Partial<ChatPrompt> = { reasoningEffort: null };
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
const json: Partial<ChatPrompt> = { ...think, responseFormat: { type: 'json_schema', schema } };
/** Tokens that close reasoning by force in this vocabulary, and how many of them are reasoning still. */
const [forced, closing] = [4, 2];

async function start(name: string, t: { after: (stop: () => Promise<void>) => void }) {
  const child = await ChildDriver.start({ ...smallConfig, ggufPath: file(name) });
  t.after(() => child.stop());
  return child;
}

test('reasoning ends before it takes more tokens than its bound, and the answer follows within the bound of all', async (t) => {
  const child = await start('opened', t);
  const free = await child.write(userPrompt('think', think), { maxTokens: 60 });
  assert.deepEqual([free.content, finishedOf(free).usage.reasoningTokens], ['', 60]);
  for (const maxReasoningTokens of [0, 1, closing, forced, forced + 1, 8, 20, 59, 60, 1000]) {
    const bounded = await child.write(userPrompt('think', think), { maxTokens: 60, maxReasoningTokens });
    const { usage, reason } = finishedOf(bounded);
    assert.deepEqual([usage.completionTokens, reason], [60, 'length']);
    assert.equal(usage.reasoningTokens, Math.min(60, Math.max(0, maxReasoningTokens - forced) + closing));
    assert.ok(usage.reasoningTokens <= Math.max(maxReasoningTokens, closing));
    assert.ok(free.reasoning.startsWith(bounded.reasoning));
    assert.equal(bounded.reasoning === '', maxReasoningTokens <= forced);
    assert.equal(bounded.content === '', maxReasoningTokens >= 60);
  }
  const without = await child.write(userPrompt('think', think), { maxTokens: 60, maxReasoningTokens: null });
  assert.equal(without.reasoning, free.reasoning);
  const low = { reasoningEffort: 'low' } as const;
  const lower = await child.write(userPrompt('think', low), { maxTokens: 60, maxReasoningTokens: 10 });
  assert.ok(finishedOf(lower).usage.reasoningTokens <= 10);
});

test('what closes reasoning has no more tokens than the call may have', async (t) => {
  const child = await start('opened', t);
  for (const maxTokens of [1, 2, 3, 4]) {
    const cut = await child.write(userPrompt('think', think), { maxTokens, maxReasoningTokens: 0 });
    const { usage, reason } = finishedOf(cut);
    assert.deepEqual([usage.completionTokens, reason, cut.reasoning], [maxTokens, 'length', '']);
  }
  const long = userPrompt('a'.repeat(smallConfig.maxContextTokens - 60), think);
  for (const maxReasoningTokens of [0, 10, 20, 30, 40, 50]) {
    const { usage } = finishedOf(await child.write(long, { maxTokens: 900, maxReasoningTokens }));
    assert.equal(usage.promptTokens + usage.completionTokens, smallConfig.maxContextTokens);
  }
});

test('a formed answer begins where its reasoning was ended, and is whole', async (t) => {
  for (const name of ['opened', 'ends']) {
    const child = await start(name, t);
    for (const maxReasoningTokens of [0, 7, 30]) {
      const sampling = { maxTokens: 200, maxReasoningTokens, temperature: 1, seed: maxReasoningTokens };
      const formed = await child.write(userPrompt('think', json), sampling);
      assert.match(formed.content, /^\{\s*"n"\s*:\s*-?\d+\s*\}$/);
      assert.ok(finishedOf(formed).usage.reasoningTokens <= Math.max(maxReasoningTokens, closing));
    }
  }
});

test('an end that the model draws where it may not reason does not end the answer', async (t) => {
  const child = await start('ends', t);
  for (let seed = 1; seed <= 60; seed += 1) {
    const sampling = { maxTokens: 40, maxReasoningTokens: 0, temperature: 3, seed };
    const { usage, reason } = finishedOf(await child.write(userPrompt('think', think), sampling));
    assert.ok(usage.completionTokens > forced, reason);
    assert.equal(usage.reasoningTokens, closing);
  }
});

test('reasoning that a model opens itself is bounded, and answers that do not begin with it are as without a bound', async (t) => {
  const [child, without] = [await start('opens', t), await start('plain', t)];
  let [bounded, others] = [0, 0];
  for (let seed = 1; seed <= 80; seed += 1) {
    const sampling = { maxTokens: 40, temperature: 1, seed };
    const free = await child.write(userPrompt('Why', think), sampling);
    for (const maxReasoningTokens of [0, 6]) {
      const answer = await child.write(userPrompt('Why', think), { ...sampling, maxReasoningTokens });
      const { reasoningTokens } = finishedOf(answer).usage;
      if (finishedOf(free).usage.reasoningTokens === 0) {
        others += 1;
        assert.deepEqual(answer.deltas.length > 0 ? answer.content : '', free.content);
        assert.equal(reasoningTokens, 0);
      } else {
        bounded += 1;
        // What opens it may have blanks in front, and its last token more text.
        assert.ok(reasoningTokens <= Math.max(maxReasoningTokens, 3 + closing), `${reasoningTokens} tokens`);
        if (maxReasoningTokens === 0) assert.match(answer.reasoning, /^\d*$/);
      }
    }
    const text = await without.write(userPrompt('Why', think), sampling);
    const same = await without.write(userPrompt('Why', think), { ...sampling, maxReasoningTokens: 0 });
    assert.deepEqual([same.content, same.reasoning], [text.content, '']);
  }
  assert.ok(bounded > 4 && others > 10, `${bounded} with reasoning, ${others} without`);
});

test('calls at once, cancelled ones among them, are bounded each as if it were alone', async (t) => {
  const child = await start('opened', t);
  const sampled = (at: number): Partial<Sampling> => ({ maxTokens: 50, maxReasoningTokens: at * 4, seed: at });
  const alone: string[][] = [];
  for (let at = 0; at < 8; at += 1) {
    const { reasoning, content } = await child.write(userPrompt(`think ${at}`, think), sampled(at), `alone ${at}`);
    alone.push([reasoning, content]);
  }
  const together = Array.from({ length: 8 }, async (_, at) => {
    const { handle } = await child.prepare(userPrompt(`think ${at}`, think));
    const { id, done } = child.generate(handle, sampled(at), `together ${at}`);
    if (at % 3 === 2) setTimeout(() => child.send({ type: 'cancel', id }), at);
    const { reasoning, content, ...rest } = await done;
    const { reason, usage } = finishedOf({ reasoning, content, ...rest });
    if (reason !== 'cancelled') assert.deepEqual([reasoning, content], alone[at]);
    assert.ok(usage.reasoningTokens <= Math.max(at * 4, closing));
  });
  await Promise.all(together);
});

test('a next turn finds cached what a bounded answer and its prompt had, and is answered as uncached', async (t) => {
  const child = await start('plain', t);
  const first = userPrompt('first question of a conversation', think);
  const bounded = await start('opens', t);
  for (const driver of [child, bounded]) {
    const answer = await driver.write(first, { maxReasoningTokens: 0, maxTokens: 30 }, 'owner');
    const turn = userPrompt('x', {
      ...think,
      messages: [
        ...first.messages,
        { role: 'assistant', content: answer.content, reasoning: null, toolCalls: [] },
        { role: 'user', content: 'second question' },
      ],
    });
    const sampling = { maxReasoningTokens: 6, maxTokens: 30 };
    const [owner, stranger] = [
      await driver.write(turn, sampling, 'owner'),
      await driver.write(turn, sampling, 'other'),
    ];
    assert.ok(finishedOf(owner).usage.cachedTokens > 20);
    assert.equal(finishedOf(stranger).usage.cachedTokens, 0);
    assert.deepEqual([owner.content, owner.reasoning], [stranger.content, stranger.reasoning]);
  }
});
