import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finished } from '#engine';
import { CollectedAnswer } from '../../collected-answer.ts';
import { chatCompletion, createFrames, usageToWire } from './index.ts';

const head = { id: 'chatcmpl-7f3a', created: 1760000000, model: 'a "quoted" model' };
const usage = { promptTokens: 9, completionTokens: 5, reasoningTokens: 2, cachedTokens: 3 };
const stop: Finished = { reason: 'stop', usage, activeMs: 12 };
/** The JSON of each event. */
const framesIn = (events: string) =>
  events
    .split('\n\n')
    .slice(0, -1)
    .map((event) => JSON.parse(event.replace(/^data: /, '')));
const frameIn = (event: string) => framesIn(event)[0];
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
  const collected = new CollectedAnswer();
  collected.add({ type: 'content', text: 'Hel' });
  collected.add({ type: 'content', text: 'lo' });
  assert.deepEqual(chatCompletion(head, collected, stop), {
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
  const collected = new CollectedAnswer();
  collected.add({ type: 'reasoning', text: 'Need weather.' });
  collected.add({ type: 'tool_call', index: 0, name: 'get_weather', arguments: '{"city":"Paris"}', callId: 'call_1' });
  const { message } = chatCompletion(head, collected, { ...stop, reason: 'tool_calls' }).choices[0] ?? {};
  assert.equal(message?.tool_calls?.[0]?.id, 'call_1');
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
  assert.deepEqual(frameIn(frames.role()), chunk({ role: 'assistant', content: '' }, null));
  assert.deepEqual(framesIn(frames.delta({ type: 'content', text: 'a\n"' })), [chunk({ content: 'a\n"' }, null)]);
  assert.deepEqual(framesIn(frames.delta({ type: 'reasoning', text: 'r' })), [chunk({ reasoning_content: 'r' }, null)]);
  assert.deepEqual(frameIn(frames.finish(stop.reason)), chunk({}, 'stop'));
  assert.deepEqual(frameIn(frames.usage(usageToWire(usage))), { ...base, choices: [], usage: wireUsage });
});

test('without include_usage no frame has a usage key', () => {
  const frames = createFrames(head, false);
  for (const text of [frames.role(), frames.finish(stop.reason)]) assert.ok(!('usage' in frameIn(text)));
});

test('a streamed tool call names itself once and then carries its arguments', () => {
  const events = createFrames(head, false).delta({
    type: 'tool_call',
    index: 1,
    name: 'f',
    arguments: '{"a":1}',
    callId: 'call_1',
  });
  const deltas = framesIn(events).map((frame) => frame.choices[0].delta.tool_calls);
  assert.deepEqual(
    deltas.map((calls) => calls.length),
    [1, 1],
  );
  assert.deepEqual(deltas[0][0], { index: 1, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } });
  assert.deepEqual(deltas[1][0], { index: 1, function: { arguments: '{"a":1}' } });
});

test('a frame is one line also for who takes the line ends of Unicode for some, and says them all the same', () => {
  const text = 'a\u0085b\u2028c\u2029d\n';
  const frames = createFrames(head, false);
  const call = { type: 'tool_call' as const, index: 0, name: 'f', arguments: JSON.stringify({ text }), callId: 'c' };
  const deltas = [{ type: 'content' as const, text }, { type: 'reasoning' as const, text }, call];
  const events = deltas.map((delta) => frames.delta(delta)).join('');
  for (const event of events.split('\n\n')) assert.doesNotMatch(event, /[\n\r\u0085\u2028\u2029]/);
  const [content, reasoning, , called] = framesIn(events).map((frame) => frame.choices[0].delta);
  const args = JSON.parse(called.tool_calls[0].function.arguments);
  assert.deepEqual([content.content, reasoning.reasoning_content, args.text], [text, text, text]);
});
