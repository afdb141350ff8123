import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finished } from '#engine';
import { CollectedAnswer, type NamedDelta } from '../../collected-answer.ts';
import { eventsOfMessage, writeMessageStream } from './message-stream.ts';
import { messageBody } from './message-wire.ts';
import { eventsIn, finished, head, signatures } from './messages.fixture.ts';

const deltas: NamedDelta[] = [
  { type: 'reasoning', text: 'Hm' },
  { type: 'reasoning', text: '.' },
  { type: 'content', text: 'Let me ' },
  { type: 'content', text: 'look.' },
  { type: 'tool_call', index: 0, callId: 'toolu_1', name: 'f', arguments: '{"b":1.50,"10":2}' },
  { type: 'tool_call', index: 1, callId: 'toolu_2', name: 'g', arguments: '{}' },
];

function bodyOf(given: readonly NamedDelta[], end: Finished, how: Partial<typeof head> = {}) {
  const answer = new CollectedAnswer();
  for (const delta of given) answer.add(delta);
  return messageBody({ ...head, ...how }, answer, end);
}

const usage = {
  input_tokens: 18,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 12,
  output_tokens: 9,
  output_tokens_details: { thinking_tokens: 4 },
};
const signature = signatures.sign('Hm.');

test('an answer has its blocks in the order in which they were written, and numbers as they were written', () => {
  const text = JSON.stringify(bodyOf(deltas, finished({ reason: 'tool_calls' })));
  assert.equal(
    text,
    `{"id":"msg_7f3a","type":"message","role":"assistant","model":"a \\"quoted\\" model","content":[{"type":"thinking","thinking":"Hm.","signature":"${signature}"},{"type":"text","text":"Let me look."},{"type":"tool_use","id":"toolu_1","name":"f","input":{"b":1.50,"10":2}},{"type":"tool_use","id":"toolu_2","name":"g","input":{}}],"stop_reason":"tool_use","stop_sequence":null,"usage":${JSON.stringify(usage)}}`,
  );
});

test('an answer says why it ended', () => {
  const said: NamedDelta[] = [{ type: 'content', text: 'a' }];
  const counts = (completionTokens: number) => ({ ...finished().usage, completionTokens });
  const cases: [readonly NamedDelta[], Finished, string, string | null][] = [
    [said, finished(), 'end_turn', null],
    [[], finished(), 'end_turn', null],
    [said, finished({ reason: 'cancelled' }), 'end_turn', null],
    [said, finished({ stopText: 'END' }), 'stop_sequence', 'END'],
    [said, finished({ reason: 'length', usage: counts(100) }), 'max_tokens', null],
    [said, finished({ reason: 'length', usage: counts(99) }), 'model_context_window_exceeded', null],
    [said, finished({ reason: 'length', usage: counts(0) }), 'max_tokens', null],
    [deltas, finished({ reason: 'tool_calls' }), 'tool_use', null],
    [deltas, finished(), 'tool_use', null],
    [deltas, finished({ reason: 'length', usage: counts(100) }), 'max_tokens', null],
  ];
  for (const [given, end, reason, sequence] of cases) {
    const { stop_reason, stop_sequence } = bodyOf(given, end);
    assert.deepEqual([stop_reason, stop_sequence], [reason, sequence]);
    const writer = writeMessageStream(head);
    const events = eventsIn(given.map(writer.delta).join('') + writer.end(end));
    assert.deepEqual(events.at(-2)?.['delta'], { stop_reason: reason, stop_sequence: sequence });
  }
});

test('a thought that is not to be shown is in its signature', () => {
  const [block] = bodyOf(deltas, finished(), { hidesThinking: true }).content;
  assert.deepEqual(block, { type: 'thinking', thinking: '', signature: signatures.seal('Hm.') });
  const writer = writeMessageStream({ ...head, hidesThinking: true });
  const stream = writer.begin({ promptTokens: 30 }) + deltas.map(writer.delta).join('') + writer.end(finished());
  assert.doesNotMatch(stream, /Hm|thinking_delta/);
});

test('a stream has the events of Anthropic in their order', () => {
  const writer = writeMessageStream(head);
  const stream =
    writer.begin({ promptTokens: 30 }) +
    deltas.map(writer.delta).join('') +
    writer.end(finished({ reason: 'tool_calls' }));
  const of = (type: string, fields: object = {}) => ({ type, ...fields });
  const delta = (index: number, fields: object) => of('content_block_delta', { index, delta: fields });
  const start = (index: number, content_block: object) => of('content_block_start', { index, content_block });
  const stop = (index: number) => of('content_block_stop', { index });
  const begun = { ...usage, input_tokens: 30, cache_read_input_tokens: 0, output_tokens: 0 };
  assert.deepEqual(eventsIn(stream), [
    of('message_start', {
      message: {
        id: head.id,
        type: 'message',
        role: 'assistant',
        model: head.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...begun, output_tokens_details: { thinking_tokens: 0 } },
      },
    }),
    of('ping'),
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
    delta(0, { type: 'thinking_delta', thinking: '.' }),
    delta(0, { type: 'signature_delta', signature }),
    stop(0),
    start(1, { type: 'text', text: '' }),
    delta(1, { type: 'text_delta', text: 'Let me ' }),
    delta(1, { type: 'text_delta', text: 'look.' }),
    stop(1),
    start(2, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
    delta(2, { type: 'input_json_delta', partial_json: '{"b":1.50,"10":2}' }),
    stop(2),
    start(3, { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} }),
    delta(3, { type: 'input_json_delta', partial_json: '{}' }),
    stop(3),
    of('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage }),
    of('message_stop'),
  ]);
});

test('an answer that was kept is streamed again with what its first stream said', () => {
  const whole = (of: string) => eventsIn(of).filter(({ type }) => type !== 'content_block_delta');
  for (const hidesThinking of [false, true]) {
    const how = { ...head, hidesThinking };
    const writer = writeMessageStream(how);
    const end = finished({ reason: 'tool_calls' });
    const first = writer.begin({ promptTokens: 30 }) + deltas.map(writer.delta).join('') + writer.end(end);
    const [begin, ...rest] = whole(eventsOfMessage(bodyOf(deltas, end, how)));
    assert.equal(begin?.type, 'message_start');
    assert.deepEqual(rest, whole(first).slice(1));
    const data = (of: string) => eventsIn(of).filter(({ type }) => type === 'content_block_delta');
    assert.deepEqual(data(eventsOfMessage(bodyOf(deltas, end, how))).at(-2), data(first).at(-2));
  }
});

test('an event is one line also for who takes the line ends of Unicode for some', () => {
  const text = 'a\u0085b\u2028c\u2029d\n';
  const writer = writeMessageStream(head);
  const call = { type: 'tool_call' as const, index: 0, name: 'f', arguments: JSON.stringify({ text }), callId: 'c' };
  const given: NamedDelta[] = [{ type: 'content', text }, { type: 'reasoning', text }, call];
  for (const event of given.map(writer.delta).join('').split('\n\n'))
    assert.doesNotMatch(event.replace('\n', ' '), /[\n\r\u0085\u2028\u2029]/);
});
