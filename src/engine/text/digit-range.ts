import { ceilAt, type Decimal, floorAt, isExactAt, negated, zero } from './decimal.ts';
import { type DecimalStep, type Digits, stepAt } from './decimal-step.ts';
import { type Expression, type Grammar, literal } from './gbnf.ts';
import { type Bound, numbersWithin } from './number-range.ts';
import type { Units } from './unit-tree.ts';

/** What JSON numbers must satisfy. Bounds are exact decimals of the schema. */
export type NumberBounds = {
  minimum: Decimal | null;
  maximum: Decimal | null;
  exclusiveMinimum: boolean;
  exclusiveMaximum: boolean;
  /** Most digits behind the point; 0 for integers, null without limit. */
  decimals: number | null;
  /** They are multiples of this, and how to write those. */
  step?: { of: DecimalStep; multiples: (digits: Digits) => Expression | null };
};

/** So many are exact when they are read. */
const exactDigits = 15;

/** Alternatives for the numbers within the bounds, written without exponent; empty where there is none. */
export function boundedNumber(grammar: Grammar, bounds: NumberBounds): Units[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  const flipped = {
    ...bounds,
    minimum: flip(maximum),
    maximum: flip(minimum),
    exclusiveMinimum: exclusiveMaximum,
    exclusiveMaximum: exclusiveMinimum,
  };
  // Zero is written without a sign only: "-0" and "-0.0" would need bounds of their own.
  const negative = magnitudes(grammar, flipped, { value: zero, open: true });
  return [
    ...magnitudes(grammar, bounds, { value: zero, open: false }),
    ...negative.map((each) => [literal('-'), ...each]),
  ];
}

/** The numbers within the bounds that are not below the lowest. */
function magnitudes(grammar: Grammar, bounds: NumberBounds, lowest: Bound): Units[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, decimals, step } = bounds;
  if (maximum !== null && maximum.units < 0n) return [];
  const isLow = minimum === null || minimum.units < 0n;
  const low = isLow ? lowest : { value: minimum, open: exclusiveMinimum || (lowest.open && minimum.units === 0n) };
  const high = maximum === null ? null : { value: maximum, open: exclusiveMaximum };
  if (step === undefined) return numbersWithin(grammar, { low, high, decimals }).map((each) => [each]);
  return Array.from({ length: step.of.places + 1 }, (_, places) => multiples({ low, high, places, step })).flat();
}

type Multiples = { low: Bound; high: Bound | null; places: number; step: NonNullable<NumberBounds['step']> };

/** Those that are written with exactly so many places. */
function multiples({ low, high, places, step }: Multiples): Units[] {
  const from = ceilAt(low.value, places) + (low.open && isExactAt(low.value, places) ? 1n : 0n);
  const below = high?.open === true && isExactAt(high.value, places) ? 1n : 0n;
  const to = high === null ? 10n ** BigInt(exactDigits) : floorAt(high.value, places) - below;
  const alternatives: Units[] = [];
  for (let length = places + 1; length <= exactDigits; length += 1) {
    const first = length === places + 1 ? 0n : 10n ** BigInt(length - 1);
    const end = 10n ** BigInt(length) - 1n;
    const [lowest, highest] = [from > first ? from : first, to < end ? to : end];
    if (lowest > highest) continue;
    const digits = (value: bigint): string => value.toString().padStart(length, '0');
    for (const classes of digitRanges(digits(lowest), digits(highest))) {
      const found = step.multiples({ classes, places, step: stepAt(step.of, places) });
      if (found !== null) alternatives.push([found]);
    }
  }
  return alternatives;
}

/** Sequences of digit classes that together match exactly the strings between two of equal length. */
function digitRanges(low: string, high: string): string[][] {
  const [a = '', b = ''] = [low.charAt(0), high.charAt(0)];
  if (low.length === 0) return [[]];
  if (a === b) return digitRanges(low.slice(1), high.slice(1)).map((rest) => [a, ...rest]);
  const free = Array.from({ length: low.length - 1 }, () => '0-9');
  const lowIsFull = /^0*$/.test(low.slice(1));
  const highIsFull = /^9*$/.test(high.slice(1));
  const from = lowIsFull ? Number(a) : Number(a) + 1;
  const to = highIsFull ? Number(b) : Number(b) - 1;
  const ranges: string[][] = [];
  if (!lowIsFull) ranges.push(...digitRanges(low.slice(1), '9'.repeat(free.length)).map((rest) => [a, ...rest]));
  if (from <= to) ranges.push([from === to ? String(from) : `${from}-${to}`, ...free]);
  if (!highIsFull) ranges.push(...digitRanges('0'.repeat(free.length), high.slice(1)).map((rest) => [b, ...rest]));
  return ranges;
}

function flip(value: Decimal | null): Decimal | null {
  return value === null ? null : negated(value);
}
