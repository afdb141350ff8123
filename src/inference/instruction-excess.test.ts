import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatMessage, ChatPrompt, Engine } from '#engine';
import { Fault, fault } from '#kernel';
import { contextExcessOf } from './context-excess.ts';
import { preparePrompt } from './prepare-prompt.ts';

/** An engine with a token for each character of messages and descriptions; of long prompts it counts a part. */
function countingEngine(maxContextTokens: number, { reads = Infinity } = {}) {
  const open = new Set<string>();
  let prepared = 0;
  const prepareChat = async ({ messages, tools }: ChatPrompt) => {
    const texts = [...messages.map(({ content }) => content), ...tools.map(({ description }) => description ?? '')];
    const tokens = texts.join('').length;
    if (tokens > reads)
      throw fault('invalid_request', {
        message: `maximum context length is ${maxContextTokens} tokens`,
        details: { prompt_tokens: reads, max_tokens: null, max_context_tokens: maxContextTokens },
      });
    prepared += 1;
    open.add(`h${prepared}`);
    return { handle: `h${prepared}`, promptTokens: tokens, maxContextTokens };
  };
  // as: nothing else is asked of it.
  return { open, engine: { prepareChat, release: (handle: string) => open.delete(handle) } as unknown as Engine };
}

type Asked = { system?: number; tools?: number; users?: number[]; maxTokens?: number | null };

const said = (length: number) => 'x'.repeat(length);
function wanted({ system = 0, tools = 0, users = [2], maxTokens = 512 }: Asked) {
  const instructions: ChatMessage[] = system > 0 ? [{ role: 'system', content: said(system) }] : [];
  const messages: ChatMessage[] = [
    ...instructions,
    ...users.map((length) => ({ role: 'user' as const, content: said(length) })),
  ];
  const prompt = {
    messages,
    toolChoice: { mode: 'auto' as const },
    parallelToolCalls: true,
    reasoningEffort: null,
    tools: tools > 0 ? [{ name: 'read', description: said(tools), parameters: null }] : [],
    responseFormat: { type: 'text' as const },
  };
  return {
    target: { baseModelId: 'm', adapter: null },
    prompt,
    maxTokens,
    scope: 'acc_1',
    dropsOldestTurns: false,
    fitsContext: false,
  };
}

async function refusalOf(asked: Asked, engine = countingEngine(4_096)): Promise<Fault> {
  const error = await preparePrompt(engine.engine, wanted(asked), new AbortController().signal).then(
    () => assert.fail('It fits.'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Fault && error.fault === 'invalid_request');
  assert.equal(engine.open.size, 0);
  return error;
}

/** What opencode 1.18.33, Cline 3.0.65, Qwen Code 0.24.4, Continue 1.5.47 and Claude Code 2.1.332 take for a context overflow. */
const overflowWords = [
  /prompt is too long|request_too_large|input is too long|exceeds the (context|limit|available)|exceeds (the )?maximum/i,
  /tokens in request more than|maximum prompt length|reduce the length|maximum context|too large for model|too many tokens/i,
  /longer than the model|greater than the context|context[\s_-]*(length|window|limit|size)|exceeded model token limit/i,
  /token limit exceeded|tokens? exceeds?|tokens?\s*>\s*\d+|\btokens?\b.*\bexceed|decrease input length|use a shorter prompt/i,
  /tokens in the prompt exceeds|invalid_request_error.*context|context.*invalid_request_error/i,
];
const isRecognised = (message: string) =>
  overflowWords.some((words) => words.test(`invalid_request_error: ${message}`));

test('instructions and tools that leave no room are blamed, in words that no agent takes for a long conversation', async () => {
  for (const asked of [
    { system: 3_600, tools: 9_900 },
    { tools: 3_584 },
    { system: 3_584 },
    { system: 2_000, tools: 1_200, users: [300, 300] },
  ]) {
    const { message, options } = await refusalOf(asked);
    assert.match(
      message,
      /^The instructions( and tools)? alone take \d+ tokens, the answer may take 512, and this model takes 4096/,
    );
    assert.equal(options.param, asked.tools ? 'tools' : 'messages');
    assert.ok(!isRecognised(message), message);
  }
  const { message, options } = await refusalOf({ system: 4_200, maxTokens: null });
  assert.match(message, /^The instructions alone take 4201 tokens, and this model takes 4096/);
  assert.equal(contextExcessOf(new Fault('invalid_request', options))?.instructionTokens, 4_201);
});

test('a conversation that could be shorter, and an answer that is too long, are told in the words that clients know', async () => {
  const cases: Asked[] = [
    { users: [5_000] },
    { system: 500, tools: 500, users: [5_000, 10] },
    { system: 2_900, users: [100, 700] },
    { system: 2_500, tools: 400, users: [900] },
    { system: 3_000, tools: 900, maxTokens: 4_096 },
    { system: 3_000, maxTokens: 100_000 },
    { system: 20, maxTokens: 4_090 },
  ];
  for (const asked of cases) {
    const { message, options } = await refusalOf(asked);
    assert.match(message, /maximum context length is 4096 tokens.*prompt is too long/, JSON.stringify(asked));
    assert.equal(contextExcessOf(new Fault('invalid_request', options))?.instructionTokens, null);
  }
});

test('instructions are blamed also where a prompt was not counted to its end', async () => {
  const reads = countingEngine(4_096, { reads: 4_500 });
  assert.match((await refusalOf({ tools: 9_000 }, reads)).message, /tools alone take 4500 tokens/);
  assert.match((await refusalOf({ tools: 1_000, users: [9_000] }, reads)).message, /maximum context length/);
});
