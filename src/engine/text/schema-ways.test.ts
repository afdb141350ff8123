import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { fc } from '#test/properties.ts';
import { promptGrammar, promptMatcher, refusal, spaced } from './grammar-matcher.fixture.ts';
import { createFollower } from './grammar-ways.fixture.ts';
import { chatPrompt } from './prompt.fixture.ts';
import { examples } from './schema-examples.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

for (const [name, { schema, good, bad }] of Object.entries(examples)) {
  test(`${name}: is enforced, and is read in few ways`, async () => {
    const responseFormat = { type: 'json_schema', schema } as const;
    const accepts = await promptMatcher(llama, { responseFormat });
    for (const value of good) {
      for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2), spaced(value)]) {
        assert.ok(accepts(text), text);
        assert.ok(mostWays(schema, text) <= 40, `${mostWays(schema, text)} ways: ${text}`);
      }
    }
    for (const value of bad) assert.ok(!accepts(JSON.stringify(value)), JSON.stringify(value));
  });
}

const tree = (...kinds: unknown[]) => ({ $defs: { tree: { anyOf: kinds } }, $ref: '#/$defs/tree' });
const list = (items: unknown, more = {}) => ({ type: 'array', items, ...more });
const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const inner = { $ref: '#/$defs/tree' };

test('alternatives that begin alike and hold each other are read together', () => {
  const left = (name: string) => object({ left: inner, [name]: { type: 'string' } });
  const cases: [Record<string, unknown>, string][] = [
    [tree(list(inner, { maxItems: 3 }), list(inner, { maxItems: 5 })), '['.repeat(40)],
    [tree(left('a'), left('b'), { type: 'integer' }), '{"left":'.repeat(40)],
    [tree(list(inner, { description: 'a' }), list(inner, { description: 'b' })), '['.repeat(40)],
    [
      tree(object({ of: list(inner), kind: { const: 'a' } }), object({ of: list(inner), kind: { const: 'b' } })),
      '{"of":['.repeat(40),
    ],
    [{ anyOf: Array.from({ length: 1500 }, (_, at) => ({ type: 'string', maxLength: at + 10 })) }, '"abc'],
    [{ enum: Array.from({ length: 3000 }, (_, at) => `one beginning ${at}`) }, '"one beginning 12'],
    [doubling(40), '"abc'],
  ];
  for (const [schema, text] of cases) {
    const ways = mostWays(schema, text);
    assert.ok(ways > 0 && ways <= 12, `${JSON.stringify(schema).slice(0, 200)}: ${ways}`);
  }
});

test('a number is read in few ways, whatever its bounds are', () => {
  const bound = fc.integer({ min: -(10 ** 12), max: 10 ** 12 });
  fc.assert(
    fc.property(bound, bound, fc.constantFrom(0, 1, 3, 6), (first, second, places) => {
      const units = [first, Math.round((first + second) / 2), second].sort((a, b) => a - b);
      const values = units.map((unit) => unit / 10 ** places);
      for (const value of values) {
        const ways = mostWays({ type: 'number', minimum: values[0], maximum: values[2] }, String(value));
        assert.ok(ways <= 12, `${values}: ${ways}`);
      }
    }),
  );
});

test('members are read in few ways, however many of them may be left out, and hold to their order', async () => {
  const part = fc.constantFrom('a', 'b', '_', '"', '\\', '7', 'é', '\u{1f642}', '\ud83d');
  const names = fc.uniqueArray(
    fc.array(part, { maxLength: 6 }).map((parts) => parts.join('')),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(names, fc.infiniteStream(fc.boolean()), fc.boolean(), async (all, chances, isLastRequired) => {
      // Names that look like numbers would change their place in an object.
      const keys = all.map((name, at) => `${name}${at % 3 === 0 ? '' : 'x'}.${at}`);
      const properties = Object.fromEntries(keys.map((key) => [key, { type: 'boolean' }]));
      const required = isLastRequired ? keys.slice(-1) : [];
      const schema = { type: 'object', properties, required };
      const written = keys.filter((key) => required.includes(key) || chances.next().value === true);
      const text = (members: readonly string[]) => `{${members.map((key) => `${JSON.stringify(key)}:true`).join()}}`;
      assert.ok(mostWays(schema, text(written)) <= 40);
      const accepts = await promptMatcher(llama, { responseFormat: { type: 'json_schema', schema } });
      assert.ok(accepts(text(written)));
      if (written.length > 1) assert.ok(!accepts(text(written.toReversed())));
      if (written.length > 0) assert.ok(!accepts(text([...written, ...written])));
      if (written.length > 0) assert.ok(!accepts(text(written).replace('":', 'y":')));
    }),
    { numRuns: 30 },
  );
  const wide = Array.from({ length: 490 }, (_, at) => [
    `${at % 2 === 0 ? 'size' : 'colour'}_${at}`,
    { type: 'boolean' },
  ]);
  const schema = { type: 'object', properties: Object.fromEntries(wide) };
  for (const text of [
    '{}',
    '{"size_0":true,"colour_1":false}',
    '{"colour_177":true,"size_380":true,"colour_489":true}',
  ])
    assert.ok(mostWays(schema, text) <= 40);
});

test('a character of a pattern is looked for in few ways, and one of very many separate characters is refused', () => {
  const held = (pattern: string) => ({ type: 'string', pattern });
  for (const pattern of ['^.{1,50}$', '^[^x]*$', '^[\\s\\S]+y$', '^\\S+( \\S+)*$', '^(?!a)[^b]*$'])
    assert.ok(mostWays(held(pattern), '"yyyy"') <= 8, pattern);
  const separate = (count: number) => Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + 2 * at));
  assert.equal(refusal(held(`^[${separate(400).join('')}]+$`)), '');
  assert.match(refusal(held(`^[${separate(600).join('')}]+$`)), /"pattern": one with so many ways to match/);
  assert.match(refusal(held(`^(${separate(600).join('x|')})$`)), /"pattern": one with so many ways to match/);
});

