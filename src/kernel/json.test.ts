import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { isExactNumber, objectInOrder, parseExactJson } from './json.ts';

const rewritten = (text: string) => JSON.stringify(parseExactJson(text));

test('the order of keys and the digits of numbers stay as they were written', () => {
  for (const text of [
    '{"reason":1,"10":2,"2":3}',
    '{"a":{"1":[{"b":0,"0":12345678901234567890}]}}',
    '[9007199254740993,-9223372036854775808,18446744073709551615]',
    '[0.12345678901234567890123,1e400,123456789.1234567891]',
    '"12345678901234567890"',
  ])
    assert.equal(rewritten(text), text);
});

test('a number that JavaScript writes as it was written is a number, and any other keeps its text', () => {
  assert.deepEqual(parseExactJson('[1, -2.5, 9007199254740992, 0.1, 1e+300]'), [1, -2.5, 9007199254740992, 0.1, 1e300]);
  for (const text of ['9007199254740993', '1.0', '2.50', '1e5', '1E400', '-0', '0.0'])
    assert.ok(isExactNumber(parseExactJson(text)) && rewritten(`[${text}]`) === `[${text}]`, text);
});

test('the last of two values with one key counts, and a key named __proto__ is a key', () => {
  assert.equal(rewritten('{"b":1,"\\u0031":2}'), '{"b":1,"1":2}');
  assert.equal(rewritten('{"x":1,"2":0,"x":3}'), '{"x":3,"2":0}');
  assert.equal(rewritten('{"__proto__":{"a":1},"1":2}'), '{"__proto__":{"a":1},"1":2}');
});

test('an object in order takes changes', () => {
  const object = objectInOrder([
    ['b', 1],
    ['1', 2],
  ]);
  object['0'] = 3;
  delete object['b'];
  assert.deepEqual(Object.entries(object), [
    ['1', 2],
    ['0', 3],
  ]);
});

test('what is no JSON is refused, and so is what nests too deeply', () => {
  for (const text of ['', '{', '01', '{"1":}', '["1" 1]', '1e', `${'['.repeat(2_000)}"1"${']'.repeat(2_000)}`])
    assert.throws(() => parseExactJson(text), SyntaxError);
});

test('all else is read as JSON.parse reads it, however it is spaced', () => {
  const key = fc.oneof(fc.string(), fc.nat().map(String));
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.bigInt(),
      fc.constantFrom(null, true, false),
      fc.array(tie('value')),
      fc.array(fc.tuple(key, tie('value'))),
    ),
  })).value;
  const write = (item: unknown): string => {
    if (typeof item === 'bigint') return String(item);
    if (!Array.isArray(item)) return JSON.stringify(Object.is(item, -0) ? 0 : item);
    return `[${item.map((part) => `${write(part)} ,\n`).join('')} {"z":0, "1":${JSON.stringify(String(item.length))}}]`;
  };
  fc.assert(
    fc.property(value, (item) => {
      const text = write(item);
      assert.deepEqual(JSON.parse(rewritten(text)), JSON.parse(text));
    }),
  );
});
