import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { wordDifferences } from '../../web/src/rooms/versions/word-differences.ts';

const marked = (text: string, other: string) =>
  wordDifferences(text, other)
    .map(({ text, isShared }) => (isShared ? text : `[${text}]`))
    .join('');

test('words that the other text does not have are marked', () => {
  assert.equal(marked('the old answer of us', 'the new answer of us'), 'the [old ]answer of us');
  assert.equal(marked('我们的旧回答', '我们的新回答'), '我们的[旧]回答');
  assert.equal(marked('one two three four', 'one two three four five'), 'one two three [four]');
  assert.equal(marked('same', 'same'), 'same');
  assert.equal(marked('', 'something'), '');
});

test('texts with hardly a word in common are marked as a whole', () => {
  assert.equal(marked('a red lamp in the hall', 'the weather of tomorrow'), '[a red lamp in the hall]');
});

/** Whether one text is the other with something left out. */
function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (const letter of part) {
    at = whole.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

test('the pieces are the text, and the other one has what is shared in the same order', () => {
  const words = fc.constantFrom('lamp ', 'door ', 'a ', '好', ', ', '\n');
  const text = fc.array(words, { maxLength: 30 }).map((all) => all.join(''));
  fc.assert(
    fc.property(text, text, (one, other) => {
      const pieces = wordDifferences(one, other);
      assert.equal(pieces.map(({ text: piece }) => piece).join(''), one);
      assert.ok(isWithin(pieces.flatMap(({ text: piece, isShared }) => (isShared ? piece : [])).join(''), other));
    }),
  );
});