/** Each level has two words for the next one. */
function doubling(levels: number): Record<string, unknown> {
  const level = (at: number) => ({
    anyOf: [{ $ref: `#/$defs/${at + 1}` }, { $ref: `#/$defs/${at + 1}`, title: 'The same' }],
  });
  const $defs = Object.fromEntries(Array.from({ length: levels }, (_, at) => [at, level(at)]));
  return { $defs: { ...$defs, [levels]: { type: 'string' } }, $ref: '#/$defs/0' };
}

test('what can be read in too many ways is refused as an answer, and frees its place in a tool', async () => {
  const schemas = [
    tree(object({ parts: list(inner) }, []), object({ parts: list({ anyOf: [inner, { type: 'null' }] }) }, [])),
    tree(list(inner, { maxItems: 5000 })),
    tree(
      object({ a: list(inner), kind: { const: 1 } }),
      object({ a: list(inner, { minItems: 1 }), kind: { const: 2 } }),
    ),
    { $defs: {}, anyOf: Array.from({ length: 400 }, (_, at) => ({ type: 'number', minimum: at })) },
  ];
  for (const schema of schemas) {
    assert.match(refusal(schema), /too many ways/, JSON.stringify(schema).slice(0, 200));
    const parameters = object({ value: schema, kind: { enum: ['a', 'b'] } });
    const tools = [{ name: 'call', description: null, parameters: { $defs: schema.$defs, ...parameters } }];
    const accepts = await promptMatcher(llama, { tools, toolChoice: { mode: 'required' } });
    const call = (args: string) => accepts(`<tool_call>\n{"name": "call", "arguments": ${args}}\n</tool_call>`);
    assert.deepEqual(['{"value": {"any": 1}, "kind": "a"}', '{"value": 1, "kind": "c"}', '{"kind": "a"}'].map(call), [
      true,
      false,
      false,
    ]);
  }
});

test('listed values are accepted, whatever they begin with, and no others', async () => {
  const values = [
    'a',
    'ab',
    'abc',
    'b',
    '',
    '🙂',
    '🙃',
    '🙂🙃',
    'é"',
    'é\n',
    1,
    12,
    123,
    -1,
    1.5,
    null,
    true,
    { a: 1 },
    { a: 12 },
    [1],
  ];
  const accepts = await promptMatcher(llama, { responseFormat: { type: 'json_schema', schema: { enum: values } } });
  for (const value of values) assert.ok(accepts(JSON.stringify(value)), JSON.stringify(value));
  for (const value of ['abcd', 'ac', '🙂a', 'é', 13, 1.51, false, { a: 2 }, []])
    assert.ok(!accepts(JSON.stringify(value)), JSON.stringify(value));
});

const names = ['a', 'b', 'ab'];
const leaf = fc.constantFrom<unknown>(
  ...[{ type: 'string' }, { const: 'a' }, { const: 'ab' }, { type: 'integer' }, { type: 'null' }, {}],
  ...[{ type: 'string', maxLength: 3 }, { $ref: '#/$defs/p' }, { $ref: '#/$defs/q' }],
);
const recursive = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.record({ items: tie('schema'), maxItems: fc.nat(3) }),
    fc.record({ items: tie('schema') }),
    fc
      .tuple(
        fc.shuffledSubarray(names, { minLength: 1 }),
        fc.array(tie('schema'), { minLength: 3, maxLength: 3 }),
        fc.nat(7),
      )
      .map(([keys, schemas, required]) =>
        object(
          Object.fromEntries(keys.map((key, at) => [key, schemas[at]])),
          keys.filter((_, at) => (required >> at) % 2 === 1),
        ),
      ),
    fc.array(tie('schema'), { minLength: 2, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
})).schema;

test('whatever schema is not refused, no text makes the ways to read it grow without bound', () => {
  const tokens = ['{', '}', '[', ']', ',', '"a":', '"b":', '"ab":', '"c":', '"a"', '"ab"', '"', '1', 'null'];
  const schemas = fc
    .record({ p: recursive, q: recursive })
    .map(($defs) => ({ $defs, anyOf: [{ $ref: '#/$defs/p' }, { $ref: '#/$defs/q' }] }));
  const property = fc.property(schemas, fc.array(fc.nat(20), { minLength: 30, maxLength: 30 }), (schema, choices) => {
    if (refusal(schema) !== '') return;
    const follower = createFollower(grammarOf(schema));
    let ways = follower.start;
    for (const choice of choices) {
      const next = tokens.map((token) => follower.after(ways, token)).filter((each) => each.size > 0);
      const most = next.toSorted((one, other) => other.size - one.size);
      // Mostly towards more ways.
      ways = (choice < 15 ? most[0] : most[choice % most.length]) ?? ways;
      assert.ok(ways.size <= 1500, `${ways.size} ways: ${JSON.stringify(schema)}`);
    }
  });
  fc.assert(property, { numRuns: 150 });
});

function mostWays(schema: Record<string, unknown>, text: string): number {
  const follower = createFollower(grammarOf(schema));
  let ways = follower.start;
  let most = ways.size;
  for (const char of text) {
    ways = follower.after(ways, char);
    most = Math.max(most, ways.size);
  }
  assert.ok(ways.size > 0, text);
  return most;
}

function grammarOf(schema: Record<string, unknown>): string {
  return promptGrammar(chatPrompt({ responseFormat: { type: 'json_schema', schema } })) ?? '';
}
