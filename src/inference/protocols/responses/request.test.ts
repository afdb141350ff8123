import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTextSeal } from '#kernel';
import { responsesRequestSchema } from './request.schema.ts';
import { readResponsesRequest } from './request.ts';

const seal = createTextSeal(Buffer.alloc(32, 1), 'reasoning');
const read = (body: object) => readResponsesRequest({ model: 'm', input: 'Hi', ...body }, seal);
const messages = (input: unknown, body: object = {}) => read({ input, ...body }).prompt.messages;

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string, more: object = {}) => ({
  role: 'assistant',
  content,
  reasoning: null,
  toolCalls: [],
  ...more,
});
const call = (id: string, name: string, args: string) => ({ id, name, arguments: args });

test('a body without further fields asks for the rest of the context, with the published defaults', () => {
  const { prompt, sampling, stream, dropsOldestTurns, wantsStored, wantsSealed, wantsSummary } = read({});
  assert.deepEqual(prompt, {
    messages: [user('Hi')],
    tools: [],
    toolChoice: { mode: 'auto' },
    parallelToolCalls: true,
    responseFormat: { type: 'text' },
    reasoningEffort: null,
    effortIsHint: true,
  });
  const penalties = { presencePenalty: 0, frequencyPenalty: 0, seed: null, stop: [] };
  assert.deepEqual(sampling, { maxTokens: null, temperature: 1, topP: 1, ...penalties });
  const flags = { stream, dropsOldestTurns, wantsStored, wantsSealed, wantsSummary };
  assert.deepEqual(flags, {
    stream: false,
    dropsOldestTurns: false,
    wantsStored: true,
    wantsSealed: false,
    wantsSummary: false,
  });
});

test('null counts as omitted, and what is of no use here is ignored', () => {
  const plain = read({});
  const names = Object.keys(responsesRequestSchema.properties).filter((name) => name !== 'model' && name !== 'input');
  assert.deepEqual(read(Object.fromEntries(names.map((name) => [name, null]))), plain);
  const ignored = { prompt_cache_retention: '24h', stream_options: { include_obfuscation: false }, background: false };
  const same = { top_logprobs: 0, context_management: [], unknown: 1, max_tool_calls: 3, service_tier: 'auto' };
  assert.deepEqual(read({ ...ignored, ...same }).prompt, plain.prompt);
});

test('instructions are the first system message, and messages are read in every form that clients send', () => {
  assert.deepEqual(
    messages(
      [
        { role: 'developer', content: 'Be kind.' },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'a' },
            { type: 'input_text', text: 'b' },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'output_text', text: 'c', annotations: [], logprobs: [] }],
          phase: 'final_answer',
        },
        { role: 'system', content: [{ type: 'text', text: 'd' }] },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }], id: 'msg_1', status: 'completed' },
        { role: 'user', content: [] },
      ],
      { instructions: 'Be brief.' },
    ),
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Be kind.' },
      user('a\nb'),
      assistant('c'),
      { role: 'system', content: 'd' },
      assistant('No.'),
      user(''),
    ],
  );
});

test('empty instructions are none', () => {
  const asked = [{ role: 'user', content: 'Hi' }];
  assert.deepEqual(messages(asked, { instructions: '' }), [user('Hi')]);
});

test('what the model wrote in a row is one message, with its reasoning and its calls', () => {
  const items = [
    { role: 'user', content: 'Weather?' },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'Two ' },
        { type: 'summary_text', text: 'calls.' },
      ],
    },
    { type: 'message', role: 'assistant', content: 'I look.' },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{"a":1}', status: 'completed' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '*** Begin\n' },
    { type: 'function_call_output', call_id: 'call_1', output: '21' },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'ok' }] },
    { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Done.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '21 degrees.' }] },
    { type: 'reasoning', summary: [], content: null, encrypted_content: null },
    { role: 'user', content: 'Thanks.' },
  ];
  assert.deepEqual(messages(items), [
    user('Weather?'),
    assistant('I look.', {
      reasoning: 'Two \ncalls.',
      toolCalls: [call('call_1', 'look', '{"a":1}'), call('call_2', 'patch', '{"input":"*** Begin\\n"}')],
    }),
    { role: 'tool', content: '21', toolCallId: 'call_1' },
    { role: 'tool', content: 'ok', toolCallId: 'call_2' },
    assistant('21 degrees.', { reasoning: 'Done.' }),
    user('Thanks.'),
  ]);
});

