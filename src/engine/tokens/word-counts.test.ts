import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { createTextCounter } from './item-counter.ts';

const qwen2 =
  /'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** Tokens of a word: another number for most words of the same length. */
function tokensOf(word: string): number {
  let sum = 0;
  for (let index = 0; index < word.length; index++) sum = (sum * 31 + word.charCodeAt(index)) % 101;
  return sum + 1;
}

const counter = () => {
  const asked: string[] = [];
  const division = { divider: 'qwen2', added: ['</think>', '<think>'], addedTakeBlanks: false } as const;
  const count = createTextCounter({ ...division, added: [...division.added] }, (word) => {
    asked.push(word);
    return tokensOf(word);
  });
  return { count, asked };
};

/** Word by word, and one for each added token. */
const expectedOf = (text: string) =>
  text
    .split(/(<\/?think>)/)
    .flatMap((part, index) => (index % 2 === 1 ? [1] : (part.match(qwen2) ?? []).map(tokensOf)))
    .reduce((sum, tokens) => sum + tokens, 0);

const letters = fc.string({ unit: fc.constantFrom('a', 'Z', 'm'), maxLength: 40 });
const between = fc.constantFrom(
  ' ',
  ' ',
  ' ',
  '  ',
  '\n',
  '\t',
  ".'",
  "'s",
  '7',
  ' .',
  '<',
  '<think>',
  ' </think>',
  '@[`{',
);

test('words of whatever length are counted as they are divided', () => {
  const { count } = counter();
  fc.assert(
    fc.property(fc.array(fc.oneof(letters, between), { maxLength: 40, size: 'max' }), (parts) => {
      const text = parts.join('');
      assert.equal(count(text), expectedOf(text));
    }),
    { numRuns: 300 },
  );
});

test('a text may be longer than any before, and what is left of others behind it does not matter', () => {
  const { count } = counter();
  const long = ' wording and more'.repeat(20_000);
  for (const text of ['a', long, 'bc d', `${long}${long}`, 'b', ` ${'z'.repeat(200)}`, ' ', `${'y '.repeat(64)}q`])
    assert.equal(count(text), expectedOf(text));
});

test('a text may end where the memory for it does', () => {
  const { count } = counter();
  for (let length = 2 ** 17 - 80; length <= 2 ** 17; length++) {
    const text = '!'.repeat(length);
    assert.equal(count(text), expectedOf(text));
  }
});

test('a word is asked for once, however many there are, until there are too many to be remembered', () => {
  const { count, asked } = counter();
  const wordAt = (n: number) => ` w${n.toString(36).replace(/\d/g, (digit) => 'ABCDEFGHIJ'.charAt(Number(digit)))}`;
  const textOf = (words: number) => Array.from({ length: words }, (_, n) => wordAt(n)).join('');
  const many = textOf(60_000);
  assert.equal(count(many), expectedOf(many));
  assert.equal(count(many), expectedOf(many));
  assert.deepEqual([asked.length, new Set(asked).size], [60_000, 60_000]);
  const tooMany = textOf(70_000);
  assert.equal(count(tooMany), expectedOf(tooMany));
  assert.equal(count(tooMany), expectedOf(tooMany));
});
