import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { formats } from './formats/formats.fixture.ts';
import { type GrammarOptions, promptMatcher } from './grammar-matcher.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

type Schema = Record<string, unknown>;

const nested = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : { type: 'array', items: nested(levels - 1, inner) };
const list = (items: unknown, more = {}) => ({ type: 'array', items, ...more });
const object = (properties: Schema, required: readonly string[]) => ({ type: 'object', properties, required });
const tree = { $ref: '#/$defs/tree' };

/** Definitions that the odd schemas refer to. */
const $defs = {
  circle: { $ref: '#/$defs/circle' },
  other: { anyOf: [{ $ref: '#/$defs/other' }, { type: 'null' }] },
  lost: { $ref: '#/$defs/nowhere', type: 'integer' },
  tree: {
    anyOf: [
      object({ a: list(tree), kind: { const: 1 } }, ['a', 'kind']),
      object({ a: list(tree, { minItems: 1 }), kind: { const: 2 } }, ['a', 'kind']),
    ],
  },
};

/** What libraries and people write that no grammar can hold, or that means nothing. */
const odd: Record<string, unknown> = {
  not: { not: { not: { type: 'string' } } },
  if: { if: { type: 'string' }, else: { type: 'null' } },
  contains: { type: 'array', contains: { type: 'integer' } },
  dependentRequired: { type: 'object', dependentRequired: { a: ['b'] } },
  unique: list({ type: 'string', maxLength: 3 }, { uniqueItems: true, maxItems: 2 }),
  'unique of the wrong type': { uniqueItems: 'yes' },
  'unknown type': { type: 'any' },
  'unknown type with values': { type: 'file', enum: ['x', 1] },
  'unknown type among others': { type: ['string', 'int'] },
  'type that is null': { type: null },
  'reference into nothing': { $ref: '#/components/schemas/X' },
  'reference to the web': { $ref: 'https://example.com/x.json' },
  'reference that is no text': { $ref: 5 },
  'circle of references': { $ref: '#/$defs/circle' },
  'circle of alternatives': { $ref: '#/$defs/other' },
  'circle beside a type': { type: 'string', $ref: '#/$defs/circle' },
  'lost reference in a definition': { $ref: '#/$defs/lost' },
  'alternatives of which one is lost': { anyOf: [{ $ref: '#/$defs/nowhere' }, { type: 'integer' }] },
  minProperties: { type: 'object', properties: { a: { type: 'integer' } }, minProperties: 1 },
  maxProperties: { type: 'object', properties: { a: {}, b: {} }, maxProperties: 1 },
  'required that is true': { type: 'string', required: true },
  'required with a number': { type: 'object', properties: { a: {} }, required: [5] },
  'bound that is too long': { type: 'string', minLength: 100_001 },
  'bound below nought': { type: 'string', minLength: -1 },
  'bound that is text': { type: 'integer', minimum: '1', maximum: {} },
  'list that is too long': list({}, { minItems: 100_001 }),
  'step of nought': { type: 'integer', multipleOf: 0 },
  'step with many remainders': { type: 'integer', multipleOf: 9_973 },
  'pattern with look-behind': { type: 'string', pattern: '(?<!a)b' },
  'pattern that is none': { type: 'string', pattern: '(' },
  'pattern that is a number': { type: 'string', pattern: 5 },
  'pattern with many ways': { type: 'string', pattern: '(a{1,900}b?){1,900}c{1,900}.{1,900}d{1,900}' },
  'names with a pattern': { type: 'object', propertyNames: { pattern: '\\ba' } },
  'names by two patterns': { type: 'object', patternProperties: { '^a': {}, '(': {} }, additionalProperties: false },
  'oneOf of schemas alike': { oneOf: [{ type: 'integer' }, { type: 'number' }] },
  'empty list of alternatives': { anyOf: [] },
  'alternatives that are no list': { anyOf: { type: 'string' } },
  'allOf that is no list': { allOf: { type: 'string' } },
  'two schemas that cannot be joined': { allOf: [{ prefixItems: [{}] }, { prefixItems: [{}, {}] }] },
  'two lists of patterns': { allOf: [{ patternProperties: { '^a': {} } }, { additionalProperties: false }] },
  'enum that is no list': { enum: 'a' },
  'enum that is empty': { enum: [] },
  'bounds that exclude each other': { type: 'integer', minimum: 5, maximum: 4 },
  'types that exclude each other': { allOf: [{ type: 'string' }, { type: 'null' }] },
  'member that can never be there': object({ a: false }, ['a']),
  'properties that are a list': { type: 'object', properties: ['a'] },
  'properties with texts': { type: 'object', properties: { a: 'string' } },
  'more properties than are held': object(
    Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`p${at}`, {}])),
    [],
  ),
  'name that is too long': object({ ['n'.repeat(300)]: {} }, []),
  'items that are a text': list('string'),
  'list in many levels': nested(60, { type: 'string' }),
  'text that is no schema': 'string',
  'number that is no schema': 5,
  'null that is no schema': null,
  'list that is no schema': [{ type: 'string' }],
  'too many ways': { $ref: '#/$defs/tree' },
};

