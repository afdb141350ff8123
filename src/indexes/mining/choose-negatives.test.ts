import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { type DocumentIdentity, identityOf, keyIn, relevantOf } from '../passages.ts';
import { chooseNegatives, type NegativeCandidate } from './choose-negatives.ts';

const candidate = (rank: number, score: number, hash: string, documentId: string | null = null): NegativeCandidate => ({
  position: rank,
  rank,
  score,
  hash,
  documentId,
});

const rightFor = (positives: readonly Parameters<typeof identityOf>[0][]) => {
  const wanted = relevantOf(positives.map(identityOf));
  return (document: DocumentIdentity) => keyIn(wanted, document) !== null;
};

test('negatives are the nearest that are no positive, not like one, and one of each document', () => {
  const isRight = rightFor([{ text: 'right', document_id: 'doc-1' }]);
  const candidates = [
    candidate(1, 0.99, 'near twin'),
    candidate(2, 0.9, 'same document', 'doc-1'),
    candidate(3, 0.8, 'c', 'doc-2'),
    candidate(4, 0.7, 'd', 'doc-2'),
    candidate(5, 0.6, 'present'),
    candidate(6, 0.5, 'f'),
    candidate(7, 0.4, 'g'),
  ];
  const question = { candidates, isRight, positiveScores: [0.95], present: [{ hash: 'present', documentId: null }] };
  const { negatives, tooSimilar } = chooseNegatives(question, { maxNegatives: 3, maxScoreRatio: 0.95 });
  assert.deepEqual(
    negatives.map(({ hash }) => hash),
    ['c', 'f'],
  );
  assert.equal(tooSimilar, 1);
  assert.deepEqual(chooseNegatives(question, { maxNegatives: 1, maxScoreRatio: 0.95 }).negatives, []);
});

test('where the weakest positive scores below zero, what scores higher than it is left out as well', () => {
  const candidates = [candidate(1, -0.2, 'above it'), candidate(2, -0.25, 'like it'), candidate(3, -0.4, 'below it')];
  const question = { candidates, isRight: () => false, positiveScores: [0.5, -0.25], present: [] };
  const { negatives, tooSimilar } = chooseNegatives(question, { maxNegatives: 5, maxScoreRatio: 0.75 });
  assert.deepEqual([negatives.map(({ hash }) => hash), tooSimilar], [['below it'], 2]);
});

test('whatever the candidates are, no positive and nothing that scores like one becomes a negative', () => {
  const name = fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f');
  const shape = fc.record({
    documents: fc.array(
      fc.record({ hash: name, documentId: fc.option(name), score: fc.double({ min: -1, max: 1, noNaN: true }) }),
    ),
    positives: fc.array(name, { minLength: 1, maxLength: 3 }),
    positiveScores: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 }),
    present: fc.array(fc.record({ hash: name, documentId: fc.option(name) }), { maxLength: 3 }),
    maxNegatives: fc.integer({ min: 1, max: 5 }),
    maxScoreRatio: fc.double({ min: 0.1, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(shape, ({ documents, positives, positiveScores, present, ...rule }) => {
      const isRight = rightFor(positives.map((id) => ({ text: `text of ${id}`, document_id: id })));
      const candidates = documents.map((document, at) => ({ ...document, position: at, rank: at + 1 }));
      const { negatives } = chooseNegatives({ candidates, isRight, positiveScores, present }, rule);
      assert.ok(negatives.length === 0 || negatives.length + present.length <= rule.maxNegatives);
      for (const { hash, documentId, score } of negatives) {
        assert.ok(documentId === null || !positives.includes(documentId));
        assert.ok(score <= rule.maxScoreRatio * Math.min(...positiveScores));
        assert.ok(score <= Math.min(...positiveScores));
        assert.ok(!present.some((known) => known.hash === hash));
      }
      assert.equal(new Set(negatives.map(({ hash }) => hash)).size, negatives.length);
    }),
  );
});
