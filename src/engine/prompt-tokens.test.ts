import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chatMlTemplate, smallShape, writeRandomModel } from '#test/random-model.ts';
import { chatPrompt, greedy, never } from '#test/scripted-engine.ts';
import { createEngine } from './engine.ts';
import type { ChatMessage, ChatPrompt, EngineModel, ToolDefinition } from './port.ts';
import { createTokenCounter } from './tokens/token-counter.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-prompt-tokens-'));
/** One without reasoning and without tools in its template. */
const plainPath = join(folder, 'plain.gguf');
const template = chatMlTemplate
  .replace(/\{%- if tools.*?endif -%\}/, '')
  .replace(/\{%- if enable_thinking.*?endif -%\}/, '');
writeRandomModel(plainPath, { shape: smallShape, seed: 7, kind: 'text', spread: 0.3, ends: false, template });

const text = (id: string, ggufPath: string): EngineModel => ({ id, kind: 'text', ggufPath, maxContextTokens: 4096 });
const tinyChat = fileURLToPath(new URL('../../models/tiny-chat/tiny-chat.gguf', import.meta.url));
const models = [text('tiny-chat', tinyChat), text('plain', plainPath)];
const engine = createEngine({ models: () => models, log: () => {} });
after(async () => {
  await Promise.all([engine.close(), counter.close()]);
  rmSync(folder, { recursive: true });
});

const counter = createTokenCounter({ models: () => models, environment: process.env, log: () => {} });

const tools: ToolDefinition[] = [
  {
    name: 'get_weather',
    description: 'Get the current weather for a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  { name: 'now', description: null, parameters: null, strict: true },
];
const history: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'How is the weather in Oslo? <|im_end|>' },
  {
    role: 'assistant',
    content: '',
    reasoning: 'I must ask.',
    toolCalls: [{ id: 'a', name: 'get_weather', arguments: '{"city":"Oslo"}' }],
  },
  { role: 'tool', content: '12 degrees', toolCallId: 'a' },
  { role: 'user', content: 'And now?' },
];
const large: ChatMessage[] = [{ role: 'user', content: 'The tall lamp stands beside the red door. '.repeat(250) }];
const schema = { type: 'object', properties: { degrees: { type: 'integer' } } };

/** What it is told when it is prepared and given back, and what the call itself reports. */
async function counts(prompt: ChatPrompt): Promise<{ before: number; told: number; reported: number }> {
  const { maxTokens: _, ...uncertain } = prompt;
  const counted = await engine.prepareChat(uncertain, never);
  engine.release(counted.handle);
  const { handle, promptTokens } = await engine.prepareChat(prompt, never);
  // For routes whose engine does not count.
  assert.equal(await counter.countPrompt(uncertain, 4096, never), promptTokens);
  const sampling = { ...greedy, maxTokens: 4 };
  const { usage } = await engine.generate({ handle, sampling, cacheScope: 'a', signal: never }, () => {});
  return { before: counted.promptTokens, told: promptTokens, reported: usage.promptTokens };
}

const efforts = ['none', 'low', 'high', null] as const;

test('a prompt that is prepared and given back has the tokens that a call with it reports', async () => {
  const variants: Partial<ChatPrompt>[] = [
    {},
    { messages: history },
    { messages: large },
    { messages: [...history, ...large], tools },
    { tools },
    { messages: history, tools, parallelToolCalls: false },
    { tools, toolChoice: { mode: 'none' } },
    { tools, toolChoice: { mode: 'required' } },
    { messages: history, tools, toolChoice: { mode: 'named', name: 'now' } },
    { responseFormat: { type: 'json_object' } },
    { messages: history, responseFormat: { type: 'json_schema', schema } },
  ];
  const seen = new Set<number>();
  for (const variant of variants)
    for (const reasoningEffort of efforts) {
      const prompt = { ...chatPrompt('tiny-chat', 'Hello!'), ...variant, reasoningEffort, maxTokens: 4 };
      const { before, told, reported } = await counts(prompt);
      assert.deepEqual([before, told], [reported, reported], JSON.stringify([Object.keys(variant), reasoningEffort]));
      seen.add(reported);
    }
  assert.ok(seen.size > 8, 'the prompts differ');
});

test('a model without reasoning takes every effort as a wish and every bound of reasoning, and is told nothing of them', async () => {
  const answers = new Set<string>();
  for (const reasoningEffort of efforts)
    for (const messages of [history, history.slice(0, 2)])
      for (const maxReasoningTokens of [null, 0, 5]) {
        const prompt = { ...chatPrompt('plain', ''), messages, reasoningEffort, effortIsHint: true };
        const { before, reported } = await counts(prompt);
        assert.equal(before, reported);
        const { handle } = await engine.prepareChat(prompt, never);
        const sampling = { ...greedy, maxTokens: 8, maxReasoningTokens };
        let said = `${reported} `;
        const { usage } = await engine.generate({ handle, sampling, cacheScope: 'a', signal: never }, (delta) => {
          said += delta.type === 'content' ? delta.text : assert.fail(delta.type);
        });
        assert.equal(usage.reasoningTokens, 0);
        answers.add(said);
      }
  assert.equal(answers.size, 2);
});

test('a prompt that is too long is counted until that is known, and one that a template refuses is not', async () => {
  const long = { ...chatPrompt('tiny-chat', ''), messages: large };
  const whole = (await counter.countPrompt(long, 4096, never)) ?? 0;
  const begun = (await counter.countPrompt(long, 100, never)) ?? 0;
  assert.ok(whole > 1_000 && begun > 100 && begun < whole);
  assert.equal(await counter.countPrompt({ ...chatPrompt('plain', 'x'), tools }, 4096, never), null);
  const other = chatPrompt('other', 'x');
  await assert.rejects(counter.countPrompt(other, 100, never), { fault: 'model_not_installed' });
  await assert.rejects(counter.countPrompt(long, 100, AbortSignal.abort(new Error('gone'))), /gone/);
});
