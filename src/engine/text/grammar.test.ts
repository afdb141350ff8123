import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { Fault } from '#kernel';
import { cpuMsOf } from '#test/cpu-time.ts';
import { fc } from '#test/properties.ts';
import type { ChatPrompt } from '../port.ts';
import { formats } from './formats/formats.fixture.ts';
import { type Accepts, type GrammarOptions, promptGrammar, promptMatcher, spaced } from './grammar-matcher.fixture.ts';
import { OutputParser } from './output-parser.ts';
import { chatPrompt } from './prompt.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

function matcher(prompt: Partial<ChatPrompt>, options?: GrammarOptions): Promise<Accepts> {
  return promptMatcher(llama, prompt, options);
}

test('nothing is constrained where nothing was asked', () => {
  assert.equal(promptGrammar(chatPrompt({})), null);
  const tools = [{ name: 'f', description: null, parameters: null }];
  assert.equal(promptGrammar(chatPrompt({ tools })), null);
  assert.equal(promptGrammar(chatPrompt({ tools, toolChoice: { mode: 'none' } })), null);
});

test('json_object takes every JSON object and nothing else', async () => {
  const accepts = await matcher({ responseFormat: { type: 'json_object' } });
  const number = fc.tuple(fc.integer(), fc.integer({ min: 0, max: 6 })).map(([units, places]) => units / 10 ** places);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(number, fc.boolean(), fc.constant(null), fc.string({ unit: 'binary' })),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: 'grapheme' }), tie('value'), { maxKeys: 4 }),
    ),
  }));
  const property = fc.property(fc.dictionary(fc.string(), value), (object) => {
    for (const text of [JSON.stringify(object), JSON.stringify(object, null, 2), spaced(object)]) {
      assert.ok(accepts(text), text);
      assert.ok(!accepts(`${text} `) && !accepts(text.slice(0, -1)) && !accepts(`[${text}]`), text);
    }
  });
  fc.assert(property, { numRuns: 60 });
  const bad = [
    '',
    '{"a"}',
    '{a:1}',
    '{"a":01}',
    '{"a":1,}',
    '{"a":"\n"}',
    '{"a":"\\ud83d"}',
    '{"a":"\\x"}',
    '{"a":tru}',
  ];
  for (const text of bad) assert.ok(!accepts(text), text);
  assert.ok(accepts('{"a":"\\ud83d\\ude42 \\u00e9 \\n \\/"}'));
  assert.ok(!accepts(`{${' '.repeat(50)}"a":1}`), 'blanks cannot go on forever');
});

const tools = [
  {
    name: 'get_weather',
    description: null,
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
      required: ['city'],
    },
  },
  { name: 'clock', description: null, parameters: null },
  { name: 'odd', description: null, parameters: { type: 'object', properties: { a: { not: { type: 'string' } } } } },
];

test('a forced call takes exactly a call of the tools, one or several', async () => {
  const weather = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>';
  const clock = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>';
  const odd = '<tool_call>\n{"name": "odd", "arguments": {"a": 5}}\n</tool_call>';
  const wrong = [
    '',
    'hi',
    '<tool_call>',
    `${weather} hi`,
    weather.replace('"Paris"', '5'),
    weather.replace('get_weather', 'x'),
    clock.replace('{}', '{"a":1}'),
  ];
  const required = await matcher({ tools, toolChoice: { mode: 'required' } });
  for (const text of [weather, clock, odd, `${weather}\n${clock}`]) assert.ok(required(text), text);
  for (const text of wrong) assert.ok(!required(text), text);
  const single = await matcher({ tools, toolChoice: { mode: 'required' }, parallelToolCalls: false });
  assert.ok(single(weather) && !single(`${weather}\n${clock}`));
  const named = await matcher({ tools, toolChoice: { mode: 'named', name: 'clock' } });
  assert.ok(named(clock) && !named(weather) && !named(`${clock}\n${clock}`));
  assert.throws(() => promptGrammar(chatPrompt({ tools, toolChoice: { mode: 'named', name: 'x' } })), Fault);
});

