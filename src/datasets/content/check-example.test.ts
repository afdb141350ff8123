import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from '#kernel';
import { cpuMsOf } from '#test/cpu-time.ts';
import { fc } from '#test/properties.ts';
import { countableOf } from '../example-tokens.ts';
import { canonicalJson } from './canonical-json.ts';
import { checkExample, contentHash } from './check-example.ts';

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

const call = (args: unknown, name = 'weather') => ({
  messages: [
    { role: 'user', content: 'Rain in Rome?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: args } }],
    },
  ],
  tools: [weather],
});

const codesOf = (raw: unknown, kind: 'text' | 'embedding' = 'text') =>
  checkExample(raw, kind).issues.map(({ code, pointer }) => `${code} ${pointer}`);

test('weights are numbers, however they are written', () => {
  const weights = ['0.0', '0e0', '-0', '1.0', '1', '2.0'].map((weight) => {
    const answer = `{"role":"assistant","content":"a","weight":${weight}}`;
    const raw = parseExactJson(
      `{"messages":[{"role":"user","content":"q"},${answer},{"role":"assistant","content":"b"}]}`,
    );
    const { content } = checkExample(raw, 'text');
    const message = content && 'messages' in content ? content.messages[1] : null;
    return message?.role === 'assistant' ? (message.weight ?? 1) : null;
  });
  assert.deepEqual(weights, [0, 0, 0, 1, 1, null]);
});

test('a conversation is kept as it is, and what has only one meaning is put right', () => {
  const { content, issues } = checkExample(
    {
      messages: [
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Be' },
            { type: 'text', text: 'brief.' },
          ],
        },
        { role: 'user', content: 'Rain?', extra: 1 },
        { role: 'assistant', content: 'No.', reasoning: 'It is dry.', tool_calls: null },
      ],
      tools: '[]',
    },
    'text',
  );
  assert.deepEqual(issues, []);
  assert.deepEqual(content, {
    messages: [
      { role: 'system', content: 'Be\nbrief.' },
      { role: 'user', content: 'Rain?' },
      { role: 'assistant', content: 'No.', reasoning_content: 'It is dry.' },
    ],
    tools: null,
  });
});

test('arguments of tool calls fit their tool', () => {
  assert.deepEqual(codesOf(call('{"city":"Rome"}')), []);
  assert.deepEqual(codesOf(call({ city: 'Rome' })), []);
  const at = '/messages/1/tool_calls/0/function/arguments';
  for (const args of ['{"city":1}', '{}', '[]', '"Rome"', '{"city"', 'Rome'])
    assert.deepEqual(codesOf(call(args)), [`tool_arguments_invalid ${at}`], String(args));
  assert.deepEqual(codesOf(call('{}', 'stocks')), ['tool_unknown /messages/1/tool_calls/0/function/name']);
});

test('calls and tools are kept whole; a call without an id gets one, and an object is written out as JSON', () => {
  const described = { ...weather, function: { ...weather.function, description: 'Says whether it rains.' } };
  const { content, issues } = checkExample({ ...call({ city: 'Rome' }), tools: [described] }, 'text');
  assert.ok(content && 'messages' in content);
  const said = { arguments: '{"city":"Rome"}', name: 'weather' };
  const answer = { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: said }] };
  assert.deepEqual([issues, content.messages[1], content.tools], [[], answer, [described]]);
  const unnamed = {
    messages: [...call({}).messages.slice(0, 1), { role: 'assistant', tool_calls: [{ function: said }] }],
  };
  const { json } = checkExample({ ...unnamed, tools: [weather] }, 'text');
  assert.deepEqual(JSON.parse(json ?? '').messages[1].tool_calls, [{ ...answer.tool_calls[0], id: 'call_1' }]);
});

test('a call that is none, reasoning that is no text, and arguments that are no object are told', () => {
  const answers = (answer: object) => ({ messages: [{ role: 'assistant', content: 'Rain.', ...answer }] });
  for (const wrong of [7, {}, { function: {} }, { function: { name: 7 } }])
    assert.equal(codesOf(answers({ tool_calls: [wrong] }))[0], 'wrong_type /messages/0/tool_calls/0');
  assert.equal(codesOf(answers({ reasoning_content: 7 }))[0], 'wrong_type /messages/0/reasoning_content');
  // Also where the tool says nothing about them.
  const free = { ...call('[]'), tools: [{ type: 'function', function: { name: 'weather' } }] };
  assert.deepEqual(codesOf(free), ['tool_arguments_invalid /messages/1/tool_calls/0/function/arguments']);
});

