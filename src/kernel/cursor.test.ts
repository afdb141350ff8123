import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { createCursorCodec } from './cursor.ts';
import { Fault } from './faults.ts';

const codec = createCursorCodec(Buffer.alloc(32, 7));
const words = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 4 });

const isRefused = (error: unknown) =>
  error instanceof Fault && error.fault === 'invalid_cursor' && error.options.param === 'cursor';

test('a cursor gives its position back in its own scope, on any replica with the same secret', () => {
  const replica = createCursorCodec(Buffer.alloc(32, 7));
  fc.assert(
    fc.property(words, words, (scope, at) => assert.deepEqual(replica.decode(scope, codec.encode(scope, at)), at)),
  );
});

test('a cursor is refused in every other scope, also when the parts join to the same text', () => {
  assert.throws(() => codec.decode(['keys', 'ab'], codec.encode(['keysa', 'b'], ['1'])), isRefused);
  fc.assert(
    fc.property(words, words, words, (scope, other, at) => {
      fc.pre(JSON.stringify(scope) !== JSON.stringify(other));
      assert.throws(() => codec.decode(other, codec.encode(scope, at)), isRefused);
    }),
  );
});

test('changing any character, cutting, or lengthening a cursor makes it invalid', () => {
  const scope = ['keys', 'acc_1'];
  const cursor = codec.encode(scope, ['2026-01-02T03:04:05.678901Z', 'key_01']);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=/+ \n';
  let tried = 0;
  for (let at = 0; at < cursor.length; at++)
    for (const character of alphabet) {
      if (character === cursor[at]) continue;
      assert.throws(() => codec.decode(scope, cursor.slice(0, at) + character + cursor.slice(at + 1)), isRefused);
      tried++;
    }
  for (let length = 0; length < cursor.length; length++)
    assert.throws(() => codec.decode(scope, cursor.slice(0, length)), isRefused);
  for (const end of ['A', '=', '.', '.A', ' ', '\0']) assert.throws(() => codec.decode(scope, cursor + end), isRefused);
  assert.ok(tried > 5_000);
});

test('a cursor signed with another secret is refused', () => {
  const stranger = createCursorCodec(Buffer.alloc(32, 8));
  assert.throws(() => codec.decode(['a'], stranger.encode(['a'], ['1'])), isRefused);
});

test('no text at all is taken for a cursor', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) =>
      assert.throws(() => codec.decode(['a'], text), isRefused),
    ),
  );
});
