import { fc } from '#test/properties.ts';

/** A schema and how to generate values that satisfy it, members in the order of the schema. */
export type Node = { schema: Record<string, unknown>; value: fc.Arbitrary<unknown> };

const name = fc.string({ unit: fc.constantFrom('a', 'b', 'ab', 'é', '"', '🙂'), minLength: 1, maxLength: 3 });

const text: fc.Arbitrary<Node> = fc.tuple(fc.nat(4), fc.nat(4)).map(([min, more]) => ({
  schema: { type: 'string', minLength: min, maxLength: min + more },
  value: fc
    .array(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), { minLength: min, maxLength: min + more })
    .map((units) => units.join('')),
}));

const whole: fc.Arbitrary<Node> = fc.tuple(fc.integer({ min: -2000, max: 2000 }), fc.nat(3000)).map(([min, span]) => ({
  schema: { type: 'integer', minimum: min, maximum: min + span },
  value: fc.integer({ min, max: min + span }),
}));

const decimal: fc.Arbitrary<Node> = fc.tuple(fc.integer({ min: -500, max: 500 }), fc.nat(900)).map(([min, span]) => ({
  schema: { type: 'number', minimum: min / 100, maximum: (min + span) / 100 },
  value: fc.integer({ min: min * 10, max: (min + span) * 10 }).map((units) => units / 1000),
}));

const constant: fc.Arbitrary<Node> = fc
  .uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.boolean()), { minLength: 1, maxLength: 4 })
  .map((values) => ({
    schema: { enum: values },
    value: fc.constantFrom(...values),
  }));

const simple: fc.Arbitrary<Node> = fc.constantFrom<Node>(
  { schema: { type: 'boolean' }, value: fc.boolean() },
  { schema: { type: 'null' }, value: fc.constant(null) },
  { schema: { type: 'string' }, value: fc.string({ unit: 'grapheme' }) },
  { schema: { type: 'integer' }, value: fc.integer() },
  { schema: { type: ['integer', 'null'] }, value: fc.option(fc.integer()) },
  {
    schema: {},
    value: fc
      .jsonValue({ noUnicodeString: false, maxDepth: 2 })
      .filter((value) => !/e[+-]?\d{3}/.test(JSON.stringify(value))),
  },
);

function list(item: Node, [min, more]: readonly [number, number]): Node {
  return {
    schema: { type: 'array', items: item.schema, minItems: min, maxItems: min + more },
    value: fc.array(item.value, { minLength: min, maxLength: min + more }),
  };
}

function tuple(items: readonly Node[]): Node {
  return {
    schema: { type: 'array', prefixItems: items.map((item) => item.schema), items: false, minItems: 1 },
    value: fc
      .tuple(fc.tuple(...items.map((item) => item.value)), fc.nat())
      .map(([values, length]) => values.slice(0, 1 + (length % values.length))),
  };
}

type Member = { key: string; node: Node; required: boolean };

function object(members: readonly Member[], extra: Node | null): Node {
  const values = fc.tuple(
    ...members.map(({ node, required }) =>
      required ? node.value.map((value) => ({ value })) : fc.option(node.value.map((value) => ({ value }))),
    ),
  );
  const others =
    extra === null
      ? fc.constant([])
      : fc.array(fc.tuple(fc.constantFrom('x', 'xy', 'abab', ''), extra.value), { maxLength: 3 });
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(members.map(({ key, node }) => [key, node.schema])),
      required: members.filter((member) => member.required).map((member) => member.key),
      additionalProperties: extra === null ? false : extra.schema,
    },
    value: fc.tuple(values, others).map(([given, more]) => ({
      ...Object.fromEntries(
        members.flatMap(({ key }, index) => {
          const slot = given[index];
          return slot === null || slot === undefined ? [] : [[key, slot.value]];
        }),
      ),
      ...Object.fromEntries(more.filter(([key]) => !members.some((member) => member.key === key))),
    })),
  };
}

export const jsonNode: fc.Arbitrary<Node> = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(simple, text, whole, decimal, constant),
    fc.tuple(tie('node'), fc.tuple(fc.nat(2), fc.nat(3))).map(([item, range]) => list(item, range)),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map(tuple),
    fc
      .tuple(
        fc.uniqueArray(fc.record({ key: name, node: tie('node'), required: fc.boolean() }), {
          maxLength: 4,
          selector: (member) => member.key,
        }),
        fc.option(tie('node')),
      )
      .map(([members, extra]) => object(members, extra)),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((nodes) => ({
      schema: { anyOf: nodes.map((node) => node.schema) },
      value: fc.oneof(...nodes.map((node) => node.value)),
    })),
  ),
})).node;

const insertions = [
  '"',
  '0',
  '1',
  '-',
  '.5',
  ',',
  'null',
  '{}',
  '[]',
  '"a"',
  '"a":',
  ':1',
  '}',
  ']',
  'e9',
  'true',
  '"x":1,',
  '5,',
  '\\u0041',
];

/** The text with one to three small edits. */
export function mutated(source: string, choose: () => number): string {
  let result = source;
  for (let edits = 1 + (choose() % 3); edits > 0; edits -= 1) {
    const at = choose() % (result.length + 1);
    const removed = choose() % 4;
    const inserted = insertions[choose() % (insertions.length * 2)] ?? '';
    result = result.slice(0, at) + inserted + result.slice(at + removed);
  }
  return result;
}
