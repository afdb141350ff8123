import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { formatCredits, parseCredits } from './credits.ts';

const micro = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n });

test('a credit is a million micro-credits, a debt has its sign before it, and nothing has none', () => {
  const amounts = { '1.000000': 1_000_000n, '12.345678': 12_345_678n, '-0.500000': -500_000n, '0.000000': 0n };
  for (const [text, amount] of Object.entries(amounts)) {
    assert.equal(formatCredits(amount), text);
    assert.equal(parseCredits(text), amount);
  }
});

test('any amount comes back from its six decimals unchanged', () => {
  fc.assert(fc.property(micro, (amount) => parseCredits(formatCredits(amount)) === amount));
});

test('amounts always show exactly six decimals', () => {
  fc.assert(fc.property(micro, (amount) => /^-?\d+\.\d{6}$/.test(formatCredits(amount))));
});

test('what is not a decimal with at most six places is refused', () => {
  for (const text of ['', '.', '1.', '.5', '1.0000001', '1e3', '+1', ' 1', '1 ', '1,0', '0x1', 'NaN', '--1', '١'])
    assert.equal(parseCredits(text), null, text);
});
