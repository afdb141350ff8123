import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { parseExactJson } from '#kernel';
import { cpuMsOf } from '#test/cpu-time.ts';
import { fc } from '#test/properties.ts';
import { type Accepts, promptMatcher, refusal, spaced } from './grammar-matcher.fixture.ts';
import { jsonNode, mutated, type Node } from './schema.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

function schemaMatcher(schema: Record<string, unknown>): Promise<Accepts> {
  return promptMatcher(llama, { responseFormat: { type: 'json_schema', schema } });
}

function isValid(schema: Record<string, unknown>): (text: string) => boolean {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  return (text) => {
    try {
      return validate(JSON.parse(text)) === true;
    } catch {
      return false;
    }
  };
}

test('values generated from a schema are accepted, and whatever is accepted satisfies the schema', async () => {
  const pair = jsonNode.chain((node: Node) =>
    fc.tuple(fc.constant(node.schema), node.value, fc.infiniteStream(fc.nat())),
  );
  const property = fc.asyncProperty(pair, async ([schema, value, choices]) => {
    const accepts = await schemaMatcher(schema);
    const valid = isValid(schema);
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2), spaced(value)]) {
      assert.ok(valid(text), `generator: ${text}`);
      assert.ok(accepts(text), `${JSON.stringify(schema)} must accept ${text}`);
    }
    for (let round = 0; round < 8; round += 1) {
      const text = mutated(JSON.stringify(value), () => choices.next().value ?? 0);
      if (accepts(text)) assert.ok(valid(text), `${JSON.stringify(schema)} must not accept ${text}`);
    }
  });
  await fc.assert(property, { numRuns: 150 });
});

test('number bounds hold exactly, for integers and decimals, open and closed', async () => {
  const candidates = [
    0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1, 1.01, 1.5, 2, 3, 7, 9, 9.5, 10, 10.1, 11, 42, 99, 100, 101, 999,
  ];
  const all = [...candidates, ...candidates.map((value) => -value)];
  const bound = fc.option(fc.constantFrom(...all));
  const bounds = fc.record({ minimum: bound, maximum: bound, exclusiveMinimum: bound, exclusiveMaximum: bound });
  const type = fc.constantFrom('integer', 'number');
  const property = fc.asyncProperty(
    bounds,
    type,
    fc.constantFrom(undefined, 1, 0.1, 0.01),
    async (given, kind, step) => {
      const present = Object.entries(given).filter(([, value]) => value !== null);
      const schema = {
        type: kind,
        ...Object.fromEntries(present),
        ...(step === undefined ? {} : { multipleOf: step }),
      };
      const fits = (value: number): boolean =>
        (given.minimum === null || value >= given.minimum) &&
        (given.maximum === null || value <= given.maximum) &&
        (given.exclusiveMinimum === null || value > given.exclusiveMinimum) &&
        (given.exclusiveMaximum === null || value < given.exclusiveMaximum);
      const places = kind === 'integer' || step === 1 ? 0 : step === undefined ? 9 : step === 0.1 ? 1 : 2;
      const isStep = (value: number): boolean => (String(value).split('.')[1]?.length ?? 0) <= places;
      const expected = all.map((value) => fits(value) && isStep(value));
      if (/No value/.test(refusal(schema))) {
        assert.ok(!expected.includes(true), JSON.stringify(schema));
        return;
      }
      const accepts = await schemaMatcher(schema);
      all.forEach((value, index) => {
        assert.equal(accepts(String(value)), expected[index], `${JSON.stringify(schema)}: ${value}`);
      });
    },
  );
  await fc.assert(property, { numRuns: 400 });
});

test('lengths hold exactly, also where llama.cpp alone would drop the bound', async () => {
  for (const [minLength, maxLength] of [
    [0, 0],
    [3, 5],
    [0, 999],
    [0, 1000],
    [1000, 1000],
    [0, 2000],
    [1999, 2500],
    [1500, 5300],
  ]) {
    const accepts = await schemaMatcher({ type: 'string', minLength, maxLength });
    const text = (length = 0) => JSON.stringify('é'.repeat(Math.max(0, length)));
    assert.ok(accepts(text(minLength)) && accepts(text(maxLength)), `${minLength}..${maxLength}`);
    assert.ok(!accepts(text((maxLength ?? 0) + 1)), `${maxLength}`);
    if (minLength !== 0) assert.ok(!accepts(text((minLength ?? 0) - 1)), `${minLength}`);
  }
  const items = await schemaMatcher({ type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2100 });
  const list = (length: number) => JSON.stringify(Array.from({ length }, () => 1));
  assert.deepEqual(
    [1, 2, 2100, 2101].map((length) => items(list(length))),
    [false, true, true, false],
  );
});

