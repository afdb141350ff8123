import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCredits, parseCredits } from '#kernel';
import { fc } from '#test/properties.ts';
import { billingUnits, boundOf, chargeOf, chargeWithin, priceOfUnits } from './charge.ts';

function rate(credits: string): bigint {
  const micro = parseCredits(credits);
  assert(micro !== null);
  return micro;
}

test('the published examples of the price formula hold to the last decimal', () => {
  const vectors: [ratePerMinute: string, activeMs: number, credits: string][] = [
    ['0.030000', 1, '0.000050'],
    ['0.03', 100, '0.000050'],
    ['0.03', 101, '0.000100'],
    ['0.03', 60_000, '0.030000'],
    ['0.07', 100, '0.000117'],
    ['0.07', 60_000, '0.070000'],
    ['0', 60_000, '0.000000'],
  ];
  for (const [perMinute, activeMs, credits] of vectors)
    assert.equal(formatCredits(chargeOf(activeMs, rate(perMinute))), credits, `${activeMs} ms at ${perMinute}`);
});

test('a call without any measured time costs one unit of 100 ms', () => {
  assert.equal(billingUnits(0), 1n);
  assert.equal(chargeOf(0, rate('0.03')), 50n);
});

/** The exact value of a double as a fraction: numerator over a power of two. */
function fractionOf(value: number): { top: bigint; bottom: bigint } {
  let bottom = 1n;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    bottom *= 2n;
  }
  return { top: BigInt(scaled), bottom };
}

const anyActiveMs = fc.oneof(
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.integer({ min: 0, max: 10_000_000 }).map((units) => units * 100),
  // The neighbours of a whole unit, where a rounded division could go wrong.
  fc
    .tuple(fc.integer({ min: 1, max: 10_000_000 }), fc.constantFrom(1 - 2 ** -53, 1 + 2 ** -52))
    .map(([units, factor]) => units * 100 * factor),
);
const anyRate = fc.bigInt({ min: 0n, max: 1_000_000_000_000n });

test('units are the exact ceiling of the active time, for every double', () => {
  fc.assert(
    fc.property(anyActiveMs, (activeMs) => {
      const { top, bottom } = fractionOf(activeMs);
      const unit = 100n * bottom;
      const ceiling = (top + unit - 1n) / unit;
      assert.equal(billingUnits(activeMs), ceiling > 1n ? ceiling : 1n);
    }),
    { numRuns: 2_000 },
  );
});

test('the price is the exact quotient rounded half up, once', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 12n }), anyRate, (units, perMinute) => {
      const twiceTheError = 2n * (priceOfUnits(units, perMinute) * 600n - units * perMinute);
      assert(twiceTheError > -600n && twiceTheError <= 600n);
    }),
  );
});

test('more active time or a higher rate never costs less', () => {
  fc.assert(
    fc.property(anyActiveMs, anyActiveMs, anyRate, anyRate, (ms, otherMs, lowRate, raise) => {
      assert(chargeOf(Math.min(ms, otherMs), lowRate) <= chargeOf(Math.max(ms, otherMs), lowRate + raise));
    }),
  );
});

test('a charge never exceeds what was held, and is the formula below that', () => {
  fc.assert(
    fc.property(anyActiveMs, anyRate, fc.bigInt({ min: 0n, max: 10n ** 12n }), (activeMs, perMinute, heldMicro) => {
      const formula = chargeOf(activeMs, perMinute);
      const charge = chargeWithin(heldMicro, { activeMs, rateMicroPerMinute: perMinute });
      assert(charge <= heldMicro);
      assert(charge === formula || charge === heldMicro);
    }),
  );
});

test('the bound covers a call that runs ten times slower than measured', () => {
  fc.assert(
    fc.property(
      fc.record({
        promptTokensAtMost: fc.nat(8_192),
        maxTokens: fc.nat(8_192),
        pace: fc.record({
          prefillMsPerToken: fc.double({ min: 0, max: 100, noNaN: true }),
          decodeMsPerToken: fc.double({ min: 0, max: 1_000, noNaN: true }),
        }),
        rateMicroPerMinute: fc.bigInt({ min: 0n, max: 10n ** 9n }),
      }),
      (question) => {
        const { promptTokensAtMost, maxTokens, pace, rateMicroPerMinute } = question;
        const slowMs = 10 * (promptTokensAtMost * pace.prefillMsPerToken + maxTokens * pace.decodeMsPerToken);
        assert(boundOf(question) >= chargeOf(slowMs, rateMicroPerMinute));
      },
    ),
  );
});

test('a free route holds nothing', () => {
  const pace = { prefillMsPerToken: 5, decodeMsPerToken: 25 };
  assert.equal(boundOf({ promptTokensAtMost: 4_000, maxTokens: 96, pace, rateMicroPerMinute: 0n }), 0n);
});
