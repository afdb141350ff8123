import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chatPrompt, isFault, never } from '#test/scripted-engine.ts';
import { createEngine } from '../engine.ts';
import type { ChatPrompt, EngineModel } from '../port.ts';
import { PromptReader } from './prompt-reader.ts';

const tiny = (id: string, kind: EngineModel['kind'], maxContextTokens: number): EngineModel => ({
  id,
  kind,
  ggufPath: fileURLToPath(new URL(`../../../models/${id}/${id}.gguf`, import.meta.url)),
  maxContextTokens,
});
const chatModel = tiny('tiny-chat', 'text', 4096);
const models = [chatModel, tiny('tiny-embed', 'embedding', 512)];
const options = { environment: process.env, log: () => {} };
const engine = createEngine({ models: () => models, ...options });
const reader = new PromptReader(options);
after(() => Promise.all([engine.close(), reader.close()]));

const large = 'The tall lamp stands beside the red door. '.repeat(300);
const megabyte = 'The tall lamp stands beside the red door. '.repeat(24_000);
const prompt = (content: string, more: Partial<ChatPrompt> = {}): ChatPrompt => ({
  ...chatPrompt('tiny-chat', content),
  ...more,
});
const embedding = (texts: string[], more = {}) => ({
  target: { baseModelId: 'tiny-embed', adapter: null },
  texts,
  maxInputTokens: 512,
  truncate: false,
  requestTokens: 512,
  ...more,
});

describe('prompts that are read in their own process', () => {
  test('scopes take turns, so that one with many waits behind none of its own', async () => {
    const order: string[] = [];
    const read = (scope: string, content = large) =>
      reader.chat(prompt(content, { scope }), chatModel, never).then(
        () => order.push(scope),
        () => order.push(scope),
      );
    const many = Array.from({ length: 12 }, (_, n) => read('many', n % 2 === 0 ? large : megabyte));
    const others = [read('one'), read('two'), read('two')];
    await Promise.all([...many, ...others]);
    const expected = ['many', 'one', 'two', 'many', 'two', ...Array<string>(10).fill('many')];
    assert.deepEqual(order, expected);
  });

  test('whoever leaves waits no longer, and is not read', async () => {
    const caller = new AbortController();
    const first = reader.chat(prompt(large), chatModel, never);
    const left = reader.chat(prompt(large), chatModel, caller.signal);
    caller.abort(new Error('left'));
    await assert.rejects(left, /left/);
    assert.ok((await first).tokens.length > 2_000);
    await assert.rejects(reader.chat(prompt(large), chatModel, AbortSignal.abort(new Error('gone'))), /gone/);
  });

  test('what a template refuses is refused in its words, with the field', async () => {
    const tools = [{ name: 'f', description: null, parameters: null }];
    const embedder = { ...chatModel, ggufPath: models[1]?.ggufPath ?? '' };
    const refused = isFault('invalid_request', ({ options: { param } }) => param === 'model');
    await assert.rejects(reader.chat(prompt(large, { tools }), embedder, never), refused);
  });
});

describe('the engine', () => {
  test('makes the same of a large prompt as of its parts: tokens, reasoning and text', async () => {
    const asked = prompt(`${large}Answer.`, { reasoningEffort: 'none' });
    const read = await reader.chat(asked, chatModel, never);
    const { handle, promptTokens } = await engine.prepareChat(asked, never);
    assert.equal(promptTokens, read.tokens.length);
    engine.release(handle);
    assert.ok(read.thinkingDisabled);
    const written = await engine.prepareChat(asked, never);
    const sampling = {
      maxTokens: 8,
      temperature: 0,
      topP: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
      seed: 1,
      stop: [],
    };
    let text = '';
    const generation = { handle: written.handle, sampling, cacheScope: 'a', signal: never };
    const finished = await engine.generate(generation, (delta) => {
      if (delta.type === 'content') text += delta.text;
    });
    assert.equal(finished.usage.promptTokens, read.tokens.length);
    assert.ok(text.length > 0);
  });

  test('prepares a small prompt while twenty that are much too long wait, and refuses each of these', async () => {
    await engine.prepareChat(prompt('warm'), never).then(({ handle }) => engine.release(handle));
    const done: string[] = [];
    const flood = Array.from({ length: 20 }, async () => {
      await assert.rejects(
        engine.prepareChat(prompt(megabyte, { scope: 'flood' }), never),
        isFault('invalid_request', ({ message, options: { param } }) => {
          assert.match(message, /maximum context length is 4096 tokens.*at least \d{4} tokens: the prompt is too long/);
          return param === 'messages';
        }),
      );
      done.push('flood');
    });
    const { handle } = await engine.prepareChat(prompt('Hi', { scope: 'other' }), never);
    engine.release(handle);
    assert.ok(done.length < 3, `${done.length} were before it`);
    await Promise.all(flood);
  });

  test('refuses inputs that are too long, alone or together, with how much they are at least', async () => {
    const refused = (words: RegExp) =>
      isFault('invalid_request', ({ message, options: { param } }) => words.test(message) && param === 'input');
    const prepare = (texts: string[], more = {}) => engine.prepareEmbedding(embedding(texts, more), never);
    await assert.rejects(prepare([megabyte]), refused(/an input has at least \d{4} tokens, the limit is 512/));
    const many = Array.from({ length: 300 }, () => 'The tall lamp stands beside the red door.');
    await assert.rejects(prepare(many), refused(/have at least 5\d\d tokens together, the limit is 512/));
    await assert.rejects(prepare([megabyte, 'x'], { truncate: true }), refused(/an input that is cut fills/));
    const { handle, inputs } = await prepare([megabyte], { truncate: true });
    assert.deepEqual(inputs, [{ tokens: 512, truncated: true }]);
    const { vectors, promptTokens } = await engine.embed({ handle, signal: never });
    assert.deepEqual([vectors.length, promptTokens], [1, 512]);
  });
});