test('a tool whose schema lists no properties is called without arguments, one that allows others is not', async () => {
  const call = (name: string, args: string) => `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
  const empty = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: {} };
  const given = { closed: empty, open: { ...empty, additionalProperties: {} }, needs: { ...empty, required: ['a'] } };
  const all = Object.entries(given).map(([name, parameters]) => ({ name, description: null, parameters }));
  const accepts = await matcher({ tools: all, toolChoice: { mode: 'required' } });
  for (const [name, args] of [
    ['closed', '{}'],
    ['open', '{"a":1}'],
    ['open', '{}'],
    ['needs', '{"a":1}'],
  ] as const)
    assert.ok(accepts(call(name, args)), name + args);
  for (const [name, args] of [
    ['closed', '{"a":1}'],
    ['needs', '{}'],
  ] as const)
    assert.ok(!accepts(call(name, args)), name + args);
});

test('what cannot be enforced in a tool loosens nothing beside it', async () => {
  const call = (args: string) => `<tool_call>\n{"name": "order", "arguments": ${args}}\n</tool_call>`;
  const parameters = {
    type: 'object',
    properties: {
      tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      count: { type: 'integer', multipleOf: 5, minimum: 0 },
      code: { type: 'string', pattern: '^(?<!a)[a-z]+$', maxLength: 3 },
      word: { type: 'string', pattern: '^[a-z]+$', minLength: 2 },
      either: { oneOf: [{ type: 'integer' }, { type: 'number' }] },
      map: { type: 'object', patternProperties: { '^x': { type: 'boolean' } }, additionalProperties: { type: 'null' } },
      kind: { enum: ['a', 'b'] },
    },
    required: ['tags', 'kind'],
  };
  const order = { name: 'order', description: null, parameters };
  const accepts = await matcher({ tools: [order], toolChoice: { mode: 'required' } });
  const good = [
    '{"tags": ["x", "x"], "kind": "a"}',
    '{"tags": [], "count": 10, "code": "zz", "word": "zz", "either": 1.5, "map": {"y": null, "x": true}, "kind": "b"}',
  ];
  const bad = [
    '{"tags": "x", "kind": "a"}',
    '{"tags": [], "kind": "c"}',
    '{"kind": "a"}',
    '{"tags": [], "count": "7", "kind": "a"}',
    '{"tags": [], "count": -5, "kind": "a"}',
    '{"tags": [], "count": 7, "kind": "a"}',
    '{"tags": [], "code": "zzzz", "kind": "a"}',
    '{"tags": [], "word": "ZZ", "kind": "a"}',
    '{"tags": [], "word": "z", "kind": "a"}',
    '{"tags": [], "either": "1", "kind": "a"}',
    '{"tags": [], "map": {"y": 1}, "kind": "a"}',
  ];
  for (const args of good) assert.ok(accepts(call(args)), args);
  for (const args of bad) assert.ok(!accepts(call(args)), args);
});

test('one place of a tool that cannot be enforced loosens that place only, whatever is wrong with it', async () => {
  const call = (args: string) => `<tool_call>\n{"name": "order", "arguments": ${args}}\n</tool_call>`;
  const order = (odd: unknown) => ({
    name: 'order',
    description: null,
    parameters: {
      type: 'object',
      properties: { city: { enum: ['Rome'] }, odd, list: { type: 'array', items: odd } },
      required: ['city'],
      additionalProperties: false,
    },
  });
  // What is wrong, a value that the place takes, and one that it still does not take.
  const cases: [unknown, string, string | null][] = [
    [{ not: { not: { type: 'string' } } }, '"a"', null],
    [{ type: 'integer', not: { const: 3 }, minimum: 1 }, '3', '0'],
    [{ type: 'any' }, '"a"', null],
    [{ type: ['string', 'file'], enum: ['a'] }, '"a"', '"b"'],
    [{ $ref: '#/components/schemas/X' }, '1', null],
    [{ $ref: 'https://example.com/x.json', type: 'string' }, '"a"', '1'],
    [{ $ref: '#/properties/odd' }, '1', null],
    [{ anyOf: [{ $ref: '#/$defs/gone' }, { type: 'null' }] }, '1', null],
    [{ anyOf: [{ type: 'string', minLength: 100_001 }, { type: 'null' }] }, '"a"', '1'],
    [{ allOf: [{ $ref: '#/$defs/gone' }, { type: 'integer' }] }, '1', '"a"'],
    [{ type: 'object', properties: { a: { type: 'integer' } }, minProperties: 1 }, '{"a": 1}', '{"a": "b"}'],
    [{ type: 'object', properties: { a: {}, b: { type: 'null' } }, maxProperties: 1 }, '{"b": null}', '{"b": 1}'],
    [{ type: 'object', properties: [], additionalProperties: false }, '{"a": 1}', '1'],
    [{ type: 'string', required: true, maxLength: 2 }, '"ab"', '"abc"'],
    [{ type: 'string', minLength: 'x', pattern: '^a' }, '"a"', '"b"'],
    [{ type: 'number', minimum: '3', maximum: 5 }, '1', '6'],
    [{ type: 'array', prefixItems: 3, items: false, minItems: 1 }, '[1]', '[]'],
    [{ enum: 'a' }, '1', null],
    [{ anyOf: 'a', type: 'integer' }, '1', '"a"'],
    ['string', '1', null],
    [null, '1', null],
  ];
  for (const [odd, good, bad] of cases) {
    const accepts = await matcher({ tools: [order(odd)], toolChoice: { mode: 'required' } });
    const says = JSON.stringify(odd);
    assert.ok(accepts(call(`{"city": "Rome", "odd": ${good}, "list": [${good}]}`)), `${says} takes ${good}`);
    assert.ok(!accepts(call(`{"city": "Paris", "odd": ${good}}`)), `${says} leaves the city`);
    assert.ok(!accepts(call(`{"city": "Rome", "more": 1}`)), `${says} leaves the object closed`);
    if (bad !== null) assert.ok(!accepts(call(`{"city": "Rome", "odd": ${bad}}`)), `${says} does not take ${bad}`);
  }
});

test('a member of a tool that no value satisfies may be anything where it is required, and the others hold', async () => {
  const call = (args: string) => `<tool_call>\n{"name": "order", "arguments": ${args}}\n</tool_call>`;
  for (const odd of [{ type: 'string', enum: [1, 2] }, { type: 'integer', minimum: 5, maximum: 4 }, { enum: [] }]) {
    const properties = { city: { enum: ['Rome'] }, within: { type: 'object', properties: { odd }, required: ['odd'] } };
    const parameters = { type: 'object', properties, required: ['city', 'within'] };
    const tools = [{ name: 'order', description: null, parameters }];
    const accepts = await matcher({ tools, toolChoice: { mode: 'required' } });
    assert.ok(accepts(call('{"city": "Rome", "within": {"odd": 1}}')), JSON.stringify(odd));
    assert.ok(!accepts(call('{"city": "Paris", "within": {"odd": 1}}')));
    assert.ok(!accepts(call('{"city": "Rome", "within": 1}')));
  }
});

test('with a response format and tools of free choice the model may answer or call', async () => {
  const accepts = await matcher({ tools, responseFormat: { type: 'json_object' } });
  assert.ok(
    accepts('{"a":1}') && accepts('<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>') && !accepts('hi'),
  );
});

test('many tools with patterns and formats take no more time than one may, and none is refused for them', () => {
  const hard = (at: number) => ({
    type: 'string',
    pattern: `^(${String.fromCodePoint(0x4e00 + at)}{1,20}|x${at}{1,30}){1,20}$`,
  });
  const formats = ['date-time', 'email', 'uuid', 'ipv6'].map((format) => [format, { type: 'string', format }]);
  const kinds = [
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}`, hard(at)])),
    Object.fromEntries(formats),
  ];
  for (const properties of kinds) {
    const tools = Array.from({ length: 128 }, (_, at) => ({
      name: `tool${at}`,
      description: null,
      parameters: { type: 'object', properties },
    }));
    const prompt = chatPrompt({ tools, toolChoice: { mode: 'required' } });
    const ms = cpuMsOf(() => promptGrammar(prompt));
    assert.ok(ms < 5_000, `${ms} ms`);
  }
});

