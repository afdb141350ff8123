import { ceilAt, type Decimal, floorAt, isExactAt, negated, zero } from './decimal.ts';
import { type DecimalStep, type Digits, stepAt } from './decimal-step.ts';
import { type Expression, literal } from './gbnf.ts';
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

/** Digits in front of the point, and behind it where nothing bounds them. A model must not be able to go on forever. */
const wholeDigits = 20;
const fractionDigits = 24;
const largest = 10n ** BigInt(wholeDigits) - 1n;
/** So many are exact when they are read. */
const exactDigits = 15;

/** Alternatives for the numbers within the bounds, written without exponent; empty where there is none. */
export function boundedNumber(bounds: NumberBounds): Units[] {
  const { minimum, maximum, step } = bounds;
  const precision = Math.max(step?.of.places ?? 0, minimum?.places ?? 0, maximum?.places ?? 0);
  const nonNegative = magnitudes({ ...bounds, precision, flipped: false });
  const negative = magnitudes({ ...bounds, precision, flipped: true });
  return [...nonNegative, ...negative.map((magnitude) => [literal('-'), ...magnitude])];
}

type Side = NumberBounds & { precision: number; flipped: boolean };

/** The absolute values of the non-negative (or, flipped, the negative) numbers within the bounds. */
function magnitudes(side: Side): Units[] {
  const { precision, decimals } = side;
  const lower = side.flipped ? flip(side.maximum) : side.minimum;
  const upper = side.flipped ? flip(side.minimum) : side.maximum;
  const openLow = side.flipped ? side.exclusiveMaximum : side.exclusiveMinimum;
  const openHigh = side.flipped ? side.exclusiveMinimum : side.exclusiveMaximum;
  if (upper !== null && (upper.units < 0n || (upper.units === 0n && (openHigh || side.flipped)))) return [];
  // Zero is written without a sign only: "-0" and "-0.0" would need bounds of their own.
  const low =
    lower === null || lower.units < 0n
      ? { value: zero, open: side.flipped }
      : { value: lower, open: openLow || (side.flipped && lower.units === 0n) };
  const alternatives: Units[] = [];
  for (let places = 0; places <= Math.min(precision, decimals ?? precision); places += 1) {
    const from = ceilAt(low.value, places) + (low.open && isExactAt(low.value, places) ? 1n : 0n);
    const to =
      upper === null ? largestUnits(places) : floorAt(upper, places) - (openHigh && isExactAt(upper, places) ? 1n : 0n);
    alternatives.push(...fixedPoint({ from, to, places, step: side.step }));
  }
  const more = (decimals ?? fractionDigits) - precision;
  if (more > 0) alternatives.push(...extended({ low, upper, precision, more }));
  return alternatives;
}

/** Numbers with more decimals than the bounds have: a prefix within the bounds and any digits behind it. */
function extended(range: {
  low: { value: Decimal; open: boolean };
  upper: Decimal | null;
  precision: number;
  more: number;
}): Units[] {
  const { low, upper, precision, more } = range;
  const from = ceilAt(low.value, precision);
  const to = upper === null ? largestUnits(precision) : floorAt(upper, precision) - 1n;
  const point = precision === 0 ? [literal('.')] : [];
  const behind = fixedPoint({ from: low.open ? from + 1n : from, to, places: precision }).map((prefix) => [
    ...[...prefix, ...point],
    `[0-9]{1,${more}}`,
  ]);
  if (!low.open || from > to) return behind;
  // Right above an excluded bound: something behind the zeros.
  const above = fixedPoint({ from, to: from, places: precision }).map((prefix) => [
    ...[...prefix, ...point],
    ...[`[0-9]{0,${more - 1}}`, '[1-9]'],
  ]);
  return [...above, ...behind];
}

/** The numbers from..to, in units of the last place, written with exactly that many places. */
function fixedPoint({
  from,
  to,
  places,
  step,
}: {
  from: bigint;
  to: bigint;
  places: number;
  step?: NumberBounds['step'];
}): Units[] {
  const alternatives: Units[] = [];
  const write = (classes: string[]): Units | null => {
    if (step === undefined) return withPoint(classes, places);
    const multiples = step.multiples({ classes, places, step: stepAt(step.of, places) });
    return multiples === null ? null : [multiples];
  };
  const longest = step === undefined ? places + wholeDigits : exactDigits;
  // From this length on no bound is left: all longer numbers are one alternative.
  let open: number | null = null;
  for (let length = places + 1; length <= longest; length += 1) {
    const first = length === places + 1 ? 0n : 10n ** BigInt(length - 1);
    const end = 10n ** BigInt(length) - 1n;
    const low = from > first ? from : first;
    const high = to < end ? to : end;
    if (low > high) continue;
    if (step === undefined && length > places + 1 && low === first && to === largestUnits(places)) {
      open = length;
      break;
    }
    const digits = (value: bigint): string => value.toString().padStart(length, '0');
    for (const classes of digitRanges(digits(low), digits(high))) {
      const digits = write(classes);
      if (digits !== null) alternatives.push(digits);
    }
  }
  if (open !== null) {
    const digits = Array.from({ length: places }, () => '[0-9]');
    const whole = ['[1-9]', `[0-9]{${open - places - 1},${wholeDigits - 1}}`];
    alternatives.push(places === 0 ? whole : [...whole, literal('.'), ...digits]);
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

/** The point in front of the last places. */
function withPoint(classes: readonly string[], places: number): Units {
  const digits = classes.map((each) => `[${each}]`);
  return places === 0 ? digits : digits.toSpliced(digits.length - places, 0, literal('.'));
}

function flip(value: Decimal | null): Decimal | null {
  return value === null ? null : negated(value);
}

function largestUnits(places: number): bigint {
  return (largest + 1n) * 10n ** BigInt(places) - 1n;
}
