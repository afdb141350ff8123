import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { type EventResult, type Judgment, labels } from '../events/event.ts';
import { negativePolicy as policy } from './negative-policy.ts';
import { shinglesOf, similarity } from './shingles.ts';
import { type RankChoice, suggest } from './suggest.ts';

const words = 'amber birch cedar delta ember fjord grove heath ivory jade knoll larch'.split(' ');
const long = (seed: number) =>
  Array.from({ length: 80 }, (_, at) => `${words[(seed * 7 + at * 5) % 12]}${seed}x${at}`).join(' ');

const page = (count: number, change: (rank: number) => Partial<EventResult> = () => ({})): EventResult[] =>
  Array.from({ length: count }, (_, index) => {
    const rank = index + 1;
    return { rank, document_id: `doc-${rank}`, text: `text of rank ${rank}`, score: null, ...change(rank) };
  });

const judged = (rank: number, label: Judgment['label'] = 'positive', more: Partial<Judgment> = {}): Judgment => ({
  rank,
  document_id: null,
  label,
  signal: 'click',
  strength: 1,
  ...more,
});

test('what was passed over above the lowest click is negative; what is below was never looked at', () => {
  const suggestion = suggest({ results: page(6), judgments: [judged(2), judged(4)] }, policy);
  assert.deepEqual(suggestion, {
    positives: [2, 4],
    negatives: [1, 3],
    dropped: [
      { rank: 5, reason: 'below_last_looked_at' },
      { rank: 6, reason: 'below_last_looked_at' },
    ],
    lacks: null,
    contradicts: false,
  });
});

test('explicit negatives come first and may stand below; nothing below the lowest positive is taken by itself', () => {
  const judgments = [judged(3), judged(6, 'negative')];
  const { negatives, dropped } = suggest({ results: page(7), judgments }, { ...policy, maxNegatives: 2 });
  assert.deepEqual(negatives, [1, 6]);
  assert.deepEqual(dropped, [
    { rank: 2, reason: 'over_max_negatives' },
    { rank: 4, reason: 'below_lowest_positive' },
    { rank: 5, reason: 'below_lowest_positive' },
    { rank: 7, reason: 'below_last_looked_at' },
  ]);
});

test('a result that somebody touched without calling it wrong is no negative', () => {
  const judgments = [
    judged(4),
    judged(1, 'neutral'),
    judged(2, 'positive', { strength: 0.2 }),
    judged(3, 'negative', { strength: 0.1 }),
  ];
  const { positives, negatives, dropped } = suggest({ results: page(4), judgments }, policy);
  assert.deepEqual(positives, [4]);
  assert.deepEqual(negatives, []);
  assert.deepEqual(
    dropped,
    [1, 2, 3].map((rank) => ({ rank, reason: 'touched_not_negative' })),
  );
});

test('passed over is not enough where only explicit negatives count', () => {
  const judgments = [judged(3), judged(1, 'negative')];
  const { negatives, dropped } = suggest({ results: page(3), judgments }, { ...policy, mode: 'explicit_only' });
  assert.deepEqual(negatives, [1]);
  assert.deepEqual(dropped, [{ rank: 2, reason: 'not_judged_negative' }]);
});

test('a skipped result that scores nearly as high as the best positive is dropped, an explicit one stays', () => {
  const scores = [0.9, 0.94, 0.96, 0.99, 1];
  const results = page(5, (rank) => ({ score: scores[rank - 1] ?? null }));
  const { negatives, dropped } = suggest({ results, judgments: [judged(5), judged(4, 'negative')] }, policy);
  assert.deepEqual(negatives, [1, 2, 4]);
  assert.deepEqual(dropped, [{ rank: 3, reason: 'score_too_high' }]);
});

test('scores below zero are compared by how far below the positive they lie', () => {
  const results = page(4, (rank) => ({ score: [-2.2, -2.05, null, -2][rank - 1] ?? null }));
  const { negatives, dropped } = suggest({ results, judgments: [judged(4)] }, policy);
  // What has no score is not one of 0.
  assert.deepEqual(negatives, [1, 3]);
  assert.deepEqual(dropped, [{ rank: 2, reason: 'score_too_high' }]);
});