const held = { city: { type: 'string', enum: ['Paris', 'Rome'] }, n: { type: 'integer', minimum: 1, maximum: 3 } };

type Place = { parameters: Schema; around: (members: string, value: string) => string };

/** The odd schema at different places, each beside members that are held. */
const places: Record<string, (inner: unknown) => Place> = {
  'an optional member': (inner) => ({
    parameters: object({ ...held, odd: inner }, ['city', 'n']),
    around: (members) => members,
  }),
  'a required member': (inner) => ({
    parameters: object({ odd: inner, ...held }, ['odd', 'city', 'n']),
    around: (members, value) => `"odd": ${value}, ${members}`,
  }),
  'a member of a member': (inner) => ({
    parameters: object({ deep: object({ odd: inner, ...held }, ['city', 'n']) }, ['deep']),
    around: (members) => `"deep": {${members}}`,
  }),
  'the items of a list': (inner) => ({
    parameters: object({ odd: list(inner), ...held }, ['city', 'n']),
    around: (members) => members,
  }),
};

const json: GrammarOptions = { format: formats.json, lead: 'nothing' };

async function calls(parameters: Schema): Promise<(members: string) => boolean> {
  const tools = [{ name: 'f', description: null, parameters, strict: true }];
  const accepts = await promptMatcher(llama, { tools, toolChoice: { mode: 'required' } }, json);
  return (members) => accepts(`<tool_call>\n{"name": "f", "arguments": {${members}}}\n</tool_call>`);
}

for (const [place, at] of Object.entries(places)) {
  test(`whatever cannot be enforced as ${place} of a tool, the members beside it are held`, async () => {
    for (const [name, schema] of Object.entries(odd)) {
      const { parameters, around } = at(schema);
      const accepts = await calls({ $defs, ...parameters });
      const good = ['null', '"abc"', '"x"', '2', '[]', '{}', '{"a": 1}']
        .map((value) => (members: string) => around(members, value))
        .find((each) => accepts(each('"city": "Rome", "n": 2')));
      assert.ok(good, `${name}: a call`);
      for (const members of ['"city": "Oslo", "n": 2', '"city": "Rome", "n": 4', '"n": 2', '"anything": 1'])
        assert.ok(!accepts(good(members)), `${name}: ${members}`);
    }
  });
}

test('as XML, too, and an unknown type is any text', async () => {
  for (const [name, schema] of Object.entries(odd)) {
    const parameters = object({ ...held, odd: schema }, ['city', 'n']);
    const tools = [{ name: 'f', description: null, parameters: { $defs, ...parameters } }];
    const accepts = await promptMatcher(
      llama,
      { tools, toolChoice: { mode: 'required' } },
      { format: formats.xml, lead: 'nothing' },
    );
    const call = (city: string, n: string, more = '') =>
      accepts(
        `<tool_call>\n<function=f>\n<parameter=city>\n${city}\n</parameter>\n<parameter=n>\n${n}\n</parameter>\n${more}</function>\n</tool_call>`,
      );
    assert.ok(call('Rome', '2'), name);
    assert.ok(!call('Oslo', '2') && !call('Rome', '4'), name);
    if (name === 'unknown type') assert.ok(call('Rome', '2', '<parameter=odd>\nany text\n</parameter>\n'));
  }
});

