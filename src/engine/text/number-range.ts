import { ceilAt, compare, type Decimal, floorAt, negated } from './decimal.ts';
import { anyOf, type Expression, type Grammar, literal, optional, sequence } from './gbnf.ts';

/** What JSON numbers must satisfy. Bounds are exact decimals of the schema. */
export type NumberBounds = {
  minimum: Decimal | null;
  maximum: Decimal | null;
  exclusiveMinimum: boolean;
  exclusiveMaximum: boolean;
  /** Most digits behind the point; 0 for integers, null without limit. */
  decimals: number | null;
  /** They are multiples of this, which has so many decimals; null: any number. */
  step: Decimal | null;
};

/** To tell all remainders apart takes too long. */
export class TooManyRemainders extends Error {}

type Bound = { value: Decimal; open: boolean };

/** Digits in front of the point, and behind it where nothing bounds them. A model must not be able to go on forever. */
const wholeDigits = 20;
const fractionDigits = 24;
/** So many are exact when they are read. */
const exactDigits = 15;
/** To make a rule of a digit takes as long as so many steps of a pattern, and more where remainders are told apart. */
const stepsOfDigit = 3;
const stepsOfRemainder = 20;

/** The numbers within the bounds, written without exponent, in so many ways side by side; null: there are none. */
export function boundedNumber(grammar: Grammar, bounds: NumberBounds): { expression: Expression; ways: number } | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  const positive = magnitudes(grammar, bounds, false);
  // Zero is written without a sign only: "-0" and "-0.0" would need bounds of their own.
  const negative = magnitudes(
    grammar,
    {
      ...bounds,
      minimum: maximum && negated(maximum),
      maximum: minimum && negated(minimum),
      exclusiveMinimum: exclusiveMaximum,
      exclusiveMaximum: exclusiveMinimum,
    },
    true,
  );
  const ways = positive.length + negative.length;
  if (ways === 0) return null;
  const signed = negative.length === 0 ? [] : [sequence(literal('-'), anyOf(negative))];
  return { expression: anyOf([...positive, ...signed]), ways };
}

/**
 * The numbers within the bounds that are not negative, as alternatives by the number of digits in front of the point: digit by digit,
 * for as long as they are those of a bound. So there is one way to read a number for each alternative.
 */
function magnitudes(grammar: Grammar, bounds: NumberBounds, withoutZero: boolean): Expression[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, decimals, step } = bounds;
  const isFree = minimum === null || minimum.units < 0n;
  const given: Bound = isFree
    ? { value: { units: 0n, places: 0 }, open: withoutZero }
    : { value: minimum, open: exclusiveMinimum || (withoutZero && minimum.units === 0n) };
  const low = atDecimals(given, decimals, 'low');
  const high = maximum === null ? null : atDecimals({ value: maximum, open: exclusiveMaximum }, decimals, 'high');
  if (high !== null && isEmpty(low, high)) return [];
  const lowest = digitsOf(low);
  const mostWhole = step === null ? Math.max(wholeDigits, lowest.whole + 1) : exactDigits - step.places;
  const upper = high === null ? null : digitsOf(high);
  const highest = upper !== null && upper.whole <= mostWhole ? upper : null;
  const places = [lowest, highest].map((each) => (each === null ? 0 : each.digits.length - each.whole));
  const fraction = decimals ?? Math.max(fractionDigits, ...places);
  const shared = new Map<string, Expression | null>();
  const of = (whole: number): Expression[] => {
    const all = new DigitRules(grammar, { fraction, whole, step, shared }).from({
      at: 0,
      low: whole === lowest.whole ? lowest : null,
      high: whole === highest?.whole ? highest : null,
      rest: 0n,
    });
    return all === null ? [] : [all];
  };
  const last = highest?.whole ?? mostWhole + 1;
  const between = Array.from({ length: Math.max(0, last - lowest.whole - 1) }, (_, index) => lowest.whole + 1 + index);
  const free = new DigitRules(grammar, { fraction, whole: 0, step: null, shared });
  return [
    ...of(lowest.whole),
    ...(step !== null
      ? between.flatMap(of)
      : between.length === 0
        ? []
        : [
            sequence(
              '[1-9]',
              `[0-9]{${lowest.whole},${last - 2}}`,
              free.from({ at: 0, low: null, high: null, rest: 0n }) ?? '',
            ),
          ]),
    ...(highest === null || highest.whole === lowest.whole ? [] : of(highest.whole)),
  ];
}