test('a near-duplicate of a positive is dropped, however it is spelled, also when it was called wrong', () => {
  const text = long(1);
  const results = page(4, (rank) => ({
    text: [`${text.toUpperCase()}!`, text.replace('x40', 'other'), long(2), text][rank - 1] ?? '',
  }));
  const judgments = [judged(4), judged(2, 'negative')];
  const { negatives, dropped } = suggest({ results, judgments }, policy);
  assert.deepEqual(negatives, [3]);
  assert.deepEqual(
    dropped,
    [1, 2].map((rank) => ({ rank, reason: 'near_duplicate_of_positive' })),
  );
});

test('other parts of the document that was clicked are no negatives', () => {
  const results = page(3, (rank) => ({ document_id: rank === 2 ? null : 'same' }));
  const { negatives, dropped } = suggest({ results, judgments: [judged(3)] }, policy);
  assert.deepEqual(negatives, [2]);
  assert.deepEqual(dropped, [{ rank: 1, reason: 'same_document_as_positive' }]);
});

test('a judgment of a document is about every result that shows it', () => {
  const results = page(4, (rank) => ({ document_id: rank % 2 === 0 ? 'even' : `odd-${rank}` }));
  const judgments = [{ ...judged(1), rank: null, document_id: 'even' }];
  assert.deepEqual(suggest({ results, judgments }, policy).positives, [2, 4]);
});

test('an event without a positive teaches nothing, and says so of each result', () => {
  const judgments = [judged(2, 'negative')];
  const { positives, negatives, dropped, lacks } = suggest({ results: page(3), judgments }, policy);
  assert.deepEqual([positives, negatives, lacks], [[], [], 'no_positive']);
  assert.deepEqual(new Set(dropped.map(({ reason }) => reason)), new Set(['no_positive']));
});

test('the same text called right and wrong is a contradiction', () => {
  const twice = [judged(1), judged(1, 'negative')];
  assert.equal(suggest({ results: page(2), judgments: twice }, policy).contradicts, true);
  const same = page(2, () => ({ text: 'the same text' }));
  assert.equal(suggest({ results: same, judgments: [judged(1), judged(2, 'negative')] }, policy).contradicts, true);
  assert.equal(suggest({ results: page(2), judgments: [judged(1), judged(2, 'negative')] }, policy).contradicts, false);
});

test('who chooses the positives has the last word about them, and the policy follows', () => {
  const judgments = [judged(2), judged(3, 'negative')];
  const choice: RankChoice = { positives: [3], negatives: null };
  assert.deepEqual(suggest({ results: page(4), judgments, choice }, policy), {
    positives: [3],
    negatives: [1],
    dropped: [
      { rank: 2, reason: 'touched_not_negative' },
      { rank: 4, reason: 'below_last_looked_at' },
    ],
    lacks: null,
    contradicts: false,
  });
});

test('chosen negatives replace those of the policy, but cannot be positives', () => {
  const chosen = suggest(
    { results: page(4), judgments: [judged(2)], choice: { positives: null, negatives: [4] } },
    policy,
  );
  assert.deepEqual([chosen.positives, chosen.negatives, chosen.contradicts], [[2], [4], false]);
  assert.deepEqual(
    chosen.dropped,
    [1, 3].map((rank) => ({ rank, reason: 'not_chosen' })),
  );
  const both = suggest(
    { results: page(4), judgments: [judged(2)], choice: { positives: null, negatives: [2] } },
    policy,
  );
  assert.equal(both.contradicts, true);
  // Also by the text alone, and where the positives are chosen as well.
  const results = page(3, (rank) => ({ text: rank < 3 ? 'the same text' : 'another' }));
  for (const [negatives, expected] of [
    [[2], true],
    [[3], false],
  ] as const) {
    const choice = { positives: [1], negatives };
    assert.equal(suggest({ results, judgments: [judged(3)], choice }, policy).contradicts, expected);
  }
});

