import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { fc } from '#test/properties.ts';
import { type Accepts, promptMatcher, refusal } from './grammar-matcher.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

type Schema = Record<string, unknown>;

/** Of a schema that nothing satisfies, nothing is accepted. */
async function matcher(schema: Schema): Promise<Accepts> {
  const refused = refusal(schema);
  assert.match(refused, /^$|No value/, JSON.stringify(schema));
  return refused === '' ? promptMatcher(llama, { responseFormat: { type: 'json_schema', schema } }) : () => false;
}

test('multiples are exact, of integers and decimals, within whatever bounds', async () => {
  const bound = fc.option(fc.integer({ min: -3000, max: 3000 }));
  // In hundredths.
  const step = fc.constantFrom(25, 50, 250, 5, 200, 300, 500, 700, 1200, 6000, 9700, 100_000);
  const property = fc.asyncProperty(
    fc.record({ type: fc.constantFrom('integer', 'number'), step, low: bound, high: bound, open: fc.boolean() }),
    fc.array(fc.integer({ min: -800, max: 800 }), { minLength: 10, maxLength: 10 }),
    async ({ type, step, low, high, open }, times) => {
      const schema = {
        type,
        multipleOf: step / 100,
        ...(low === null ? {} : { [open ? 'exclusiveMinimum' : 'minimum']: low / 100 }),
        ...(high === null ? {} : { maximum: high / 100 }),
      };
      const accepts = await matcher(schema);
      for (const units of times.flatMap((time) => [time * step, time * step + 1, time * step + 100, time])) {
        const fits =
          units % step === 0 &&
          (type === 'number' || units % 100 === 0) &&
          (low === null || (open ? units > low : units >= low)) &&
          (high === null || units <= high);
        assert.equal(accepts(String(units / 100)), fits, `${JSON.stringify(schema)}: ${units / 100}`);
      }
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test('steps of schemas that are merged hold together, and zeros behind the point change nothing', async () => {
  const both = await matcher({ type: 'number', multipleOf: 0.25, allOf: [{ multipleOf: 0.1 }, { multipleOf: 1.5 }] });
  for (const text of ['0', '1.5', '3', '3.0', '-4.5']) assert.ok(both(text), text);
  for (const text of ['0.5', '1', '0.25', '-0', '01.5']) assert.ok(!both(text), text);
  const huge = await matcher({ type: 'integer', multipleOf: 3 });
  assert.ok(huge('999999999999999') && !huge('999999999999998'));
  // What is read of this is another number.
  assert.ok(!huge('9007199254740993'));
});

test('lists of listed values hold each at most once, in any order', async () => {
  const values = ['a', 'ab', 'b', 1, 12, null, true];
  const settings = fc.record({
    listed: fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 5 }),
    minItems: fc.option(fc.nat(3), { nil: undefined }),
    maxItems: fc.option(fc.nat(4), { nil: undefined }),
  });
  const lists = fc.array(fc.array(fc.constantFrom(...values), { maxLength: 5 }), { minLength: 10, maxLength: 10 });
  const property = fc.asyncProperty(settings, lists, async ({ listed, ...counts }, others) => {
    const given = Object.entries(counts).filter(([, count]) => count !== undefined);
    const schema = { type: 'array', items: { enum: listed }, uniqueItems: true, ...Object.fromEntries(given) };
    const accepts = await matcher(schema);
    const valid = new Ajv2020({ strict: false }).compile(schema);
    const some = others.map((list) => list.filter((value) => listed.includes(value)));
    for (const list of [listed, listed.toReversed(), ...some, ...others])
      for (const text of [JSON.stringify(list), JSON.stringify(list, null, 2)])
        assert.equal(accepts(text), valid(list), `${JSON.stringify(schema)}: ${text}`);
  });
  await fc.assert(property, { numRuns: 80 });
});

test('lists that hold one item at most need no listed values to hold none twice', async () => {
  const accepts = await matcher({ type: 'array', items: { type: 'integer' }, uniqueItems: true, maxItems: 1 });
  assert.deepEqual(['[]', '[5]', '[5,6]'].map(accepts), [true, true, false]);
});

test('where items may be equal, nothing is said about them', async () => {
  const accepts = await matcher({ uniqueItems: false, enum: ['a', [1, 1]] });
  assert.deepEqual(['"a"', '[1,1]', '[1]'].map(accepts), [true, true, false]);
});

test('a union with a discriminator is told apart by it, also where that has a default, as pydantic writes it', async () => {
  const kind = (t: string, more: Schema) => ({
    type: 'object',
    properties: { t: { const: t, default: t, type: 'string' }, ...more },
    required: Object.keys(more),
  });
  const schema = {
    $defs: { Cat: kind('cat', { lives: { type: 'integer' } }), Dog: kind('dog', { name: { type: 'string' } }) },
    type: 'array',
    items: {
      discriminator: { mapping: { cat: '#/$defs/Cat', dog: '#/$defs/Dog' }, propertyName: 't' },
      oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }],
    },
  };
  const accepts = await matcher(schema);
  const valid = new Ajv2020({ strict: false }).compile(schema);
  for (const list of [
    [],
    [{ t: 'cat', lives: 9 }],
    [
      { t: 'dog', name: 'a' },
      { t: 'cat', lives: 1 },
    ],
  ])
    assert.ok(accepts(JSON.stringify(list)) && valid(list), JSON.stringify(list));
  for (const list of [[{ lives: 9 }], [{ t: 'cat', name: 'a' }], [{ t: 'dog' }], [{ t: 'bird', name: 'a' }]])
    assert.ok(!accepts(JSON.stringify(list)), JSON.stringify(list));
});