/** A bound that such numbers can have: none between two of them. */
function atDecimals({ value, open }: Bound, decimals: number | null, side: 'low' | 'high'): Bound {
  if (decimals === null) return { value, open };
  const beyond = open && value.places <= decimals ? 1n : 0n;
  const units = side === 'low' ? ceilAt(value, decimals) + beyond : floorAt(value, decimals) - beyond;
  return { value: { units, places: decimals }, open: false };
}

function isEmpty(low: Bound, high: Bound): boolean {
  const order = compare(low.value, high.value);
  return order > 0 || (order === 0 && (low.open || high.open));
}

/** The digits of a bound, so many of them in front of the point. */
type BoundDigits = { digits: string; whole: number; open: boolean };

function digitsOf({ value: { units, places }, open }: Bound): BoundDigits {
  const digits = units.toString().padStart(places + 1, '0');
  const whole = digits.length - places;
  return { digits: digits.slice(0, whole) + digits.slice(whole).replace(/0+$/, ''), whole, open };
}

/** So many digits are written: those of each bound that is left. `rest`: what they leave when they are divided by the step. */
type Written = { at: number; low: BoundDigits | null; high: BoundDigits | null; rest: bigint };

type DigitCounts = { fraction: number; whole: number; step: Decimal | null };

/** Numbers with so many digits in front of the point. */
class DigitRules {
  readonly #grammar: Grammar;
  readonly #fraction: number;
  readonly #whole: number;
  readonly #step: Decimal | null;
  readonly #rules = new Map<string, Expression | null>();
  readonly #shared: Map<string, Expression | null>;

  /** `shared`: rules for digits that no bound holds, which are the same whatever stands in front of them. */
  constructor(
    grammar: Grammar,
    { fraction, whole, step, shared }: DigitCounts & { shared: Map<string, Expression | null> },
  ) {
    this.#grammar = grammar;
    this.#shared = shared;
    this.#fraction = fraction;
    this.#whole = whole;
    this.#step = step;
  }

  /** What may follow; null: nothing, and no end either. */
  from(written: Written): Expression | null {
    const { at, low, high, rest } = written;
    const mayEnd =
      at >= this.#whole &&
      rest === 0n &&
      (low === null || (isRestZero(low, at) && !low.open)) &&
      (high === null || !isRestZero(high, at) || !high.open);
    if (at === this.#whole + this.#fraction) return mayEnd ? '' : null;
    const isFree = low === null && high === null;
    const rules = isFree ? this.#shared : this.#rules;
    const key = isFree ? `${this.#whole - at} ${at === 0} ${rest}` : `${at} ${low !== null} ${high !== null} ${rest}`;
    const known = rules.get(key);
    if (known !== undefined) return known;
    const hasSteps = this.#grammar.spend(this.#step === null ? stepsOfDigit : stepsOfRemainder);
    if (!hasSteps && this.#step !== null) throw new TooManyRemainders();
    const digit = this.#digit(written);
    const more = digit === null ? null : sequence(at === this.#whole ? literal('.') : '', digit);
    const rule = more === null ? (mayEnd ? '' : null) : this.#grammar.define('digits', mayEnd ? optional(more) : more);
    rules.set(key, rule);
    return rule;
  }

  #digit({ at, low, high, rest }: Written): Expression | null {
    const least = low === null ? (at === 0 && this.#whole > 1 ? 1 : 0) : digitAt(low, at);
    const most = high === null ? 9 : digitAt(high, at);
    const following = new Map<Expression, string>();
    for (let digit = least; digit <= most; digit += 1) {
      const next = this.from({
        at: at + 1,
        low: low !== null && digit === least ? low : null,
        high: high !== null && digit === most ? high : null,
        rest: this.#restWith(rest, at, digit),
      });
      if (next !== null) following.set(next, `${following.get(next) ?? ''}${digit}`);
    }
    const alternatives = [...following].map(([next, digits]) => sequence(`[${digits}]`, next));
    return alternatives.length === 0 ? null : anyOf(alternatives);
  }

  #restWith(rest: bigint, at: number, digit: number): bigint {
    if (this.#step === null) return 0n;
    const { units, places } = this.#step;
    return (rest + BigInt(digit) * 10n ** BigInt(this.#whole + places - at - 1)) % units;
  }
}

function digitAt({ digits }: BoundDigits, at: number): number {
  return Number(digits[at] ?? 0);
}

function isRestZero({ digits }: BoundDigits, at: number): boolean {
  return /^0*$/.test(digits.slice(at));
}
