import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { fc } from '#test/properties.ts';
import { promptGrammar, promptMatcher } from './grammar-matcher.fixture.ts';
import { chatPrompt } from './prompt.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

type Schema = Record<string, unknown>;

const formatOf = (schema: Schema) => ({ responseFormat: { type: 'json_schema', schema } }) as const;

function isValid(schema: Schema): (value: unknown) => boolean {
  return new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
}

test('maps with named keys and members that are never there are enforced as libraries write them', async () => {
  const colour = { $defs: { colour: { enum: ['red', 'blue'], type: 'string', title: 'Colour' } } };
  const cases: [Schema, string[], string[]][] = [
    [
      { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'integer' } },
      ['{}', '{"a":1,"b":2}'],
      ['{"a":"x"}', '[]'],
    ],
    [
      {
        type: 'object',
        propertyNames: { type: 'string', enum: ['a', 'b'] },
        additionalProperties: { type: 'integer' },
        required: ['a'],
      },
      ['{"a":1}', '{"a":1,"b":2}'],
      ['{}', '{"b":2}', '{"a":1,"c":2}', '{"a":"x"}'],
    ],
    [
      { ...colour, type: 'object', propertyNames: { $ref: '#/$defs/colour' }, additionalProperties: { type: 'null' } },
      ['{}', '{"red":null}', '{"red":null,"blue":null}'],
      ['{"green":null}', '{"red":1}'],
    ],
    [
      { type: 'object', propertyNames: { const: 'a' }, properties: { a: { type: 'null' }, b: {} } },
      ['{}', '{"a":null}'],
      ['{"a":1}', '{"b":1}'],
    ],
    [
      { type: 'object', propertyNames: { enum: ['a'] }, anyOf: [{ properties: { b: {} } }, { required: ['a'] }] },
      ['{}', '{"a":1}'],
      ['{"b":1}', '{"a":1,"b":1}'],
    ],
    [{ type: 'object', properties: { a: { not: {} }, b: { type: 'null' } } }, ['{}', '{"b":null}'], ['{"a":1}']],
    [{ type: 'object', patternProperties: { '^(.*)$': { type: 'null' } } }, ['{}', '{"a":null,"":null}'], ['{"a":1}']],
    [
      { patternProperties: { '^[a-z]+$': { type: 'null' } }, additionalProperties: false },
      ['{}', '{"a":null,"bc":null}'],
      ['{"a":1}', '{"A":null}', '{"a":null,"1":null}'],
    ],
    [
      {
        properties: { ab: { minimum: 3 }, B: { type: 'string' } },
        required: ['ab'],
        patternProperties: { '^[a-z]+$': { type: 'integer' } },
        additionalProperties: false,
      },
      ['{"ab":3}', '{"ab":4,"B":"x","c":2,"abc":-1}'],
      ['{"ab":2}', '{"ab":4.5}', '{"ab":"x"}', '{"ab":4,"C":1}', '{"ab":4,"c":"x"}', '{"ab":4,"B":1}'],
    ],
    [
      { type: 'object', propertyNames: { pattern: '^a', maxLength: 2 }, additionalProperties: { type: 'integer' } },
      ['{}', '{"a":1,"ab":2}'],
      ['{"b":1}', '{"abc":1}', '{"a":"x"}'],
    ],
    [
      {
        type: 'object',
        propertyNames: { minLength: 2 },
        properties: { a: {}, ab: {} },
        additionalProperties: { type: 'null' },
      },
      ['{}', '{"ab":1}', '{"abc":null}'],
      ['{"a":1}', '{"b":null}', '{"abc":1}'],
    ],
    [
      { anyOf: [{ patternProperties: { '^x': { type: 'null' } }, additionalProperties: false }, { required: ['a'] }] },
      ['{}', '{"xy":null}', '{"a":1}'],
      ['{"b":1}', '{"x":1}'],
    ],
  ];
  for (const [schema, good, bad] of cases) {
    const accepts = await promptMatcher(llama, formatOf(schema));
    const valid = isValid(schema);
    for (const text of good) assert.ok(accepts(text) && valid(JSON.parse(text)), `${JSON.stringify(schema)}: ${text}`);
    for (const text of bad) assert.ok(!accepts(text) && !valid(JSON.parse(text)), `${JSON.stringify(schema)}: ${text}`);
  }
});

test('names that must have a form, or that are asked for and may not be there, are refused', () => {
  const cases: [Schema, RegExp][] = [
    [{ type: 'object', propertyNames: { enum: ['a'] }, required: ['b'] }, /No value/],
    [{ type: 'object', properties: { a: { not: {} } }, required: ['a'] }, /No value/],
    [{ type: 'object', propertyNames: { pattern: '^a' }, required: ['b'] }, /No value/],
    [{ type: 'object', propertyNames: { not: { pattern: '^a' } } }, /"propertyNames"/],
    [{ type: 'object', propertyNames: { pattern: '\\ba' } }, /"pattern"/],
    [{ type: 'object', patternProperties: { '^a': {}, '^b': {} } }, /"patternProperties"/],
    [
      { type: 'object', patternProperties: { '^a': {} }, additionalProperties: { type: 'null' } },
      /"patternProperties"/,
    ],
    [{ allOf: [{ patternProperties: { '^a': {} } }, { additionalProperties: false }] }, /"patternProperties"/],
    [{ type: 'object', patternProperties: { '(': {} } }, /"pattern"/],
    [{ type: 'object', propertyNames: { enum: ['a'], maxLength: 1 } }, /"propertyNames"/],
    [{ type: 'object', propertyNames: { type: 'integer' } }, /"propertyNames"/],
  ];
  for (const [schema, message] of cases) assert.throws(() => promptGrammar(chatPrompt(formatOf(schema))), message);
});

test('a key that is accepted has the form that its name asks for, whatever the form', async () => {
  const unit = fc.constantFrom('a', 'b', 'A', '-', 'é', '"', '\n', '🙂');
  const pattern = fc.constantFrom('^[a-z]+$', 'a|^b', '^(?!a)', '^.{2,3}$', '^[^a]*$', '^a?-\\w$');
  const names = fc.uniqueArray(fc.string({ unit, minLength: 1, maxLength: 3 }), { maxLength: 3 });
  const property = fc.asyncProperty(pattern, names, names, fc.boolean(), async (form, known, keys, closed) => {
    const schema = {
      type: 'object',
      properties: Object.fromEntries(known.map((name) => [name, { type: ['null', 'integer'] }])),
      patternProperties: { [form]: { type: 'null' } },
      ...(closed ? { additionalProperties: false } : {}),
    };
    const accepts = await promptMatcher(llama, formatOf(schema));
    const valid = isValid(schema);
    // Members come in the order of the schema, and others only where the form allows them.
    const order = [...known.filter((name) => keys.includes(name)), ...keys.filter((name) => !known.includes(name))];
    const expression = new RegExp(form, 'u');
    for (const value of [null, 1]) {
      const object = Object.fromEntries(order.map((name) => [name, value]));
      const isWritten = order.every((name) => known.includes(name) || expression.test(name));
      assert.equal(accepts(JSON.stringify(object)), isWritten && valid(object), JSON.stringify([schema, object]));
    }
  });
  await fc.assert(property, { numRuns: 100 });
});