test('an answer of the weight 0 is seen and not learned, and one answer must be learned', () => {
  const said = (...weights: unknown[]) => ({
    messages: weights.flatMap((weight) => [
      { role: 'user', content: 'And now?' },
      { role: 'assistant', content: 'Rain.', weight },
    ]),
  });
  const { content } = checkExample(said(0, 1, null, undefined), 'text');
  assert.ok(content && 'messages' in content);
  const countable = countableOf(content);
  assert.deepEqual(countable.type === 'conversation' && countable.seenOnly, [1]);
  assert.deepEqual(
    content.messages.map((message) => 'weight' in message),
    [false, true, false, false, false, false, false, false],
  );
  assert.deepEqual(codesOf(said(0, 0)), ['wrong_type /messages']);
  for (const wrong of [2, 0.5, -1, '0', true, {}])
    assert.deepEqual(codesOf(said(1, wrong)), ['wrong_type /messages/3/weight'], String(wrong));
});

test('a call in the form of old is never left out without a word', () => {
  for (const content of [null, 'Let me see.', ''])
    assert.deepEqual(
      codesOf({
        messages: [
          { role: 'user', content: 'Rain in Rome?' },
          { role: 'assistant', content, function_call: { name: 'weather', arguments: '{"city":"Rome"}' } },
        ],
        tools: [weather],
      }),
      ['wrong_type /messages/1/function_call'],
    );
});

test('what cannot be learned from is told by its place', () => {
  const cases: [unknown, string][] = [
    [{}, 'missing_field /messages'],
    [{ messages: 'hi' }, 'wrong_type /messages'],
    [{ messages: [] }, 'empty_text /messages'],
    [{ messages: [{ role: 'user', content: 'hi' }] }, 'last_message_not_assistant /messages/0'],
    [
      {
        messages: [
          { role: 'bot', content: 'hi' },
          { role: 'assistant', content: 'x' },
        ],
      },
      'unknown_role /messages/0/role',
    ],
    [{ messages: [{ role: 'assistant', content: ' ' }] }, 'empty_text /messages/0/content'],
    [{ messages: [{ role: 'assistant' }] }, 'missing_field /messages/0/content'],
    [{ messages: [{ role: 'assistant', content: 'a\0b' }] }, 'bad_encoding /messages/0/content'],
    [{ messages: [7] }, 'wrong_type /messages/0'],
    [
      {
        messages: [
          { role: 'tool', content: 'x' },
          { role: 'assistant', content: 'y' },
        ],
      },
      'missing_field /messages/0/tool_call_id',
    ],
    [null, 'wrong_type /messages'],
  ];
  for (const [raw, expected] of cases) assert.equal(codesOf(raw)[0], expected, JSON.stringify(raw));
});

test('a query has texts to find, and none of them is also a text not to find', () => {
  const raw = { query: 'q', positive: 'p', negatives: ['n', { text: 'm', document_id: 'd' }] };
  const { content, issues } = checkExample(raw, 'embedding');
  assert.deepEqual(issues, []);
  assert.deepEqual(content, {
    query: 'q',
    positives: [{ text: 'p', document_id: null }],
    negatives: [
      { text: 'n', document_id: null },
      { text: 'm', document_id: 'd' },
    ],
  });
  assert.deepEqual(codesOf({ query: 'q' }, 'embedding'), ['positive_missing /positives']);
  assert.deepEqual(codesOf({ positives: ['p'] }, 'embedding'), ['missing_field /query']);
  assert.deepEqual(codesOf({ query: 'q', positives: ['p'], negatives: ['x', 'p'] }, 'embedding'), [
    'positive_equals_negative /negatives/1',
  ]);
});

