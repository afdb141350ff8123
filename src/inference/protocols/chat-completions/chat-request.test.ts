import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { fc } from '#test/properties.ts';
import { readChatRequest } from './chat-request.ts';

const user = { role: 'user', content: 'Hi' };
const tool = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } };
const body = (extra: Record<string, unknown> = {}) => ({ model: 'm', messages: [user], ...extra });

function paramOf(value: unknown): string | undefined {
  try {
    readChatRequest(value);
  } catch (error) {
    assert.ok(error instanceof Fault, `${error}`);
    assert.equal(error.row.status, 400);
    assert.equal(error.row.code, 'invalid_request');
    return error.options.param ?? 'none';
  }
  return undefined;
}

test('an omitted field gets the published default', () => {
  const { sampling, prompt, stream, includeUsage } = readChatRequest(body());
  assert.deepEqual(
    { maxTokens: sampling.maxTokens, temperature: sampling.temperature, topP: sampling.topP, stream, includeUsage },
    { maxTokens: 1024, temperature: 1, topP: 1, stream: false, includeUsage: false },
  );
  assert.equal(prompt.reasoningEffort, null);
});

test('null means omitted for every optional field', () => {
  const names = [
    'max_tokens',
    'max_completion_tokens',
    'temperature',
    'top_p',
    'reasoning_effort',
    'tools',
    'tool_choice',
    'stream',
    'stream_options',
    'stop',
    'seed',
    'presence_penalty',
    'frequency_penalty',
    'n',
    'logprobs',
    'top_logprobs',
    'logit_bias',
    'response_format',
    'functions',
    'function_call',
    'modalities',
    'audio',
    'web_search_options',
    'parallel_tool_calls',
  ];
  assert.deepEqual(
    readChatRequest(body(Object.fromEntries(names.map((name) => [name, null])))),
    readChatRequest(body()),
  );
});

test('reasoning effort none and an omitted one are different requests', () => {
  assert.equal(readChatRequest(body({ reasoning_effort: 'none' })).prompt.reasoningEffort, 'none');
  assert.equal(readChatRequest(body({ reasoning_effort: null })).prompt.reasoningEffort, null);
});

test('a refused field is named by its path', () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ model: 1 }, 'model'],
    [{ model: '' }, 'model'],
    [{ messages: [] }, 'messages'],
    [{ messages: 'Hi' }, 'messages'],
    [{ messages: [user, { role: 'user', content: 7 }] }, 'messages[1].content'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      'messages[0].content[0].image_url.url',
    ],
    [{ messages: [{ role: 'function', name: 'f', content: '1' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'tool', content: '1' }] }, 'messages[0].tool_call_id'],
    [{ messages: [{ role: 'assistant', content: null }] }, 'messages[0].content'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_tokens: true }, 'max_tokens'],
    [{ max_tokens: 5, max_completion_tokens: 6 }, 'max_completion_tokens'],
    [{ temperature: 2.1 }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: -0.1 }, 'top_p'],
    [{ reasoning_effort: 'medium' }, 'reasoning_effort'],
    [{ stream: 'yes' }, 'stream'],
    [{ stream: true, stream_options: { include_usage: 1 } }, 'stream_options.include_usage'],
    [{ tools: [{ type: 'custom' }] }, 'tools[0].type'],
    [{ tools: [tool, tool] }, 'tools[1].function.name'],
    [{ tools: [{ type: 'function', function: { name: 'has space' } }] }, 'tools[0].function.name'],
    [{ tools: Array.from({ length: 129 }, (_, i) => ({ type: 'function', function: { name: `t${i}` } })) }, 'tools'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ tools: [tool], tool_choice: { type: 'function', function: { name: 'other' } } }, 'tool_choice'],
    [{ tools: [tool], tool_choice: { type: 'allowed_tools' } }, 'tool_choice'],
    [{ stop: ['a', ''] }, 'stop'],
    [{ stop: Array.from({ length: 9 }, () => 'x') }, 'stop'],
    [{ seed: 1.5 }, 'seed'],
    [{ presence_penalty: 3 }, 'presence_penalty'],
    [{ n: 0 }, 'n'],
    [{ n: 9 }, 'n'],
    [{ n: 1.5 }, 'n'],
    [{ logprobs: 5 }, 'logprobs'],
    [{ top_logprobs: 3 }, 'top_logprobs'],
    [{ logprobs: true, top_logprobs: 21 }, 'top_logprobs'],
    [{ logit_bias: { 1: 101 } }, 'logit_bias.1'],
    [{ logit_bias: { one: 2 } }, 'logit_bias'],
    [{ logit_bias: [1] }, 'logit_bias'],
    [{ top_k: -2 }, 'top_k'],
    [{ top_k: 1.5 }, 'top_k'],
    [{ min_p: 1.1 }, 'min_p'],
    [{ repetition_penalty: 0 }, 'repetition_penalty'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [{ functions: [] }, 'functions'],
    [{ modalities: ['audio'] }, 'modalities'],
    [{ audio: {} }, 'audio'],
    [{ suffix: 'x' }, 'suffix'],
  ];
  for (const [extra, param] of cases) assert.equal(paramOf(body(extra)), param, JSON.stringify(extra).slice(0, 100));
});