test('calls as XML are what the parser reads', async () => {
  const text =
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nA </param "b"\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>';
  const accepts = await matcher({ tools, toolChoice: { mode: 'required' } }, { format: formats.xml, lead: 'nothing' });
  assert.ok(accepts(text));
  assert.ok(!accepts(text.replace('\n3\n', '\n0\n')) && !accepts(text.replace('city', 'town')));
  const parser = new OutputParser({
    startsInReasoning: false,
    tools,
    format: formats.xml,
    parallelToolCalls: true,
    stop: [],
  });
  const expected = {
    type: 'tool_call',
    index: 0,
    name: 'get_weather',
    arguments: '{"city":"A </param \\"b\\"","days":3}',
  };
  assert.deepEqual(parser.push(text, 1), [expected]);
});

test('what may stand in front follows the lead', async () => {
  const prompt: Partial<ChatPrompt> = { responseFormat: { type: 'json_object' } };
  const accepted = async (lead: GrammarOptions['lead']) => {
    const accepts = await matcher(prompt, { format: formats.json, lead });
    const fronts = ['', '\n', '\n\n', '\n\n\n', '<think>a</think>\n\n', 'a\n</think>\n\n'];
    return fronts.map((front) => accepts(`${front}{}`));
  };
  assert.deepEqual(await accepted('nothing'), [true, false, false, false, false, false]);
  assert.deepEqual(await accepted('newlines'), [true, true, true, false, false, false]);
});
