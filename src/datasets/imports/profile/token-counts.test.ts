import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenCounts } from './token-counts.ts';

function countsOf(tokens: readonly (number | null)[]): TokenCounts {
  const counts = new TokenCounts();
  for (const each of tokens) counts.push(each === null ? null : { tokens: each, longest: each });
  return counts;
}

test('lengths are spread over few ranges without gaps, each row in the one that holds it', () => {
  for (const tokens of [[7], [0, 1, 2, 3], Array.from({ length: 5_000 }, (_, n) => (n * 7919) % 613)]) {
    const bins = countsOf([...tokens, null]).histogram();
    assert.ok(bins.length <= 25);
    for (const [index, { from, to, rows }] of bins.entries()) {
      assert.equal(rows, tokens.filter((count) => count >= from && count <= to).length);
      assert.equal(from, index === 0 ? Math.min(...tokens) : (bins[index - 1]?.to ?? 0) + 1);
    }
    assert.equal(
      bins.reduce((sum, { rows }) => sum + rows, 0),
      tokens.length,
    );
  }
  assert.deepEqual(countsOf([null]).histogram(), []);
});

test('counts outlast being stored, with what the model cannot learn', () => {
  const counts = new TokenCounts();
  const rows = [{ tokens: 3, longest: 2 }, null, { tokens: 0, longest: 0, problem: '' }];
  for (const row of rows) counts.push(row);
  const stored = TokenCounts.fromBytes(counts.toBytes());
  for (const read of [counts, stored])
    assert.deepEqual(
      [0, 1, 2, 3].map((row) => read.at(row)),
      [...rows, null],
    );
});

test('a few rows that are far longer do not press the others into one range', () => {
  const bins = countsOf([...Array.from({ length: 1_000 }, (_, n) => n % 100), 90_000]).histogram();
  assert.deepEqual(bins.at(-1), { from: 100, to: 90_000, rows: 1 });
  assert.ok(bins.filter(({ rows }) => rows > 0).length > 15);
});
