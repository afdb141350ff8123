import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { billingUnits, chargeOf, formatCredits, parseCredits, priceOfUnits } from './credits.ts';

const micro = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n });

test('at 0.03 credits a minute, 100 ms costs 0.000050 credits', () => {
  const rate = parseCredits('0.03') ?? 0n;
  assert.equal(rate, 30_000n);
  assert.equal(formatCredits(chargeOf(100, rate)), '0.000050');
});

test('a successful call is billed for at least one unit, and a begun unit counts whole', () => {
  assert.deepEqual([0, 0.001, 100, 100.001, 200, 60_000].map(billingUnits), [1n, 1n, 1n, 2n, 2n, 600n]);
});

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

test('a price is rounded half up once: never more than half a micro-credit from the exact value', () => {
  const units = fc.bigInt({ min: 1n, max: 10n ** 9n });
  const rate = fc.bigInt({ min: 0n, max: 10n ** 12n });
  fc.assert(
    fc.property(units, rate, (u, r) => {
      const error = priceOfUnits(u, r) * 600n - u * r;
      assert.ok(error > -300n && error <= 300n);
    }),
  );
});

test('more active time never costs less', () => {
  const time = fc.double({ min: 0, max: 1e9, noNaN: true });
  const rate = fc.bigInt({ min: 0n, max: 10n ** 9n });
  fc.assert(fc.property(time, time, rate, (a, b, r) => chargeOf(Math.min(a, b), r) <= chargeOf(Math.max(a, b), r)));
});

test('what is not a decimal with at most six places is refused', () => {
  for (const text of ['', '.', '1.', '.5', '1.0000001', '1e3', '+1', ' 1', '1 ', '1,0', '0x1', 'NaN', '--1', '١'])
    assert.equal(parseCredits(text), null, text);
});