test('a keyword that cannot be enforced leaves what stands beside it', async () => {
  const cases: [Schema, string[], string[]][] = [
    [{ type: 'string', minLength: 100_001, maxLength: 200_000 }, ['"abc"'], ['1']],
    [{ type: 'integer', minimum: 1, multipleOf: 9_973 }, ['7'], ['0', '"a"', '1.5']],
    [{ type: 'string', pattern: '(?<!a)b', maxLength: 2 }, ['"zz"'], ['"zzz"']],
    [{ type: 'integer', required: true, minimum: 1 }, ['1'], ['0']],
    [{ $ref: '#/nowhere', type: 'integer', minimum: 1 }, ['1'], ['0']],
    [{ type: 'string', anyOf: [{ $ref: '#/nowhere' }, { minLength: 3 }] }, ['"a"'], ['1']],
    [{ type: 'any', enum: ['x', 1] }, ['"x"', '1'], ['"y"', '2']],
    [object({ a: { type: 'null' } }, ['a']), ['{"a": null}'], ['{}', '{"a": 1}']],
    [{ ...object({ a: { type: 'null' } }, []), minProperties: 1 }, ['{"a": null}'], ['{"a": 1}', '{"b": 1}']],
    [{ ...object({ a: { type: 'null' } }, []), required: ['a', 5] }, ['{"a": null}'], ['{}']],
    [list({ type: 'integer' }, { uniqueItems: true, maxItems: 2 }), ['[1,1]'], ['[null]', '[1,1,1]']],
    [{ type: 'array', prefixItems: [{ not: { type: 'null' } }, { const: 1 }] }, ['["any",1]'], ['["any",2]']],
    [{ type: 'object', additionalProperties: { type: 'integer', not: { const: 1 } } }, ['{"a":2}'], ['{"a":"x"}']],
  ];
  for (const [schema, good, bad] of cases) {
    const accepts = await calls(object({ v: schema }, ['v']));
    for (const text of good) assert.ok(accepts(`"v": ${text}`), `${JSON.stringify(schema)}: ${text}`);
    for (const text of bad) assert.ok(!accepts(`"v": ${text}`), `${JSON.stringify(schema)}: ${text}`);
  }
});

test('as XML, a tool whose parameters name no members takes any', async () => {
  const call = '<tool_call>\n<function=f>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>';
  const cases: [Schema, boolean][] = [
    [{ type: 'object' }, true],
    [{ $ref: '#/$defs/nowhere' }, true],
    [{ type: 'object', properties: {} }, false],
  ];
  for (const [parameters, takesAny] of cases) {
    const tools = [{ name: 'f', description: null, parameters }];
    const accepts = await promptMatcher(
      llama,
      { tools, toolChoice: { mode: 'required' } },
      { format: formats.xml, lead: 'nothing' },
    );
    assert.equal(accepts(call), takesAny, JSON.stringify(parameters));
  }
});

test('as XML, a text is one of those that its schema lists, however it lists them and whatever stands beside them', async () => {
  const cases: [unknown, string[], string[]][] = [
    [{ type: 'string', enum: ['a', 'bb'], minLength: 2 }, ['bb'], ['a', 'c']],
    [{ type: 'string', const: 'a' }, ['a'], ['b']],
    [{ enum: ['a', 'b'] }, ['a', 'b'], ['c', '"a"']],
    [{ oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, ['a', 'b'], ['c']],
    [{ allOf: [{ $ref: '#/$defs/size' }], not: { const: 'x' } }, ['S'], ['L']],
    [{ type: 'string', enum: ['a', 1] }, ['a'], ['1']],
    [{ enum: ['a', 1] }, ['a', 'anything'], []],
    [{ anyOf: [{ const: 'a' }, { type: 'string' }] }, ['a', 'anything'], []],
    [{ type: 'string', enum: [] }, ['anything'], []],
  ];
  for (const [schema, good, bad] of cases) {
    const parameters = { $defs: { size: { enum: ['S', 'M'] } }, ...object({ v: schema }, ['v']) };
    const accepts = await promptMatcher(
      llama,
      { tools: [{ name: 'f', description: null, parameters }], toolChoice: { mode: 'required' } },
      { format: formats.xml, lead: 'nothing' },
    );
    const call = (text: string) =>
      accepts(`<tool_call>\n<function=f>\n<parameter=v>\n${text}\n</parameter>\n</function>\n</tool_call>`);
    for (const text of good) assert.ok(call(text), `${JSON.stringify(schema)}: ${text}`);
    for (const text of bad) assert.ok(!call(text), `${JSON.stringify(schema)}: ${text}`);
  }
});
