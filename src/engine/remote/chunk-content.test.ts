import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { read } from './chat-answer.fixture.ts';
import { type Chunk, delta, finish } from './upstream.fixture.ts';

test('content and reasoning may be lists of parts, in deltas and in whole answers', () => {
  const text = (said: string) => ({ type: 'text', text: said });
  const whole = (fields: Chunk) => [{ choices: [{ index: 0, message: fields, finish_reason: 'stop' }] }];
  for (const chunks of [
    whole({ content: [text('Two.')] }),
    whole({ content: [text('Tw'), text('o.')] }),
    whole({ content: ['Tw', 'o.'] }),
    whole({ content: text('Two.') }),
    whole({ content: [{ type: 'output_text', text: 'Two.', annotations: [] }] }),
    whole({ content: [{ type: 'text', text: { value: 'Two.' } }] }),
    whole({ content: [{ type: 'refusal', refusal: 'Two.' }] }),
    whole({ content: [text('Two.'), { type: 'reference', reference_ids: [1] }] }),
    whole({ content: null, refusal: 'Two.' }),
    [{ choices: [{ index: 0, text: 'Two.', finish_reason: 'stop' }] }],
    [{ choices: [{ index: 0, delta: null, message: { content: 'Two.' }, finish_reason: 'stop' }] }],
    [delta({ content: [text('Tw')] }), delta({ content: [] }), delta({ content: 'o.' }), finish('stop')],
  ]) {
    const { content, reasoning } = read(chunks);
    assert.deepEqual({ content, reasoning }, { content: 'Two.', reasoning: '' }, JSON.stringify(chunks));
  }
  for (const fields of [
    { content: [{ type: 'reasoning', text: 'It is 2.' }, text('Two.')] },
    { content: [{ type: 'thinking', thinking: [text('It is 2.')] }, text('Two.')] },
    { content: [{ type: 'thinking', thinking: 'It is 2.' }, text('\nTwo.')] },
    {
      content: [
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'It is 2.' }] },
        text('Two.'),
      ],
    },
    { content: [text('Two.')], reasoning_content: [text('It is 2.')] },
    { content: 'Two.', thinking: 'It is 2.' },
    { content: 'Two.', reasoning: 'It is 2.', reasoning_details: [{ type: 'reasoning.text', text: 'It is 2.' }] },
    { content: 'Two.', reasoning_details: [{ type: 'reasoning.text', text: 'It is 2.' }] },
  ])
    for (const chunks of [whole(fields), [delta(fields), finish('stop')]]) {
      const { content, reasoning } = read(chunks);
      assert.deepEqual({ content, reasoning }, { content: 'Two.', reasoning: 'It is 2.' }, JSON.stringify(fields));
    }
});

test('calls that alternate by place are whole calls, also beside text, in the last chunk, in a list of parts or in the older form', () => {
  const piece = (index: number, fields: Chunk) => ({ index, function: fields });
  const alternating = [
    delta({ content: 'So:' }),
    delta({ tool_calls: [piece(0, { name: 'f', arguments: '{"a"' }), piece(1, { name: 'g', arguments: '{"b"' })] }),
    delta({ tool_calls: [piece(0, { arguments: ':1}' })] }),
    delta({ tool_calls: [piece(1, { arguments: ':2}' })] }),
    finish('tool_calls'),
  ];
  const calls = [piece(0, { name: 'f', arguments: '{"a":1}' }), piece(1, { name: 'g', arguments: '{"b":2}' })];
  const last = [{ choices: [{ index: 0, delta: { content: 'So:', tool_calls: calls }, finish_reason: 'tool_calls' }] }];
  const late = [delta({ content: 'So:' }), finish('tool_calls'), delta({ tool_calls: calls })];
  const parts = [
    { type: 'text', text: 'So:' },
    { type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } },
    { type: 'tool_use', id: 'y', name: 'g', input: { b: 2 } },
  ];
  for (const chunks of [alternating, last, late, [delta({ content: parts }), finish('tool_use')]]) {
    const { calls: told, content, answer } = read(chunks);
    const expected = [
      { type: 'tool_call', index: 0, name: 'f', arguments: '{"a":1}' },
      { type: 'tool_call', index: 1, name: 'g', arguments: '{"b":2}' },
    ];
    assert.deepEqual([told, content, answer.reason], [expected, 'So:', 'tool_calls'], JSON.stringify(chunks));
  }
  const legacy = [
    delta({ function_call: { name: 'f', arguments: '' } }),
    delta({ function_call: { arguments: '{"a":1}' } }),
    finish('function_call'),
  ];
  assert.deepEqual(read(legacy).calls, [{ type: 'tool_call', index: 0, name: 'f', arguments: '{"a":1}' }]);
});

test('of several choices the first is the answer, whatever their order', () => {
  const choice = (index: number, content: string, finish_reason: string | null = null) => ({
    index,
    delta: { content },
    finish_reason,
  });
  for (const chunks of [
    [{ choices: [choice(1, 'No'), choice(0, 'Yes')] }, { choices: [choice(1, '.', 'length')] }, finish('stop')],
    [
      { choices: [choice(0, 'Yes')] },
      { choices: [choice(1, 'No')] },
      finish('stop'),
      { choices: [choice(1, '', 'error')] },
    ],
    [{ choices: [choice(3, 'Yes')] }, { choices: [choice(3, '', 'stop')] }],
  ]) {
    const { content, answer } = read(chunks);
    assert.deepEqual([content, answer.reason], ['Yes', 'stop']);
  }
});

test('an answer that says nothing is empty, and one that says what cannot be read has failed', () => {
  for (const fields of [{ content: '' }, { content: null }, {}, { role: 'assistant', content: [], annotations: [] }])
    assert.equal(read([delta(fields), finish('stop')]).content, '');
  const call = { id: 'a', function: { name: 'f', arguments: '{}' } };
  for (const chunks of [
    [delta({ content: [{ type: 'image_url', image_url: { url: 'data:' } }] }), finish('stop')],
    [delta({ content: null, audio: { id: 'a', data: 'aGk=' } }), finish('stop')],
    [delta({ answer: 'Two.' }), finish('stop')],
    [delta({ tool_calls: [{ type: 'custom', custom: { input: 'x' } }] }), finish('stop')],
    [{ ...finish('stop'), response: 'Two.' }],
    [delta({}), finish('tool_calls')],
    [delta({}), finish('content_filter')],
  ]) {
    assert.throws(() => read(chunks), isUnread, JSON.stringify(chunks));
    // Beside something that can be read it is left out.
    assert.equal(read([delta({ content: 'Hi' }), ...chunks]).content, 'Hi');
  }
  assert.throws(() => read([delta({ tool_calls: [call] }), finish('tool_calls')], { hasTools: false }), isUnread);
});

const isUnread = (error: unknown): boolean => error instanceof Fault && /cannot be read/.test(error.message);
