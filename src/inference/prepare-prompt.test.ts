import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatMessage, ChatPrompt, Engine } from '#engine';
import { Fault, fault } from '#kernel';
import { fc } from '#test/properties.ts';
import { preparePrompt } from './prepare-prompt.ts';

/** An engine with a token for each character, which notes what it was asked to prepare. */
function countingEngine(maxContextTokens: number) {
  const prompts: ChatPrompt[] = [];
  const released: string[] = [];
  const prepareChat = async (prompt: ChatPrompt) => {
    prompts.push(prompt);
    const promptTokens = prompt.messages.reduce((sum, { content }) => sum + content.length, 1);
    return { handle: `h${prompts.length}`, promptTokens, maxContextTokens };
  };
  const release = (handle: string) => void released.push(handle);
  // as: nothing else is asked of it.
  return { prompts, released, engine: { prepareChat, release } as unknown as Engine };
}

const promptOf = (messages: ChatMessage[]) => ({
  messages,
  tools: [],
  toolChoice: { mode: 'auto' as const },
  parallelToolCalls: true,
  responseFormat: { type: 'text' as const },
  reasoningEffort: null,
});
const wanted = (messages: ChatMessage[], maxTokens: number | null, dropsOldestTurns = false) => ({
  target: { baseModelId: 'm', adapter: null },
  prompt: promptOf(messages),
  maxTokens,
  scope: 'acc_1',
  dropsOldestTurns,
  fitsContext: false,
});
const never = new AbortController().signal;
const user = (content: string): ChatMessage => ({ role: 'user', content });
const isTooLong = (error: unknown) =>
  error instanceof Fault && /maximum context length is 100 tokens/.test(error.message);

test('an answer without a bound may have the rest of the context, and all of what was asked for with one', async () => {
  const { engine } = countingEngine(100);
  assert.equal((await preparePrompt(engine, wanted([user('x'.repeat(29))], null), never)).maxTokens, 70);
  assert.equal((await preparePrompt(engine, wanted([user('x')], 7), never)).maxTokens, 7);
});

test('an answer that is only bounded has at most the room that there is, and the prompt needs room for one token', async () => {
  const { engine } = countingEngine(100);
  const roomOf = async (characters: number, maxTokens: number, counted = engine) => {
    const bounded = { ...wanted([user('x'.repeat(characters))], maxTokens), fitsContext: true };
    return (await preparePrompt(counted, bounded, never)).maxTokens;
  };
  assert.deepEqual(
    [await roomOf(29, 7), await roomOf(29, 70), await roomOf(29, 5_000), await roomOf(98, 9)],
    [7, 70, 70, 1],
  );
  await assert.rejects(roomOf(99, 1), isTooLong);
  // Who has not counted leaves it to the engine how much room there is.
  const prepareChat = async () => ({ handle: 'h', promptTokens: 0, maxContextTokens: 100 });
  const uncounted = { ...engine, prepareChat };
  assert.deepEqual([await roomOf(9, 99, uncounted), await roomOf(9, 100, uncounted)], [99, Infinity]);
});

test('a prompt that does not fit is refused and released', async () => {
  const { engine, released } = countingEngine(100);
  await assert.rejects(preparePrompt(engine, wanted([user('x'.repeat(90))], 20), never), isTooLong);
  await assert.rejects(preparePrompt(engine, wanted([user('x'.repeat(99))], null), never), isTooLong);
  assert.deepEqual(released, ['h1', 'h2']);
});

test('where that is wanted the oldest turns go until the rest fits, the instructions never', async () => {
  const texts = fc.array(fc.string({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(texts, fc.option(fc.integer({ min: 1, max: 30 })), async (turns, maxTokens) => {
      const { engine, prompts, released } = countingEngine(100);
      const messages: ChatMessage[] = [{ role: 'system', content: 'be kind' }, ...turns.map(user)];
      const prepared = await preparePrompt(engine, wanted(messages, maxTokens, true), never).catch((error: unknown) => {
        assert.ok(isTooLong(error));
        return null;
      });
      // What the instructions take alone is counted too, where nothing fits.
      const sent = prompts.findLast((prompt) => prompt.messages.at(-1) === messages.at(-1))?.messages ?? [];
      assert.equal(sent[0]?.role, 'system');
      assert.deepEqual(sent.slice(1), messages.slice(messages.length - sent.length + 1));
      assert.equal(released.length, prompts.length - (prepared ? 1 : 0));
      if (prepared) assert.ok(prepared.promptTokens + prepared.maxTokens <= 100);
      else assert.equal(sent.length, 2);
    }),
  );
});

test('room for more of an answer is made by leaving out turns only, and instructions without room are blamed also then', async () => {
  const { engine } = countingEngine(100);
  const last = user('x'.repeat(90));
  for (const messages of [[last], [user('old'), last]]) {
    const prepared = await preparePrompt(engine, wanted(messages, null, true), never);
    assert.deepEqual([prepared.promptTokens, prepared.maxTokens], [91, 9]);
  }
  const instructions: ChatMessage = { role: 'system', content: 'x'.repeat(99) };
  await assert.rejects(preparePrompt(engine, wanted([user('a'), instructions, last], null, true), never), isTooLong);
  await assert.rejects(
    preparePrompt(engine, wanted([instructions, user('a'), last], null, true), never),
    (error) => error instanceof Fault && /no conversation fits/.test(error.message),
  );
});

test('what the engine refuses before it has counted all is shortened too, and every other refusal is told', async () => {
  const { engine } = countingEngine(100);
  const details = { prompt_tokens: 400, max_tokens: null, max_context_tokens: 100 };
  let refusals = 0;
  const prepareChat: Engine['prepareChat'] = async (prompt, signal) => {
    if (refusals++ === 0) throw fault('invalid_request', { param: 'messages', details });
    return await engine.prepareChat(prompt, signal);
  };
  const turns = ['a', 'b', 'c', 'd'].map((letter) => user(letter.repeat(60)));
  const prepared = await preparePrompt({ ...engine, prepareChat }, wanted(turns, 5, true), never);
  assert.equal(prepared.promptTokens, 61);
  const warming = async () => Promise.reject(fault('model_warming'));
  await assert.rejects(preparePrompt({ ...engine, prepareChat: warming }, wanted(turns, 5, true), never), {
    fault: 'model_warming',
  });
});
