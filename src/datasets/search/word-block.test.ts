import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MatchBits } from './match-bits.ts';
import { WordBlock, type WordPage } from './word-block.ts';

const word = fc.constantFrom('a', 'ab', 'abc', 'b', 'ba', 'é', '天气', '𝒳', '=train', 'zebra', '0', 'abd');

function found(pages: readonly WordPage[], examples: number, sought: string, begins: boolean): MatchBits {
  const matches = new MatchBits(examples);
  for (const { entries } of pages) matches.addWord(entries, { bytes: Buffer.from(sought), begins });
  return matches;
}

const placesOf = (matches: MatchBits) => [...matches.before(matches.examples)].reverse();

test('a block knows of each word, and of each beginning, exactly the examples that have it', () => {
  fc.assert(
    fc.property(fc.array(fc.array(word), { maxLength: 80 }), word, fc.boolean(), (texts, sought, begins) => {
      const block = new WordBlock();
      for (const text of texts) block.add(text);
      const matches = found(block.pages(), texts.length, sought, begins);
      const expected = texts.flatMap((text, place) =>
        text.some((each) => each === sought || (begins && each.startsWith(sought))) ? [place] : [],
      );
      assert.deepEqual(placesOf(matches), expected);
      assert.equal(matches.count(), expected.length);
    }),
  );
});

test('words of any frequency among thousands of examples are found, by rows that begin in the order of bytes', () => {
  const examples = 5_000;
  const block = new WordBlock();
  for (let place = 0; place < examples; place++)
    block.add(['every', ...(place % 2 ? ['odd'] : []), ...(place % 100 ? [] : ['rare']), `only${place}`]);
  const pages = block.pages();
  const firsts = pages.map(({ word: first }) => Buffer.from(first));
  assert.deepEqual(firsts.toSorted(Buffer.compare), firsts);
  assert.ok(pages.length > 10);
  for (const [sought, count] of [
    ['every', 5_000],
    ['odd', 2_500],
    ['rare', 50],
    ['only4999', 1],
    ['only', 0],
  ] as const)
    assert.equal(found(pages, examples, sought, false).count(), count, sought);
  assert.equal(found(pages, examples, 'only49', true).count(), 111);
});
