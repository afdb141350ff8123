import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Finished } from '#engine';
import { CollectedAnswer, type NamedDelta } from '../../collected-answer.ts';
import { type CohereAnswer, cohereAnswer, eventsOfAnswer, writeCohereStream } from './chat-answer.ts';
import { readCohereChat } from './chat-request.ts';

const question = { model: 'chat', messages: [{ role: 'user', content: 'Hello' }] };

const finished: Finished = {
  reason: 'stop',
  usage: { promptTokens: 12, completionTokens: 5, reasoningTokens: 0, cachedTokens: 3 },
  activeMs: 1,
};

test('a body is read as its field names say, with the defaults of the catalogue', () => {
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
  const { prompt, sampling, stream } = readCohereChat({
    ...question,
    messages: [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      ...question.messages,
      {
        role: 'assistant',
        tool_plan: 'plan',
        tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      {
        role: 'tool',
        tool_call_id: '1',
        content: [
          { type: 'document', document: { data: { a: 1 } } },
          { type: 'text', text: 'c' },
        ],
      },
    ],
    tools: [tool],
    strict_tools: true,
    tool_choice: 'REQUIRED',
    k: 5,
    p: 0.5,
    stop_sequences: ['x'],
    thinking: { type: 'enabled', token_budget: 7 },
    stream: true,
    safety_mode: 'STRICT',
  });
  assert.deepEqual(prompt.messages, [
    { role: 'system', content: 'a\nb' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: '', reasoning: 'plan', toolCalls: [{ id: '1', name: 'f', arguments: '{}' }] },
    { role: 'tool', content: '{"a":1}\nc', toolCallId: '1' },
  ]);
  assert.deepEqual(prompt.tools, [{ name: 'f', description: null, parameters: { type: 'object' }, strict: true }]);
  assert.deepEqual(prompt.toolChoice, { mode: 'required' });
  assert.equal(prompt.reasoningEffort, 'high');
  assert.partialDeepStrictEqual(sampling, { topK: 5, topP: 0.5, stop: ['x'], maxReasoningTokens: 7 });
  assert.equal(stream, true);
  assert.partialDeepStrictEqual(readCohereChat(question), { stream: false, prompt: { reasoningEffort: 'none' } });
});

test('what would change the answer is refused and names its field', () => {
  const cases: [object, RegExp][] = [
    [{ documents: ['x'] }, /^documents: not supported; put documents into a message/],
    [{ logprobs: true }, /^logprobs: /],
    [{ tool_choice: 'REQUIRED' }, /^tool_choice: "REQUIRED" needs tools/],
    [{ messages: [] }, /^messages: /],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      /^messages\[0\]\.content\[0\]\.image_url\.url: this is no image/,
    ],
  ];
  for (const [fields, message] of cases) assert.throws(() => readCohereChat({ ...question, ...fields }), { message });
});

test('an answer has its parts, its calls and why it ended', () => {
  const answer = new CollectedAnswer();
  answer.add({ type: 'reasoning', text: 'hm' });
  answer.add({ type: 'content', text: 'Yes.' });
  answer.add({ type: 'tool_call', index: 0, callId: 'call_1', name: 'f', arguments: '{"a":1}' });
  const counted = { input_tokens: 12, output_tokens: 5 };
  assert.deepEqual(cohereAnswer('chat_1', answer, finished), {
    id: 'chat_1',
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Yes.' },
      ],
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    },
    finish_reason: 'TOOL_CALL',
    usage: { billed_units: counted, tokens: counted, cached_tokens: 3 },
  });
  const reasonOf = (end: Partial<Finished>) =>
    cohereAnswer('1', new CollectedAnswer(), { ...finished, ...end }).finish_reason;
  assert.deepEqual(
    [reasonOf({}), reasonOf({ reason: 'length' }), reasonOf({ stopText: 'x' })],
    ['COMPLETE', 'MAX_TOKENS', 'STOP_SEQUENCE'],
  );
});

/** Puts events together as the clients do. */
function answerOf(stream: string): CohereAnswer {
  const answer = { message: { role: 'assistant', content: [], tool_calls: [] } } as unknown as Required<CohereAnswer>;
  const { content = [], tool_calls: calls = [] } = answer.message;
  for (const block of stream.split('\n\n').slice(0, -2)) {
    const { type, index, id, delta } = JSON.parse(block.split('\ndata: ')[1] ?? '');
    if (type === 'message-start') answer.id = id;
    if (type === 'content-start') content[index] = delta.message.content;
    if (type === 'content-delta') {
      const part = content[index] as Record<string, string>;
      for (const [name, text] of Object.entries<string>(delta.message.content)) part[name] += text;
    }
    if (type === 'tool-call-start') calls[index] = delta.message.tool_calls;
    if (type === 'tool-call-delta') {
      const call = calls[index] ?? assert.fail();
      call.function.arguments += delta.message.tool_calls.function.arguments;
    }
    if (type === 'message-end') Object.assign(answer, delta);
  }
  if (content.length === 0) delete answer.message.content;
  if (calls.length === 0) delete answer.message.tool_calls;
  return answer;
}

test('a stream adds up to the answer however it is split, and so does its replay', () => {
  const text = fc.string({ maxLength: 8, unit: 'grapheme' });
  const delta = fc.oneof(
    fc.record({ type: fc.constantFrom('content' as const, 'reasoning' as const), text }),
    fc.record({
      type: fc.constant('tool_call' as const),
      index: fc.nat(),
      callId: fc.uuid(),
      name: text,
      arguments: fc.json(),
    }),
  );
  fc.assert(
    fc.property(fc.array(delta, { maxLength: 12 }), (deltas: NamedDelta[]) => {
      const answer = new CollectedAnswer();
      const writer = writeCohereStream('chat_1');
      let stream = writer.begin({ promptTokens: null });
      for (const each of deltas) {
        answer.add(each);
        stream += writer.delta(each);
      }
      stream += writer.end(finished);
      const whole = cohereAnswer('chat_1', answer, finished);
      assert.deepEqual(answerOf(stream), whole);
      assert.deepEqual(answerOf(eventsOfAnswer(whole)), whole);
    }),
  );
});
