import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { promptGrammar } from './grammar.ts';
import { bare, promptMatcher } from './grammar-matcher.fixture.ts';
import { chatPrompt } from './prompt.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

type Schema = Record<string, unknown>;

const formatOf = (schema: Schema) => ({ responseFormat: { type: 'json_schema', schema } }) as const;

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
  ];
  for (const [schema, good, bad] of cases) {
    const accepts = await promptMatcher(llama, formatOf(schema));
    const valid = new Ajv2020({ strict: false }).compile(schema);
    for (const text of good) assert.ok(accepts(text) && valid(JSON.parse(text)), `${JSON.stringify(schema)}: ${text}`);
    for (const text of bad) assert.ok(!accepts(text) && !valid(JSON.parse(text)), `${JSON.stringify(schema)}: ${text}`);
  }
});

test('names that must have a form, or that are asked for and may not be there, are refused', () => {
  const cases: [Schema, RegExp][] = [
    [{ type: 'object', propertyNames: { enum: ['a'] }, required: ['b'] }, /No value/],
    [{ type: 'object', properties: { a: { not: {} } }, required: ['a'] }, /No value/],
    [{ type: 'object', propertyNames: { pattern: '^a' } }, /"propertyNames"/],
    [{ type: 'object', propertyNames: { enum: ['a'], maxLength: 1 } }, /"propertyNames"/],
    [{ type: 'object', propertyNames: { type: 'integer' } }, /"propertyNames"/],
  ];
  for (const [schema, message] of cases)
    assert.throws(() => promptGrammar(chatPrompt(formatOf(schema)), bare), message);
});