test('what clients send as bookkeeping is ignored', () => {
  const extra = {
    user: 'u',
    metadata: {},
    store: true,
    service_tier: 'auto',
    top_k: -1,
    n: 1,
    logprobs: false,
    logit_bias: { 5: 0 },
    modalities: ['text'],
  };
  assert.deepEqual(readChatRequest(body(extra)), readChatRequest(body()));
});

test('top-k, min-p, the repetition penalty and biases of tokens are read', () => {
  const extra = { top_k: 5, min_p: 0.1, repetition_penalty: 1.1, logit_bias: { 7: -100, 0: 2.5 } };
  assert.partialDeepStrictEqual(readChatRequest(body(extra)).sampling, {
    topK: 5,
    minP: 0.1,
    repetitionPenalty: 1.1,
    logitBias: [
      { token: 0, bias: 2.5 },
      { token: 7, bias: -100 },
    ],
  });
});

test('log probabilities are read with as many of the likeliest as are named', () => {
  const read = (extra: Record<string, unknown>) => readChatRequest(body(extra)).sampling.logprobs;
  assert.deepEqual([read({ logprobs: true }), read({ logprobs: true, top_logprobs: 3 })], [0, 3]);
  assert.deepEqual([read({}), read({ logprobs: false, top_logprobs: 0 })], [undefined, undefined]);
});

test('strict goes along as it was sent, and whatever else stands there is ignored', () => {
  const given = [true, false, undefined, null, 'yes', 1];
  const tools = given.map((strict, at) => ({ type: 'function', function: { name: `t${at}`, strict } }));
  const { prompt } = readChatRequest(body({ tools }));
  const read = prompt.tools.map((tool) => ('strict' in tool ? tool.strict : 'not said'));
  assert.deepEqual(read, [true, false, ...given.slice(2).map(() => 'not said')]);
});

test('an integral float is an integer and max_completion_tokens is max_tokens', () => {
  assert.equal(
    readChatRequest(JSON.parse('{"model":"m","messages":[{"role":"user","content":"x"}],"max_completion_tokens":64.0}'))
      .sampling.maxTokens,
    64,
  );
});

test('a seed of 64 bits is taken, always as the same safe integer, and one beyond is refused', () => {
  const seedOf = (seed: number) => readChatRequest(body({ seed })).sampling.seed;
  assert.equal(seedOf(-7), -7);
  assert.equal(seedOf(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  // as JavaScript reads 9223372036854775807 and 9223372036854770000
  for (const seed of [2 ** 63, 9_223_372_036_854_770_000, -(2 ** 62) - 4096]) {
    assert.ok(Number.isSafeInteger(seedOf(seed)));
    assert.equal(seedOf(seed), seedOf(seed));
  }
  assert.notEqual(seedOf(9_223_372_036_854_770_000), seedOf(9_223_372_036_854_760_000));
  assert.equal(paramOf(body({ seed: 2 ** 64 })), 'seed');
});

test('a part is refused for what is wrong with it: its type, or its text', () => {
  const refusalOf = (part: object) => () => readChatRequest(body({ messages: [{ role: 'user', content: [part] }] }));
  assert.throws(refusalOf({ type: 'input_audio' }), { message: /reads text only, not parts of type "input_audio"/ });
  assert.throws(refusalOf({ type: 'text', text: 5 }), {
    message: 'messages[0].content: expected a string as text of a part',
  });
});

test('text parts are joined with newlines and developer speaks as system', () => {
  const parts = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ];
  const { prompt } = readChatRequest(body({ messages: [{ role: 'developer', content: parts }, user] }));
  assert.deepEqual(prompt.messages[0], { role: 'system', content: 'a\nb' });
});

test('tool history keeps arguments that do not parse', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{broken' } };
  const { prompt } = readChatRequest(
    body({
      messages: [
        user,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: '1' },
      ],
    }),
  );
  assert.deepEqual(prompt.messages[1], {
    role: 'assistant',
    content: '',
    reasoning: null,
    toolCalls: [{ id: 'c', name: 'f', arguments: '{broken' }],
  });
});

test('any JSON value is read or refused with a 400, never anything else', () => {
  const known = fc.constantFrom(
    'model',
    'messages',
    'tools',
    'tool_choice',
    'stop',
    'response_format',
    'stream_options',
    'temperature',
    'seed',
    'x',
  );
  fc.assert(
    fc.property(fc.dictionary(known, fc.jsonValue()), fc.boolean(), (extra, whole) => {
      paramOf(whole ? extra : body(extra));
    }),
    { numRuns: 500 },
  );
});
