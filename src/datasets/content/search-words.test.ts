import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { searchTerms, searchWords } from './search-words.ts';

const wordsOf = (text: string) => searchWords({ query: text, positives: [], negatives: [] });

/** What the database does with a term. */
const finds = (query: string, text: string) => {
  const words = wordsOf(text);
  return searchTerms(query).every(({ word, begins }) => words.includes(` ${word}${begins ? '' : ' '}`));
};

test('words are found whatever their case, width and surroundings', () => {
  for (const [query, text] of [
    ['lamp', 'The LAMP.Red'],
    ['LAMP red', '"red",(lamp)'],
    ['ÄRGER', 'der ärger'],
    ['ｌａｍｐ', 'lamp'],
    ['naïve', 'nai\u0308ve'],
    ['example', 'me@example.com/path'],
    ['2026-01-02', 'on 2026/01/02'],
    ['snake_case', 'a snake_case name'],
    ['lam*', 'a lamp'],
    ['天气', '今天天气很好'],
    ['天', '今天'],
    ['好', '天气很好'],
    ['ラーメン', '美味しいラーメンを食べた'],
    ['학교', '학교에서'],
    ['GPT天气', '用gpt天气预报'],
  ] as const)
    assert.ok(finds(query, text), `${query} in ${text}`);
});

test('parts of words are found where a star says so, and only there', () => {
  for (const [query, text] of [
    ['lam', 'a lamp'],
    ['amp*', 'a lamp'],
    ['la*', 'a lamp'],
    ['lamp red', 'a lamp'],
    ['气天', '天气'],
  ] as const)
    assert.ok(!finds(query, text), `${query} in ${text}`);
});

test('a text without words asks for nothing, and many words are bounded', () => {
  assert.deepEqual(searchTerms(' *?! -- 🙂 '), []);
  assert.equal(searchTerms(Array.from({ length: 99 }, (_, n) => `w${n}`).join(' ')).length, 16);
});

test('every text is found by itself and by each of its words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      assert.ok(finds(text, `before ${text} after`));
      for (const word of text.split(/\s+/u)) assert.ok(finds(word, text), word);
      assert.match(wordsOf(text), /^ ((\S{1,64} )+| )$/u);
    }),
  );
});

test('endless words are found by their beginning', () => {
  const long = 'ab'.repeat(500);
  assert.ok(finds(long, `x ${long}`));
  assert.ok(finds('aba*', `x ${long}`));
  assert.ok(wordsOf(long).length < 100);
});

test('text in ASCII is folded as any other text is', () => {
  const slowly = (text: string) =>
    ` ${text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim()
      .split(' ')
      .map((word) => word.slice(0, 64))
      .join(' ')} `;
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ unit: 'binary-ascii' }),
          fc.string({ unit: fc.constantFrom('a', 'B', '0'), maxLength: 99 }),
        ),
      ),
      (parts) => assert.equal(wordsOf(parts.join('')), slowly(parts.join(''))),
    ),
  );
});