test('known formats are enforced, unknown ones are annotations', async () => {
  const cases: [string, string[], string[]][] = [
    [
      'date',
      ['2026-02-28', '2025-01-31', '2025-04-30', '2024-02-29', '2000-02-29', '2400-12-31'],
      ['2026-13-01', '26-1-1', '2025-04-31', '2025-02-29', '1900-02-29', '2024-02-30', '2025-01-32', '2025-01-00'],
    ],
    ['time', ['23:59:59Z', '00:00:00.5+02:00', '23:59:60z'], ['24:00:00Z', '12:00', '12:00:60Z']],
    ['date-time', ['2026-01-02T03:04:05Z', '2024-12-31T23:59:59.123456+05:30'], ['2026-01-02', '2025-02-29T00:00:00Z']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567']],
    [
      'email',
      ['a.b@example.org', "o'neil+x=1@mail.example.co.uk", 'x@localhost', `${'l'.repeat(64)}@${'d'.repeat(63)}.org`],
      ['a b@c.de', 'a@-b.de', 'a..b@c.de'],
    ],
    ['hostname', ['a-b.example', `${'a'.repeat(63)}.org`, 'a.b.c.d.e.f.g.h.i.j'], ['-a', 'a..b', 'a'.repeat(64)]],
    ['ipv4', ['192.168.0.1'], ['256.1.1.1', '1.2.3']],
    [
      'ipv6',
      [
        '2001:db8:0:0:0:0:2:1',
        '::',
        '::1',
        '1::',
        'fe80::1ff:FE23:4567',
        '1:2:3:4:5:6::8',
        '::2:3:4:5:6:7:8',
        '::ffff:192.168.0.1',
        '64:ff9b::1.2.3.4',
        '1:2:3:4:5:6:7.8.9.10',
        '1:2:3:4:5::7.8.9.10',
        '::1.2.3.4',
      ],
      [
        '1:2:3',
        '1::2::3',
        '1:2:3:4:5:6:7::8',
        '12345::',
        ':1',
        '1:2:3:4:5:6:7:8:9',
        '::1.2.3',
        '1:2:3:4:5:6:7:1.2.3.4',
        '1:2:3:4:5:6::1.2.3.4',
      ],
    ],
    ['duration', ['P3W', 'P1Y2M3D', 'PT36H', 'P1DT12H30M5S', 'PT0S'], ['P', 'PT', 'P1S', '1D', 'P1Y3D', 'P1WT1H']],
    ['wine', ['anything'], []],
  ];
  for (const [format, good, bad] of cases) {
    const accepts = await schemaMatcher({ type: 'string', format });
    for (const text of good) assert.ok(accepts(JSON.stringify(text)), text);
    for (const text of bad) assert.ok(!accepts(JSON.stringify(text)), text);
  }
});

test('a format holds beside a length and a pattern', async () => {
  const cases: [Record<string, unknown>, string[], string[]][] = [
    [{ format: 'date', maxLength: 10 }, ['2025-01-31'], ['light', '2025-02-30']],
    [{ format: 'uuid', minLength: 36, maxLength: 36 }, ['123e4567-e89b-12d3-a456-426614174000'], ['x'.repeat(36)]],
    [{ format: 'email', maxLength: 100 }, ['a@example.org'], ['Apple', `${'a'.repeat(60)}@${'b'.repeat(60)}.org`]],
    [{ format: 'email', pattern: '@example\\.org$' }, ['a@example.org'], ['a@example.com', 'a b@example.org']],
    [{ format: 'hostname', minLength: 5, maxLength: 8 }, ['ab.cd'], ['ab', 'abcdefghi']],
    [{ format: 'wine', maxLength: 3 }, ['red'], ['rosé!']],
  ];
  for (const [schema, good, bad] of cases) {
    const accepts = await schemaMatcher({ type: 'string', ...schema });
    for (const text of good) assert.ok(accepts(JSON.stringify(text)), text);
    for (const text of bad) assert.ok(!accepts(JSON.stringify(text)), `${text} ${JSON.stringify(schema)}`);
  }
});

test('integers of 64 bits can be written', async () => {
  const whole = ['9223372036854775807', '-9223372036854775808', '18446744073709551615', '0', '12345678901234567'];
  for (const schema of [{ type: 'integer' }, { type: 'number' }]) {
    const accepts = await schemaMatcher(schema);
    for (const text of whole) assert.ok(accepts(text), text);
  }
  const positive = await schemaMatcher({ type: 'integer', minimum: 1 });
  assert.deepEqual(['18446744073709551615', '1', '0', '-1'].map(positive), [true, true, false, false]);
});

test('combinations of alternatives are counted before they are built', () => {
  const names = (first: string) => Array.from({ length: 150 }, (_, n) => ({ const: `${first}${n}` }));
  const lists = { allOf: ['a', 'b', 'c', 'd'].map((first) => ({ anyOf: names(first) })) };
  const beside = { properties: { [`k${'x'.repeat(10_000)}`]: {} }, anyOf: names('a').concat(names('b'), names('c')) };
  const body = (n: number) => ({ type: 'object', properties: { [`p${n}`]: { const: 'x'.repeat(3_000) } } });
  const large = { allOf: Array.from({ length: 9 }, (_, n) => ({ anyOf: [body(2 * n), body(2 * n + 1)] })) };
  const small = { allOf: ['a', 'b'].map((first) => ({ anyOf: names(first).slice(0, 20) })) };
  assert.doesNotMatch(refusal(small), /too large/);
  for (const schema of [
    large,
    lists,
    { type: 'object', properties: { a: lists } },
    { items: { anyOf: [lists] } },
    beside,
  ])
    assert.match(refusal(schema), /too large/);
  const one = Array.from({ length: 1_000 }, (_, n) => ({ const: n }));
  assert.equal(refusal({ oneOf: Array.from({ length: 4_000 }, (_, n) => ({ const: n })) }), '');
  assert.match(refusal({ oneOf: [...one, { const: 1 }] }), /oneOf/);
  const told = (n: number) => ({ type: 'object', properties: { kind: { const: n } }, required: ['kind'] });
  const many = one.slice(0, 500).map((_, n) => told(n));
  assert.equal(refusal({ oneOf: many }), '');
  assert.match(refusal({ oneOf: [...many.slice(0, 100), told(7)] }), /a type or a constant tells/);
  assert.match(refusal({ oneOf: one.map((_, n) => ({ type: 'object', required: [`n${n}`] })) }), /too large/);
});

test('references, recursion, merging and alternatives mean what JSON Schema says', async () => {
  const tree = {
    type: 'object',
    properties: { v: { type: 'integer' }, kids: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    required: ['v'],
  };
  const cases: [Record<string, unknown>, string[], string[]][] = [
    [
      { $defs: { tree }, $ref: '#/$defs/tree', title: 'Tree' },
      ['{"v":1}', '{"v":1,"kids":[{"v":2,"kids":[]}]}'],
      ['{"v":1,"kids":[1]}'],
    ],
    [
      { type: 'object', properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }, required: ['next'] },
      ['{"next":{"next":null}}'],
      ['{"next":{}}'],
    ],
    [
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
          { properties: { a: { type: 'integer' } } },
        ],
      },
      ['{"a":1}'],
      ['{"a":1.5}', '{}'],
    ],
    [
      { type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      ['{"a":1}', '{"b":[]}', '{"a":1,"b":2}'],
      ['{}'],
    ],
    [
      {
        oneOf: [
          { type: 'object', properties: { k: { const: 'a' } }, required: ['k'] },
          { type: 'object', properties: { k: { const: 'b' } }, required: ['k'] },
        ],
      },
      ['{"k":"a"}', '{"k":"b"}'],
      ['{"k":"c"}'],
    ],
    [{ type: ['string', 'null'], enum: ['a', null, 5] }, ['"a"', 'null'], ['5']],
    [{ const: { a: [1, 'x"'] } }, ['{"a":[1,"x\\""]}'], ['{}']],
    [
      { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: { type: 'integer' } },
      ['{"name":"x","nam":1,"names":2}', '{}'],
      ['{"name":1}', '{"x":1,"name":2}', '{"x":"y"}', '{"\\u006eame":1}'],
    ],
    [{ type: 'object', properties: { a: false, b: { type: 'null' } } }, ['{"b":null}', '{}'], ['{"a":1}']],
    [
      { prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
      ['[]', '["a"]', '["a",1]'],
      ['[1]', '["a",1,2]'],
    ],
    [
      { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'null' } },
      ['["a",null,null]'],
      ['["a",1]'],
    ],
    [{ properties: { 'a"\n': { const: 1 } }, required: ['a"\n'] }, ['{"a\\"\\n":1}'], ['{}']],
    [
      { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1, maxProperties: 2 },
      ['{"a":1}', '{"a":1,"b":2}'],
      ['{}', '{"a":1,"b":2,"c":3}'],
    ],
    [{}, ['1', '{"a":[]}', 'null'], ['x']],
  ];
  for (const [schema, good, bad] of cases) {
    const accepts = await schemaMatcher(schema);
    for (const text of good) assert.ok(accepts(text), `${JSON.stringify(schema)}: ${text}`);
    for (const text of bad) assert.ok(!accepts(text), `${JSON.stringify(schema)}: ${text}`);
  }
});

