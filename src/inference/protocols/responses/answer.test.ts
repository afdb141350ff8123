import assert from 'node:assert/strict';
import { test } from 'node:test';
import type OpenAI from 'openai';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { fault } from '#kernel';
import { fc } from '#test/properties.ts';
import { CollectedAnswer, type NamedDelta } from '../../collected-answer.ts';
import { answered, type Ended, type Event, eventsIn, seal } from './answer.fixture.ts';
import { eventsOf } from './events.ts';
import type { ResponseBody } from './response-body.ts';

const tools = [
  { type: 'function', name: 'look', parameters: { type: 'object' } },
  { type: 'custom', name: 'patch' },
  { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] },
];
const deltas: NamedDelta[] = [
  { type: 'reasoning', text: 'Let me ' },
  { type: 'reasoning', text: 'see.' },
  { type: 'content', text: 'I ' },
  { type: 'content', text: 'look.' },
  { type: 'tool_call', index: 0, name: 'look', arguments: '{"a":1}', callId: 'call_1' },
  { type: 'tool_call', index: 1, name: 'patch', arguments: '{"input":"*** Begin\\n"}', callId: 'call_2' },
  { type: 'tool_call', index: 2, name: 'crm__find', arguments: '{}', callId: 'call_3' },
];

// as: only `collect` makes these bodies.
const bodyOf = (body: object) => body as ResponseBody;

test('the items of an answer have stable ids, in the order in which the model wrote them', () => {
  const { collected } = answered({ tools });
  const body = bodyOf(collected(deltas, 'tool_calls'));
  const key = body.id.slice('resp_'.length);
  assert.match(key, /^[A-Za-z0-9]{24}$/);
  const status = 'completed';
  assert.deepEqual(body.output, [
    {
      id: `rs_${key}_0`,
      type: 'reasoning',
      status,
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Let me see.' }],
    },
    {
      id: `msg_${key}_1`,
      type: 'message',
      status,
      role: 'assistant',
      content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'I look.' }],
    },
    { id: `fc_${key}_2`, type: 'function_call', status, call_id: 'call_1', name: 'look', arguments: '{"a":1}' },
    { id: `ctc_${key}_3`, type: 'custom_tool_call', status, call_id: 'call_2', name: 'patch', input: '*** Begin\n' },
    {
      id: `fc_${key}_4`,
      type: 'function_call',
      status,
      call_id: 'call_3',
      name: 'find',
      namespace: 'crm',
      arguments: '{}',
    },
  ]);
  assert.deepEqual(body.usage, {
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 19,
  });
  assert.deepEqual([body.object, body.created_at, body.model, body.error], ['response', 1_767_323_045, 'm', null]);
});

test('a response repeats what was asked, and what was used of it', () => {
  const asked = {
    instructions: 'Be brief.',
    max_output_tokens: 9,
    metadata: { a: 'b' },
    parallel_tool_calls: false,
    temperature: 0,
    top_p: 0.5,
    truncation: 'auto',
    user: 'u',
    prompt_cache_key: 'k',
    safety_identifier: 's',
    previous_response_id: null,
    tool_choice: 'required',
    store: false,
  };
  const { collected } = answered({ ...asked, tools: [{ type: 'web_search' }, ...tools] });
  const body = collected([], 'stop');
  for (const [name, value] of Object.entries(asked)) assert.deepEqual(Reflect.get(body, name), value, name);
  const shown: { type: string }[] = Reflect.get(body, 'tools');
  assert.deepEqual(
    shown.map(({ type }) => type),
    ['function', 'custom', 'namespace'],
  );
});

test('an answer that used up its tokens is incomplete, and so is its last item', () => {
  const { collected } = answered({});
  const body = bodyOf(collected(deltas.slice(0, 4), 'length'));
  assert.deepEqual([body.status, body.incomplete_details], ['incomplete', { reason: 'max_output_tokens' }]);
  assert.deepEqual(
    body.output.map(({ status }) => status),
    ['completed', 'incomplete'],
  );
});

