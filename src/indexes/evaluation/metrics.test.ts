import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { identityOf, relevantOf } from '../passages.ts';
import { ranksOf } from './evaluate.ts';
import { meanOf, scoresOf } from './metrics.ts';

const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} ${expected}`);

test('known rankings have the known metrics', () => {
  assert.deepEqual(scoresOf({ ranks: [1], positives: 1 }), {
    recallAt1: 1,
    recallAt10: 1,
    recallAt100: 1,
    mrrAt10: 1,
    ndcgAt10: 1,
  });
  assert.deepEqual(scoresOf({ ranks: [], positives: 2 }), {
    recallAt1: 0,
    recallAt10: 0,
    recallAt100: 0,
    mrrAt10: 0,
    ndcgAt10: 0,
  });
  const third = scoresOf({ ranks: [3, 40], positives: 2 });
  assert.deepEqual([third.recallAt1, third.recallAt10, third.recallAt100], [0, 0.5, 1]);
  near(third.mrrAt10, 1 / 3);
  near(third.ndcgAt10, 0.5 / (1 + 1 / Math.log2(3)));
  assert.equal(scoresOf({ ranks: [11], positives: 1 }).mrrAt10, 0);
  assert.equal(meanOf([]), null);
  assert.equal(meanOf([scoresOf({ ranks: [1], positives: 1 }), scoresOf({ ranks: [], positives: 1 })])?.recallAt1, 0.5);
});

test('metrics of any ranking lie between none and the best one, and an earlier rank is never worse', () => {
  const ranking = fc.record({
    ranks: fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 }),
  });
  fc.assert(
    fc.property(ranking, ({ ranks: unsorted }) => {
      const ranks = unsorted.toSorted((a, b) => a - b);
      const [first = 1, ...rest] = ranks;
      const scores = scoresOf({ ranks, positives: ranks.length });
      for (const value of Object.values(scores)) assert.ok(value >= 0 && value <= 1 + 1e-12);
      if (first === 1) return;
      const better = scoresOf({ ranks: [first - 1, ...rest], positives: ranks.length });
      for (const name of Object.keys(scores) as (keyof typeof scores)[]) assert.ok(better[name] >= scores[name]);
    }),
  );
});

test('texts of one document count once, at the position of the best, and a positive is known by text or by name', () => {
  const passage = (text: string, id: string | null = null) => identityOf({ text, document_id: id });
  const relevant = relevantOf([passage('a', 'doc'), passage('b')]);
  assert.equal(relevant.count, 2);
  const ranks = (...results: [string, (string | null)?][]) =>
    ranksOf(
      { relevant, beside: relevantOf([]) },
      results.map(([text, id = null], at) => ({ ...passage(text, id), score: -at })),
    );
  assert.deepEqual(ranks(['x', 'other'], ['y', 'other'], ['a']), [2]);
  assert.deepEqual(ranks(['another text of it', 'doc'], ['a', 'doc'], ['b']), [1, 2]);
  assert.deepEqual(ranks(['x'], ['b', 'its name']), [2]);
  assert.equal(relevantOf([passage('a', 'doc'), passage('other text', 'doc'), passage('a')]).count, 1);
});

test('what scores the same as a positive stands before it, and what another split calls right stands nowhere', () => {
  const passage = (text: string) => identityOf({ text, document_id: null });
  const question = {
    relevant: relevantOf([passage('a'), passage('b')]),
    beside: relevantOf([passage('b'), passage('learned')]),
  };
  const ranks = (...results: [string, number][]) =>
    ranksOf(
      question,
      results.map(([text, score]) => ({ ...passage(text), score })),
    );
  assert.deepEqual(ranks(['a', 0.5], ['x', 0.5], ['b', 0.5], ['y', 0.5], ['z', 0.1]), [3, 4]);
  assert.deepEqual(ranks(['learned', 0.9], ['x', 0.8], ['learned', 0.7], ['b', 0.6]), [2]);
});