test('whatever is sent, it is read or refused with an issue, and what is read reads the same again', () => {
  fc.assert(
    fc.property(
      fc.anything({ maxDepth: 4, withNullPrototype: true }),
      fc.constantFrom('text', 'embedding'),
      (raw, kind) => {
        const wrapped =
          kind === 'text' ? { messages: [raw, { role: 'assistant', content: 'x' }] } : { query: 'q', positives: [raw] };
        for (const value of [raw, wrapped]) {
          const { content, json, issues } = checkExample(value, kind);
          assert.ok(content !== null || issues.length > 0);
          if (!content) continue;
          assert.equal(json, canonicalJson(content));
          assert.equal(checkExample(JSON.parse(json), kind).json, json);
        }
      },
    ),
  );
});

test('the schema of a tool keeps the order of its keys, which a chat template shows', () => {
  const parameters = {
    type: 'object',
    required: ['zone', 'city'],
    properties: { zone: { type: 'string', description: 'z' }, city: { type: 'string' }, a: { type: 'integer' } },
    additionalProperties: false,
  };
  const messages = [
    { role: 'user', content: 'Book it' },
    { role: 'assistant', content: 'Done' },
  ];
  const { json } = checkExample(
    { messages, tools: [{ type: 'function', function: { name: 'book', parameters } }] },
    'text',
  );
  assert.ok(json?.includes(JSON.stringify(parameters)), json ?? '');
});

test('content is a duplicate whatever the order of its fields', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
  const hashOf = (raw: unknown) => contentHash(checkExample(raw, 'embedding').json ?? '');
  const one = { query: 'q', positives: [{ text: 'p', document_id: null }], negatives: [] };
  const other = { negatives: [], positives: [{ document_id: null, text: 'p' }], query: 'q' };
  assert.deepEqual(hashOf(one), hashOf(other));
  assert.notDeepEqual(hashOf(one), hashOf({ ...one, query: 'r' }));
});

test('schemas of tools from strangers cost a bounded time, whatever they say', () => {
  const trap = {
    $defs: { t: { anyOf: [{ properties: { a: { $ref: '#/$defs/t' } }, required: ['b'] }, { $ref: '#/$defs/u' }] } },
    properties: { a: { $ref: '#/$defs/t' }, text: { type: 'string', pattern: '^(a+)+$' } },
  };
  const twice = JSON.parse(JSON.stringify(trap));
  twice.$defs.u = { anyOf: twice.$defs.t.anyOf.slice(0, 1), allOf: [{ $ref: '#/$defs/t' }, { $ref: '#' }] };
  let deep: unknown = {};
  for (let level = 0; level < 60; level++) deep = { a: deep };
  const tool = { name: 'weather', parameters: twice };
  const ms = cpuMsOf(() => {
    for (const args of [deep, { text: `${'a'.repeat(40)}!` }]) checkExample({ ...call(args), tools: [tool] }, 'text');
  });
  assert.ok(ms < 3_000, `${ms} ms`);
});

test('arguments are held against types, required fields, choices and parts of a schema', () => {
  const parameters = {
    type: 'object',
    required: ['unit'],
    additionalProperties: false,
    properties: {
      unit: { enum: ['C', 'F'] },
      days: { type: ['integer', 'null'] },
      places: { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/point' }] } },
    },
    $defs: { point: { type: 'object', required: ['lat'], properties: { lat: { type: 'number' } } } },
  };
  const tools = [{ name: 'weather', parameters }];
  const problemOf = (args: unknown) => checkExample({ ...call(args), tools }, 'text').issues[0]?.message ?? null;
  for (const args of [{ unit: 'C' }, { unit: 'F', days: null, places: ['Rome', { lat: 1.5, name: 'x' }] }])
    assert.equal(problemOf(args), null);
  for (const [args, expected] of [
    [{}, /needs unit/],
    [{ unit: 'K' }, /unit must be one of/],
    [{ unit: 'C', days: 1.5 }, /days must be integer or null/],
    [{ unit: 'C', wind: 1 }, /wind is not allowed/],
    [{ unit: 'C', places: ['a', { lat: 'x' }] }, /places\/1 fits none/],
  ] as const)
    assert.match(String(problemOf(args)), expected);
});