test('what a tool gave beside text is left out and told, so that an agent can go on', () => {
  const output = [
    { type: 'input_text', text: 'a.png' },
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA', text: 5, refusal: 5 },
  ];
  assert.deepEqual(messages([{ type: 'function_call_output', call_id: 'call_1', output }]), [
    {
      role: 'tool',
      toolCallId: 'call_1',
      content: 'a.png\n[input_image left out: this model reads text only]',
    },
  ]);
});

test('sealed reasoning is read when this installation sealed it, and passed over otherwise', () => {
  const thought = (encrypted_content: string, more: object = {}) =>
    messages([
      { type: 'reasoning', summary: [], encrypted_content, ...more },
      { role: 'assistant', content: 'x' },
    ]);
  const sealed = seal.seal('Hm. ü');
  assert.deepEqual(thought(sealed), [assistant('x', { reasoning: 'Hm. ü' })]);
  assert.deepEqual(thought(sealed, { summary: [{ type: 'summary_text', text: 'short' }] }), [
    assistant('x', { reasoning: 'Hm. ü' }),
  ]);
  const others = createTextSeal(Buffer.alloc(32, 2), 'reasoning');
  const changed = `${sealed.slice(0, -4)}AAAA`;
  for (const wrong of ['', 'gAAAAB', 'ü', others.seal('Hm.'), changed, sealed.slice(0, 40)]) {
    assert.deepEqual(thought(wrong), [assistant('x')], wrong);
    const shown = { summary: [{ type: 'summary_text', text: 'short' }] };
    assert.deepEqual(thought(wrong, shown), [assistant('x', { reasoning: 'short' })], wrong);
  }
});

test('items of hosted tools are passed over, whatever they hold', () => {
  for (const type of [
    ...['web_search_call', 'file_search_call', 'mcp_call', 'mcp_list_tools', 'computer_call', 'computer_call_output'],
    ...['local_shell_call', 'local_shell_call_output', 'shell_call', 'image_generation_call', 'code_interpreter_call'],
    ...['tool_search_call', 'compaction', 'apply_patch_call', 'additional_tools', 'something_new'],
  ])
    assert.deepEqual(
      messages([
        { type, call_id: 7, output: {}, role: 5 },
        { role: 'user', content: 'x' },
      ]),
      [user('x')],
    );
});

test('efforts come to the nearest one that models know', () => {
  const efforts = {
    none: 'none',
    minimal: 'low',
    low: 'low',
    medium: 'high',
    high: 'high',
    xhigh: 'high',
    max: 'high',
  };
  for (const [effort, known] of Object.entries(efforts))
    assert.equal(read({ reasoning: { effort } }).prompt.reasoningEffort, known);
  assert.equal(read({ reasoning: {} }).prompt.reasoningEffort, null);
  assert.equal(read({ reasoning: { summary: 'auto' } }).wantsSummary, true);
  assert.equal(read({ reasoning: { generate_summary: 'concise' } }).wantsSummary, true);
  assert.equal(read({ reasoning: { summary: 'none' } }).wantsSummary, false);
});

test('the form of the answer is read, and shown again', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const format = { type: 'json_schema', name: 'thing', schema, strict: true };
  const { prompt, settings } = read({ text: { format, verbosity: 'low' } });
  assert.deepEqual(prompt.responseFormat, { type: 'json_schema', schema });
  assert.deepEqual(Reflect.get(settings, 'text'), { format: { ...format, description: null }, verbosity: 'low' });
  assert.deepEqual(read({ text: { format: { type: 'json_object' } } }).prompt.responseFormat, { type: 'json_object' });
  assert.deepEqual(read({ text: { format: { type: 'json_schema', name: 'x' } } }).prompt.responseFormat, {
    type: 'json_object',
  });
});