test('what cannot be enforced is refused by name, never ignored', () => {
  const some = { minLength: 1 };
  const cases: [unknown, RegExp][] = [
    ...['not', 'if', 'contains', 'patternProperties', 'dependentRequired', '$dynamicRef'].map(
      (keyword): [unknown, RegExp] => [
        { type: 'object', properties: { a: { [keyword]: some } } },
        new RegExp(`"${keyword.replace('$', '\\$')}"`),
      ],
    ),
    [{ type: 'array', uniqueItems: true }, /"uniqueItems"/],
    [{ type: 'array', items: { type: 'string' }, uniqueItems: true }, /"uniqueItems"/],
    [{ type: 'array', items: { enum: [[], [0]] }, uniqueItems: true }, /"uniqueItems"/],
    [{ type: 'array', items: { enum: [...'abcdefghijklmnop'] }, uniqueItems: true }, /"uniqueItems"/],
    [{ type: 'array', prefixItems: [{}, {}], uniqueItems: true }, /"uniqueItems"/],
    [{ uniqueItems: 'yes' }, /"uniqueItems"/],
    [{ type: 'integer', multipleOf: 0 }, /"multipleOf"/],
    [{ type: 'integer', multipleOf: 9973 }, /"multipleOf"/],
    [{ type: 'number', multipleOf: 1e-13 }, /"multipleOf"/],
    [{ type: 'string', pattern: '^[a-z]{9}+$', maxLength: 3 }, /"pattern"/],
    [{ allOf: [{ pattern: '^(?=a)' }, { pattern: '^(?!b)' }] }, /"pattern"/],
    [{ enum: ['a'], minLength: 3 }, /"minLength" leaves none/],
    [{ enum: [{ a: 1 }], properties: { a: { const: 2 } } }, /"properties" leaves none/],
    [{ enum: [{ a: 1 }], propertyNames: { minLength: 2 } }, /"propertyNames" beside "enum"/],
    [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, /"oneOf"/],
    [{ $ref: 'https://example.org/schema' }, /"\$ref"/],
    [{ $ref: '#/$defs/missing' }, /"\$ref"/],
    [{ $ref: '#' }, /leads to another/],
    [{ anyOf: [{ $ref: '#' }, { type: 'null' }] }, /without end/],
    [{ type: 'object', minProperties: 2 }, /"minProperties"/],
    [{ type: 'object', properties: { a: {}, b: {} }, maxProperties: 1 }, /"maxProperties"/],
    [{ type: 'string', minLength: -1 }, /"minLength"/],
    [{ type: 'string', minLength: 'x' }, /"minLength"/],
    [{ type: 'text' }, /"type"/],
    [{ properties: [] }, /"properties"/],
    [{ anyOf: [] }, /"anyOf"/],
    [{ enum: [] }, /No value/],
    [{ type: 'integer', minimum: 5, maximum: 4 }, /No value/],
    [{ allOf: [{ type: 'string' }, { type: 'null' }] }, /No value/],
    [{ type: 'object', properties: { a: false }, required: ['a'] }, /No value/],
    [parseExactJson(`{"type": "number", "minimum": 0.${'3'.repeat(500)}}`), /more than 400 digits/],
    [parseExactJson('{"type": "number", "minimum": 1e1000000000}'), /more than 400 digits/],
    [{ type: 'number', minimum: false }, /"minimum"/],
  ];
  for (const [schema, message] of cases) assert.match(refusal(schema), message, JSON.stringify(schema));
});

