import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finished } from '#engine';
import { chatCompletion, createCollector, createFrames, textCompletion, usageToWire, wireId } from './chat-wire.ts';
import { embeddingList } from './embedding-wire.ts';

const head = { id: 'chatcmpl-7f3a', created: 1760000000, model: 'a "quoted" model' };
const usage = { promptTokens: 9, completionTokens: 5, reasoningTokens: 2, cachedTokens: 3 };
const stop: Finished = { reason: 'stop', usage, activeMs: 12 };
const wireUsage = {
  prompt_tokens: 9,
  completion_tokens: 5,
  total_tokens: 14,
  reasoning_tokens: 2,
  cached_tokens: 3,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

test('a chat completion has the published shape', () => {
  const collector = createCollector();
  collector.add({ type: 'content', text: 'Hel' });
  collector.add({ type: 'content', text: 'lo' });
  assert.deepEqual(chatCompletion(head, collector, stop), {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: wireUsage,
  });
});

test('a tool call without text has null content, and reasoning stands apart', () => {
  const collector = createCollector();
  collector.add({ type: 'reasoning', text: 'Need weather.' });
  collector.add({ type: 'tool_call', index: 0, name: 'get_weather', arguments: '{"city":"Paris"}' });
  const { message } = chatCompletion(head, collector, { ...stop, reason: 'tool_calls' }).choices[0] ?? {};
  assert.match(message?.tool_calls?.[0]?.id ?? '', /^call_[A-Za-z0-9]{24}$/);
  assert.deepEqual(
    { ...message, tool_calls: message?.tool_calls?.map((call) => call.function) },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      reasoning_content: 'Need weather.',
      tool_calls: [{ name: 'get_weather', arguments: '{"city":"Paris"}' }],
    },
  );
});

test('frames are valid JSON in the published order and shape', () => {
  const frames = createFrames(head, true);
  const base = { id: head.id, object: 'chat.completion.chunk', created: head.created, model: head.model };
  const chunk = (delta: unknown, finish: string | null) => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    usage: null,
  });
  assert.deepEqual(JSON.parse(frames.role()), chunk({ role: 'assistant', content: '' }, null));
  assert.deepEqual(
    frames.delta({ type: 'content', text: 'a\n"' }).map((text) => JSON.parse(text)),
    [chunk({ content: 'a\n"' }, null)],
  );
  assert.deepEqual(
    frames.delta({ type: 'reasoning', text: 'r' }).map((text) => JSON.parse(text)),
    [chunk({ reasoning_content: 'r' }, null)],
  );
  assert.deepEqual(JSON.parse(frames.finish(stop.reason)), chunk({}, 'stop'));
  assert.deepEqual(JSON.parse(frames.usage(usageToWire(usage))), { ...base, choices: [], usage: wireUsage });
});

test('without include_usage no frame has a usage key', () => {
  const frames = createFrames(head, false);
  for (const text of [frames.role(), frames.finish(stop.reason)]) assert.ok(!('usage' in JSON.parse(text)));
});

test('a streamed tool call names itself once and then carries its arguments', () => {
  const deltas = createFrames(head, false)
    .delta({ type: 'tool_call', index: 1, name: 'f', arguments: '{"a":1}' })
    .map((text) => JSON.parse(text).choices[0].delta.tool_calls);
  assert.deepEqual(
    deltas.map((calls) => calls.length),
    [1, 1],
  );
  assert.deepEqual(
    { ...deltas[0][0], id: 'x' },
    { index: 1, id: 'x', type: 'function', function: { name: 'f', arguments: '' } },
  );
  assert.deepEqual(deltas[1][0], { index: 1, function: { arguments: '{"a":1}' } });
});

test('a frame is one line also for who takes the line ends of Unicode for some, and says them all the same', () => {
  const text = 'a\u0085b\u2028c\u2029d\n';
  const frames = createFrames(head, false);
  const call = { type: 'tool_call' as const, index: 0, name: 'f', arguments: JSON.stringify({ text }) };
  const texts = [{ type: 'content' as const, text }, { type: 'reasoning' as const, text }, call].flatMap(frames.delta);
  for (const json of texts) assert.doesNotMatch(json, /[\n\r\u0085\u2028\u2029]/);
  const [content, reasoning, , called] = texts.map((json) => JSON.parse(json).choices[0].delta);
  const args = JSON.parse(called.tool_calls[0].function.arguments);
  assert.deepEqual([content.content, reasoning.reasoning_content, args.text], [text, text, text]);
});

test('a legacy completion shows the visible text only', () => {
  const collector = createCollector();
  collector.add({ type: 'reasoning', text: 'hm' });
  collector.add({ type: 'content', text: 'Hello' });
  assert.deepEqual(textCompletion({ ...head, id: 'cmpl-1' }, collector, stop).choices, [
    { text: 'Hello', index: 0, logprobs: null, finish_reason: 'stop' },
  ]);
});

test('base64 holds the same little-endian float32 values as the numbers', () => {
  const answer = { vectors: [Float32Array.of(0.25, -0.5, 1)], truncated: [true], promptTokens: 7, activeMs: 1 };
  const request = { model: 'e', inputs: ['x'], dimensions: null, role: 'document', truncate: true } as const;
  const list = (encoding: 'float' | 'base64') =>
    embeddingList({ ...request, inputs: [...request.inputs], encoding }, answer);
  assert.deepEqual(list('base64').data, [
    { object: 'embedding', index: 0, embedding: 'AACAPgAAAL8AAIA/', truncated: true },
  ]);
  assert.deepEqual(list('float'), {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5, 1], truncated: true }],
    model: 'e',
    usage: { prompt_tokens: 7, total_tokens: 7 },
  });
});

test('wire ids are unique and of fixed shape', () => {
  const ids = Array.from({ length: 1000 }, () => wireId('chatcmpl-'));
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^chatcmpl-[A-Za-z0-9]{24}$/);
});
