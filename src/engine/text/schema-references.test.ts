import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { promptMatcher, refusal } from './grammar-matcher.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

type Schema = Record<string, unknown>;

test('references lead to the schema with the id or the anchor, as libraries write them', async () => {
  const list = (reference: string) => ({ type: 'array', items: { $ref: reference } });
  const cases: [Schema, string[], string[]][] = [
    [
      { $id: 'T0', type: 'object', properties: { nodes: list('T0') }, required: ['nodes'] },
      ['{"nodes":[]}', '{"nodes":[{"nodes":[]}]}'],
      ['{"nodes":[1]}', '{"nodes":[{}]}'],
    ],
    [
      {
        $defs: {
          Node: { $id: 'Node', properties: { next: { $ref: 'Node' }, flag: { $ref: 'Flag' } }, required: ['flag'] },
          Flag: { $id: 'Flag', type: 'boolean' },
        },
        $ref: 'Node',
        type: 'object',
      },
      ['{"flag":true}', '{"next":{"flag":false},"flag":true}'],
      ['{"flag":1}', '{"next":{},"flag":true}'],
    ],
    [
      { $id: 'https://example.org/s/tree', $defs: { a: { $id: '../leaf', type: 'null' } }, ...list('/leaf#') },
      ['[null]'],
      ['[1]'],
    ],
    [{ $defs: { 'a/b~c %': { $anchor: 'here', type: 'null' } }, ...list('#here') }, ['[null]'], ['[1]']],
    [
      { $id: 'https://example.org/a', $defs: { x: { type: 'null' } }, ...list('https://example.org/a#/$defs/x') },
      ['[null]'],
      ['[1]'],
    ],
    // Within a schema with an id, `#` is that schema.
    [
      { properties: { a: { $id: 'inner', properties: { n: { $ref: '#' } }, additionalProperties: false } } },
      ['{"a":{"n":{"n":{}}}}'],
      ['{"a":{"n":{"a":{}}}}'],
    ],
    // Data are no schemas.
    [{ $id: 'T', const: { $ref: 'T', $id: 'x' } }, ['{"$ref":"T","$id":"x"}'], ['{"$ref":"#","$id":"x"}']],
  ];
  for (const [schema, good, bad] of cases) {
    const accepts = await promptMatcher(llama, { responseFormat: { type: 'json_schema', schema } });
    const valid = new Ajv2020({ strict: false }).compile(schema);
    for (const text of good) assert.ok(accepts(text) && valid(JSON.parse(text)), `${JSON.stringify(schema)}: ${text}`);
    for (const text of bad) assert.ok(!accepts(text) && !valid(JSON.parse(text)), `${JSON.stringify(schema)}: ${text}`);
  }
});

test('references that lead nowhere are refused, whatever they look like', () => {
  const references = ['T', '#T', 'https://example.org/other', 'https://', 'T0#/$defs/x', 'T0#x', '#/%', '//', '\\', 5];
  for (const $ref of references)
    assert.match(refusal({ $id: 'T0', items: { $ref } }), /"\$ref"|reference/, String($ref));
});

test('a refusal names the place in the schema', () => {
  const odd = { not: { type: 'string' } };
  const cases: [Schema, string][] = [
    [odd, ''],
    [{ type: 'object', properties: { a: odd } }, '.properties.a'],
    [{ type: 'object', properties: { 'a b': { items: odd } } }, '.properties["a b"].items'],
    [{ anyOf: [{ type: 'null' }, { prefixItems: [{}, odd] }] }, '.anyOf[1].prefixItems[1]'],
    [{ $defs: { d: { properties: { x: odd } } }, items: { $ref: '#/$defs/d' } }, '.$defs.d.properties.x'],
    [{ anyOf: [{ properties: { x: odd } }], items: { $ref: '#/anyOf/0' } }, '.anyOf[0].properties.x'],
    [{ properties: { a: { $id: 'A', items: odd }, b: { $ref: 'A' } } }, '.properties.a.items'],
    [{ type: 'object', additionalProperties: { type: 'string', pattern: '\\b' } }, '.additionalProperties'],
    [{ properties: { a: { allOf: [{ type: 'array' }, { uniqueItems: true }] } } }, '.properties.a'],
    [{ properties: { a: { minProperties: 3 } } }, '.properties.a'],
    [{ anyOf: [{ type: 'null' }, { minProperties: 3 }] }, '.anyOf[1]'],
    [{ patternProperties: { '^a': { $ref: '#/nowhere' } } }, '.patternProperties["^a"]'],
  ];
  for (const [schema, place] of cases) {
    const said = refusal(schema);
    assert.ok(said.startsWith(`response_format.json_schema.schema${place}: "`), `${JSON.stringify(schema)}: ${said}`);
  }
});