test('hostile schemas are refused quickly', () => {
  const doubling: Record<string, unknown> = Object.fromEntries(
    Array.from({ length: 25 }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  );
  doubling['d25'] = { type: 'string' };
  const wide = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `d${index}`,
      {
        anyOf: [
          { $ref: `#/$defs/d${index + 1}` },
          { type: 'array', items: { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, {}] } },
        ],
      },
    ]),
  );
  let deep: unknown = { type: 'string' };
  for (let level = 0; level < 60; level += 1) deep = { type: 'array', items: deep };
  const schemas = [
    { $defs: doubling, $ref: '#/$defs/d0' },
    {
      $defs: { ...wide, d12: { type: 'null' } },
      allOf: [{ $ref: '#/$defs/d0' }, { $ref: '#/$defs/d1' }, { $ref: '#/$defs/d2' }],
    },
    { items: deep },
    { enum: Array.from({ length: 30_000 }, (_, index) => index) },
    { properties: Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`p${index}`, {}])) },
  ];
  for (const schema of schemas) {
    const ms = cpuMsOf(() => refusal(schema));
    assert.ok(ms < 3_000, `${JSON.stringify(schema).slice(0, 60)}: ${ms} ms`);
  }
  assert.match(refusal(schemas[0]), /too large/);
  assert.match(refusal(schemas[2]), /levels deep/);
});