test('texts that the model does not take are dropped; an event whose every positive is one teaches nothing', () => {
  const judgments = [judged(3), judged(4), judged(5, 'negative')];
  const some = suggest({ results: page(5), judgments, tooLong: new Set([1, 3, 5]) }, policy);
  assert.deepEqual([some.positives, some.negatives, some.lacks], [[4], [2], null]);
  assert.deepEqual(
    some.dropped,
    [1, 3, 5].map((rank) => ({ rank, reason: 'over_token_limit' })),
  );
  const all = suggest({ results: page(5), judgments, tooLong: new Set([3, 4]) }, policy);
  assert.deepEqual([all.positives, all.negatives, all.lacks], [[], [], 'over_token_limit']);
  const choice = { positives: [1, 2], negatives: [3, 4] };
  const chosen = suggest({ results: page(5), judgments, tooLong: new Set([2, 3]), choice }, policy);
  assert.deepEqual([chosen.positives, chosen.negatives], [[1], [4]]);
});

const anyEvent = fc.integer({ min: 1, max: 20 }).chain((count) =>
  fc.record({
    results: fc
      .tuple(
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: count, maxLength: count }),
        fc.array(
          fc.record({
            document_id: fc.option(fc.constantFrom('a', 'b', 'c')),
            text: fc.constantFrom(...Array.from({ length: 6 }, (_, seed) => long(seed)), 'short', 'Short!'),
            score: fc.option(fc.double({ min: -1, max: 1, noNaN: true })),
          }),
          { minLength: count, maxLength: count },
        ),
      )
      .map(([ranks, rest]) => rest.map((result, index) => ({ ...result, rank: ranks[index] ?? 0 }))),
    judgments: fc.array(
      fc.record({
        rank: fc.integer({ min: 1, max: 60 }),
        document_id: fc.constant(null),
        label: fc.constantFrom(...labels),
        signal: fc.constant(null),
        strength: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 12 },
    ),
  }),
);

test('every result is in exactly one list, and no rule of the policy is ever broken', () => {
  const anyPolicy = fc.record({
    mode: fc.constantFrom('explicit_only' as const, 'explicit_then_skipped' as const),
    maxNegatives: fc.integer({ min: 0, max: 6 }),
    maxScoreRatio: fc.constantFrom(0.5, 0.95, 1),
    nearDuplicateThreshold: fc.constantFrom(0.5, 0.9, 1),
    minStrength: fc.constantFrom(0, 0.5, 1),
  });
  fc.assert(
    fc.property(anyEvent, anyPolicy, ({ results, judgments }, rules) => {
      const { positives, negatives, dropped } = suggest({ results, judgments }, rules);
      const all = [...positives, ...negatives, ...dropped.map(({ rank }) => rank)];
      assert.deepEqual(
        all.toSorted((a, b) => a - b),
        results.map(({ rank }) => rank).toSorted((a, b) => a - b),
      );
      for (const list of [positives, negatives, dropped.map(({ rank }) => rank)])
        assert.deepEqual(
          list,
          list.toSorted((a, b) => a - b),
        );
      assert.ok(negatives.length <= rules.maxNegatives);
      const at = (rank: number) => judgments.filter((judgment) => judgment.rank === rank);
      const says = (rank: number, label: string) =>
        at(rank).some((judgment) => judgment.label === label && judgment.strength >= rules.minStrength);
      assert.deepEqual(
        positives,
        all.filter((rank) => says(rank, 'positive')).toSorted((a, b) => a - b),
      );
      const lowest = Math.max(0, ...positives);
      const textOf = (rank: number) => results.find((result) => result.rank === rank)?.text ?? '';
      for (const rank of negatives) {
        assert.ok(positives.length > 0);
        for (const positive of positives)
          assert.ok(similarity(shinglesOf(textOf(rank)), shinglesOf(textOf(positive))) < rules.nearDuplicateThreshold);
        if (says(rank, 'negative')) continue;
        assert.equal(rules.mode, 'explicit_then_skipped');
        assert.equal(at(rank).length, 0, 'it was touched');
        assert.ok(rank < lowest, 'it is below the lowest positive');
      }
      const explicit = dropped.filter(({ rank, reason }) => says(rank, 'negative') && reason === 'over_max_negatives');
      if (explicit.length > 0) assert.ok(negatives.every((rank) => says(rank, 'negative')));
    }),
    { numRuns: 500 },
  );
});

test('the order in which results and judgments are reported changes nothing', () => {
  fc.assert(
    fc.property(anyEvent, ({ results, judgments }) => {
      const reversed = { results: results.toReversed(), judgments: judgments.toReversed() };
      assert.deepEqual(suggest(reversed, policy), suggest({ results, judgments }, policy));
    }),
  );
});
