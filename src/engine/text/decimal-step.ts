import { type Decimal, decimalOf } from './decimal.ts';
import { anyOf, type Expression, type Grammar, literal, sequence } from './gbnf.ts';

/** `multipleOf` as an exact decimal: so many units of the last of the places. */
export type DecimalStep = Decimal;

const mostPlaces = 12;
/** Numbers with more digits are not exact when they are read. */
const mostUnits = 10n ** 15n;

/** null where the value is no step, or has too many digits to be enforced. */
export function decimalStep(value: unknown): DecimalStep | null {
  const step = decimalOf(value);
  return step === null || step.units <= 0n || step.units >= mostUnits || step.places > mostPlaces ? null : step;
}

/** What is a multiple of both; null where that has too many digits. */
export function commonStep(first: DecimalStep, second: DecimalStep): DecimalStep | null {
  const places = Math.max(first.places, second.places);
  const [one, other] = [first, second].map((step) => step.units * 10n ** BigInt(places - step.places)) as [
    bigint,
    bigint,
  ];
  let [units, left] = [(one / greatestDivisor(one, other)) * other, places];
  for (; left > 0 && units % 10n === 0n; left -= 1) units /= 10n;
  return units < mostUnits ? { units, places: left } : null;
}

/** The step in units of so many places: what is written with them is a multiple of it. */
export function stepAt({ units, places }: DecimalStep, written: number): bigint {
  const unit = 10n ** BigInt(Math.max(0, places - written));
  return (units / greatestDivisor(units, unit)) * 10n ** BigInt(Math.max(0, written - places));
}

function greatestDivisor(first: bigint, second: bigint): bigint {
  return second === 0n ? first : greatestDivisor(second, first % second);
}

export type Digits = { classes: readonly string[]; places: number; step: bigint };

/** To tell all remainders apart takes too long. */
export class TooManyRemainders extends Error {}

/**
 * Makes the function that gives the multiples of a step among the numbers with a digit of each class, the point in front of the last
 * places; null where there are none. What may follow a digit depends on what the digits so far leave behind.
 */
export function createMultiples(grammar: Grammar): (digits: Digits) => Expression | null {
  const known = new Map<string, Expression | null>();
  const behind = (digits: Digits, at: number, rest: bigint): Expression | null => {
    const { classes, places, step } = digits;
    const left = classes.length - at;
    if (left === 0) return rest === 0n ? '' : null;
    const key = `${classes.slice(at).join(',')} ${Math.min(places, left)} ${step} ${rest}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (!grammar.spend(20)) throw new TooManyRemainders();
    const unit = 10n ** BigInt(left - 1);
    const following = new Map<Expression, string>();
    for (const digit of digitsOf(classes[at] ?? '')) {
      const next = behind(digits, at + 1, (rest + BigInt(digit) * unit) % step);
      if (next !== null) following.set(next, `${following.get(next) ?? ''}${digit}`);
    }
    const point = places > 0 && left === places ? literal('.') : '';
    const alternatives = [...following].map(([next, each]) => sequence(point, `[${each}]`, next));
    const expression = alternatives.length === 0 ? null : grammar.define('digits', anyOf(alternatives));
    known.set(key, expression);
    return expression;
  };
  return (digits) => behind(digits, 0, 0n);
}

/** Of a class as `3` or `2-7`. */
function digitsOf(digits: string): number[] {
  const [low, high = low] = digits.split('-').map(Number);
  return Array.from({ length: (high ?? 0) - (low ?? 0) + 1 }, (_, index) => (low ?? 0) + index);
}
