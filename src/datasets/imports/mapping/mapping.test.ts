import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { checkExample } from '../../content/check-example.ts';
import { assignSplit } from '../../examples/assign-split.ts';
import { applyMapping } from './apply-mapping.ts';
import { isMapping, type Mapping, readMapping, type WireMapping } from './mapping.ts';

const columns = new Set(['a', 'b', 'c']);

function mappingOf(wire: WireMapping, kind: 'text' | 'embedding' = 'text'): Mapping {
  const read = readMapping(wire, { kind, columns: null });
  assert.ok(isMapping(read));
  return read;
}

test('a mapping that means nothing is refused by the field that is wrong', () => {
  const cases: [WireMapping, 'text' | 'embedding', string][] = [
    [{}, 'text', 'mapping.messages'],
    [{ user: 'a' }, 'text', 'mapping.assistant'],
    [{ assistant: 'a' }, 'text', 'mapping.user'],
    [{ messages: 'a', user: 'b' }, 'text', 'mapping.user'],
    [{ messages: 'z' }, 'text', 'mapping.messages'],
    [{ messages: ['a', 'b'] }, 'text', 'mapping.messages'],
    [{ user: ['a', 'z'], assistant: 'b' }, 'text', 'mapping.user'],
    [{ user: [], assistant: 'b' }, 'text', 'mapping.user'],
    [{ messages: 'a', query: 'b' }, 'text', 'mapping.query'],
    [{ query: 'a' }, 'embedding', 'mapping.positive'],
    [{ positive: 'a' }, 'embedding', 'mapping.query'],
    [{ query: 'a', positive: 'b', positives: 'c' }, 'embedding', 'mapping.positive'],
    [{ messages: 'a' }, 'embedding', 'mapping.messages'],
  ];
  for (const [wire, kind, param] of cases) {
    const read = readMapping(wire, { kind, columns });
    assert.equal(isMapping(read) ? null : read.param, param, JSON.stringify(wire));
  }
});

const name = fc.string({ minLength: 1, maxLength: 6 });
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((said) => said.trim() !== '' && !said.trimStart().startsWith('[') && !said.includes('\0'));

test('under any names of columns, question and answer become a conversation, and pairs become pairs', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 3, maxLength: 3 }), text, text, text, (names, one, two, three) => {
      const [first = '', second = '', third = ''] = names;
      const row: Record<string, unknown> = Object.create(null);
      Object.assign(row, { [first]: one, [second]: two, [third]: three });
      const chat = applyMapping(mappingOf({ system: first, user: second, assistant: third }), row);
      const { content } = checkExample(chat.raw, 'text');
      assert.deepEqual(content && 'messages' in content && content.messages.map((message) => message.content), [
        one,
        two,
        three,
      ]);
      const triplet = applyMapping(mappingOf({ query: first, positive: second, negative: third }, 'embedding'), row);
      assert.deepEqual(triplet.raw, { query: one, positives: [two], negatives: [three] });
    }),
  );
});

test('no value of a row makes the mapping fail: what is wrong is an issue', () => {
  const wires: [WireMapping, 'text' | 'embedding'][] = [
    [{ messages: 'a', tools: 'b', split: 'c' }, 'text'],
    [{ system: 'a', user: ['b', 'c'], assistant: 'c', tools: 'a' }, 'text'],
    [{ query: 'a', positives: ['b', 'c'], negatives: 'c' }, 'embedding'],
  ];
  fc.assert(
    fc.property(fc.record({ a: fc.jsonValue(), b: fc.jsonValue(), c: fc.jsonValue() }), (row) => {
      for (const [wire, kind] of wires) {
        const { raw, sourcePointer } = applyMapping(mappingOf(wire, kind), row);
        const { content, issues } = checkExample(raw, kind);
        assert.ok(content !== null || issues.length > 0);
        for (const { pointer } of issues) assert.match(sourcePointer(pointer), /^$|^\/[abc](\/|$)/);
      }
    }),
    { numRuns: 300 },
  );
});

test('an assigned split depends on seed and content only, and keeps to its share', () => {
  const hashes = Array.from({ length: 20_000 }, (_, n) => {
    const hash = Buffer.alloc(32);
    hash.writeUInt32LE((n * 2_654_435_761) >>> 0, 16);
    return hash;
  });
  for (const testRatio of [0, 0.1, 0.2, 0.5])
    for (const splitSeed of [0, 1, -7]) {
      const assign = () =>
        hashes.map((hash) =>
          assignSplit({ messages: [], tools: null }, hash, { test_ratio: testRatio, split_seed: splitSeed }),
        );
      const share = assign().filter((split) => split === 'test').length / hashes.length;
      assert.ok(Math.abs(share - testRatio) < 0.015, `${share} of ${testRatio}`);
      assert.deepEqual(assign(), assign());
    }
  const bySeed = [0, 1].map((splitSeed) =>
    hashes
      .map((hash) => assignSplit({ messages: [], tools: null }, hash, { test_ratio: 0.5, split_seed: splitSeed }))
      .join(),
  );
  assert.notEqual(bySeed[0], bySeed[1]);
});