test('reasoning comes as summary, and sealed, where that is asked for', () => {
  const { collected } = answered({ reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'] });
  const [item] = bodyOf(collected(deltas.slice(0, 2), 'length')).output;
  assert.ok(item?.type === 'reasoning');
  assert.deepEqual([item.summary, item.content], [[{ type: 'summary_text', text: 'Let me see.' }], undefined]);
  assert.equal(seal.open(item.encrypted_content ?? ''), 'Let me see.');
});

test('an answer without text and calls has a message without text, unless thinking took all tokens', () => {
  const types = (some: NamedDelta[], reason: Ended) =>
    bodyOf(answered({}).collected(some, reason)).output.map(({ type }) => type);
  const thought = deltas.slice(0, 2);
  assert.deepEqual(types([], 'stop'), ['message']);
  assert.deepEqual(types([], 'length'), ['message']);
  assert.deepEqual(types(thought, 'stop'), ['reasoning', 'message']);
  assert.deepEqual(types(thought, 'length'), ['reasoning']);
  assert.deepEqual(types(deltas.slice(4, 5), 'tool_calls'), ['function_call']);
});

test('a model that gives a custom tool its text in another form is understood', () => {
  const input = (args: string) => {
    const call = { type: 'tool_call', index: 0, name: 'patch', arguments: args, callId: 'call_1' } as const;
    const [item] = bodyOf(answered({ tools }).collected([call], 'tool_calls')).output;
    return item?.type === 'custom_tool_call' ? item.input : null;
  };
  assert.equal(input('{"input":"x","more":1}'), 'x');
  assert.equal(input('{"patch":"x"}'), 'x');
  assert.equal(input('"x"'), 'x');
  assert.equal(input('{"a":1}'), '{"a":1}');
  assert.equal(input('{"a":"x","b":"y"}'), '{"a":"x","b":"y"}');
});

test('a stream has the events of each item in the order that clients expect', () => {
  const { streamed } = answered({ tools });
  const part = (what: string) => `response.content_part.${what}`;
  const item = (...inner: string[]) => ['response.output_item.added', ...inner, 'response.output_item.done'];
  const text = (name: string, count: number) => [
    ...[part('added'), ...Array.from({ length: count }, () => `response.${name}.delta`)],
    ...[`response.${name}.done`, part('done')],
  ];
  const call = (name: string) => [`response.${name}.delta`, `response.${name}.done`];
  const types = (stream: string) => eventsIn(stream).map(({ type }) => type);
  assert.deepEqual(types(streamed(deltas, 'tool_calls')), [
    ...['response.created', 'response.in_progress'],
    ...item(...text('reasoning_text', 2)),
    ...item(...text('output_text', 2)),
    ...item(...call('function_call_arguments')),
    ...item(...call('custom_tool_call_input')),
    ...item(...call('function_call_arguments')),
    'response.completed',
  ]);
  const summary = answered({ reasoning: { summary: 'detailed' } });
  const name = 'response.reasoning_summary';
  assert.deepEqual(types(summary.streamed(deltas.slice(0, 2), 'length')), [
    ...['response.created', 'response.in_progress'],
    ...item(
      ...[`${name}_part.added`, `${name}_text.delta`, `${name}_text.delta`, `${name}_text.done`, `${name}_part.done`],
    ),
    'response.incomplete',
  ]);
});

test('the text of an event stays in its line, whoever reads it', () => {
  const odd: NamedDelta[] = [{ type: 'content', text: 'a\u2028b\u2029c\u0085d\n' }];
  const stream = answered({ instructions: '\u2028' }).streamed(odd, 'stop');
  assert.doesNotMatch(stream, /[\u0085\u2028\u2029]/);
  assert.equal(eventsIn(stream).find(({ delta }) => delta !== undefined)?.delta, 'a\u2028b\u2029c\u0085d\n');
});

/** What a program that follows the events comes to. */
async function accumulated(events: readonly Event[]): Promise<unknown> {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const stream = ResponseStream.fromReadableStream(new Blob([lines]).stream());
  return await stream.finalResponse();
}

/** An answer, and the same split otherwise. */
const answer = fc.array(
  fc.oneof(
    fc.record({ type: fc.constantFrom('reasoning' as const, 'content' as const), text: fc.string({ maxLength: 12 }) }),
    fc.record({
      type: fc.constant('tool_call' as const),
      index: fc.constant(0),
      name: fc.constantFrom('look', 'patch', 'crm__find', 'unknown'),
      arguments: fc.constantFrom('{}', '{"input":"x"}', '{"a":"ü\\n"}'),
    }),
  ),
  { maxLength: 8 },
);
const settings = fc.record({
  include: fc.constantFrom([], ['reasoning.encrypted_content']),
  reasoning: fc.constantFrom({}, { summary: 'auto' }),
});
type Piece =
  | { type: 'reasoning' | 'content'; text: string }
  | Omit<Extract<NamedDelta, { type: 'tool_call' }>, 'callId'>;

const named = (pieces: readonly Piece[]): NamedDelta[] =>
  pieces.map((piece, index) => (piece.type === 'tool_call' ? { ...piece, callId: `call_${index}` } : piece));

/** Texts in pieces of `size` characters. */
function split(whole: readonly NamedDelta[], size: number): NamedDelta[] {
  return whole.flatMap((delta): NamedDelta[] => {
    if (delta.type === 'tool_call') return [delta];
    return (delta.text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? ['']).map((text) => ({ ...delta, text }));
  });
}

test('however the text of an answer is split, its stream adds up to the collected response', async () => {
  await fc.assert(
    fc.asyncProperty(
      ...[answer, settings, fc.integer({ min: 1, max: 9 }), fc.constantFrom<Ended>('stop', 'length', 'tool_calls')],
      async (pieces, asked, size, reason) => {
        const whole = named(pieces);
        const { collected, streamed } = answered({ tools, ...asked });
        const body = JSON.parse(JSON.stringify(collected(whole, reason)));
        const events = eventsIn(streamed(split(whole, size), reason));
        assert.deepEqual(
          events.map(({ sequence_number: number }) => number),
          events.map((_, index) => index),
        );
        assert.deepEqual(events.at(-1)?.response, body);
        const final = (await accumulated(events)) as OpenAI.Responses.Response;
        assert.deepEqual(received(final.output), body.output);
        assert.deepEqual(outputOf(events), body.output);
        const replayed = eventsIn(eventsOf(body).join(''));
        assert.deepEqual(outputOf(replayed), body.output);
        assert.deepEqual(replayed.at(-1)?.response, body);
        assert.deepEqual(replayed.at(0), events.at(0));
      },
    ),
  );
});

/** Without what the client itself parsed. */
function received(output: unknown): unknown {
  const isParsed = (name: string) => name === 'parsed' || name === 'parsed_arguments';
  return JSON.parse(JSON.stringify(output, (name, value) => (isParsed(name) ? undefined : value)));
}

/** The items that the events add up to, by their deltas alone, and whether all that is said to be done is the same. */
function outputOf(events: readonly Event[]): unknown[] {
  const items: unknown[] = [];
  let text = '';
  for (const event of events) {
    if (event.type === 'response.output_item.added') text = '';
    if (typeof event.delta === 'string') text += event.delta;
    const done = event.text ?? event.arguments ?? event.input;
    if (done !== undefined) assert.equal(done, text);
    if (event.type === 'response.output_item.done') items.push(event.item);
  }
  return items;
}

test('no stream that broke off looks complete, wherever it did', async () => {
  await fc.assert(
    fc.asyncProperty(answer, fc.nat(8), async (pieces, at) => {
      const writer = answered({ tools }).answer.stream();
      const texts = [writer.begin({ promptTokens: 1 }), ...named(pieces).slice(0, at).map(writer.delta)];
      const stream = texts.join('') + writer.fail(fault('generation_failed'), 'req_1');
      const events = eventsIn(stream);
      assert.ok(!events.some(({ type }) => type === 'response.completed' || type === 'response.incomplete'));
      const [told, last] = events.slice(-2);
      const message = fault('generation_failed').message;
      const error = { type: 'invalid_response_error', code: 'generation_failed', message, param: null };
      assert.deepEqual(told, {
        type: 'error',
        sequence_number: events.length - 2,
        code: error.code,
        message,
        param: null,
        error,
      });
      assert.equal(last?.type, 'response.failed');
      // as: the event has a response.
      const body = last.response as ResponseBody;
      assert.deepEqual([body.status, body.error], ['failed', { code: error.code, message }]);
      assert.ok(body.output.length === 0 || body.output.at(-1)?.status === 'incomplete');
      await assert.rejects(accumulated(events));
    }),
  );
});

test('a response is stored with its input, unless nobody wants that', () => {
  const input = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Yes?', id: 'msg_1' },
    { type: 'function_call_output', call_id: 'call_1', output: 'x' },
    { type: 'web_search_call', id: 'ws_1' },
  ];
  const { answer: kept, collected } = answered({ input, previous_response_id: 'resp_before' });
  const body = bodyOf(collected(deltas, 'stop'));
  const stored = kept.stored?.(body);
  const key = body.id.slice('resp_'.length);
  assert.deepEqual(stored, {
    id: body.id,
    previousId: 'resp_before',
    model: 'm',
    body,
    input: [
      {
        type: 'message',
        id: `msg_${key}_i0`,
        role: 'user',
        status: 'completed',
        content: [{ type: 'input_text', text: 'Hi' }],
      },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'Yes?' }],
      },
      { ...input[2], id: `fco_${key}_i2` },
      input[3],
    ],
  });
  const unkept = answered({ store: false });
  assert.equal(unkept.answer.stored, undefined);
  assert.equal(bodyOf(unkept.collected([], 'stop')).store, false);
  assert.ok(new CollectedAnswer().parts.length === 0);
});
