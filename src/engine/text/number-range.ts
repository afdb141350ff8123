import { ceilAt, compare, type Decimal, floorAt, isExactAt } from './decimal.ts';
import { anyOf, type Expression, type Grammar, literal, optional, sequence } from './gbnf.ts';

/** `open`: the value itself is not within. */
export type Bound = { value: Decimal; open: boolean };
/** Non-negative numbers; `decimals`: the most digits behind the point, null without limit. */
export type Range = { low: Bound; high: Bound | null; decimals: number | null };

/** Digits in front of the point, and behind it where nothing bounds them. A model must not be able to go on forever. */
const wholeDigits = 20;
const fractionDigits = 24;

/** To make a rule of a digit takes as long as so many steps of a pattern. */
const stepsOfDigit = 3;

/**
 * The numbers of a range, written without exponent, as alternatives by the number of digits in front of the point: digit by digit, for as
 * long as they are those of a bound. So there is one way to read a number for each alternative. Empty where there are none.
 */
export function numbersWithin(grammar: Grammar, given: Range): Expression[] {
  const { low, high, decimals } = withDecimals(given);
  if (high !== null && isEmpty(low, high)) return [];
  const lowest = digitsOf(low);
  const highest = high === null ? null : digitsOf(high);
  const most = Math.max(wholeDigits, lowest.whole + 1);
  const upper = highest !== null && highest.whole <= most ? highest : null;
  const places = [lowest, upper].map((each) => (each === null ? 0 : each.digits.length - each.whole));
  const fraction = decimals ?? Math.max(fractionDigits, ...places);
  const of = (whole: number, bounds: Bounds) => new Digits(grammar, { fraction, whole }).between(bounds);
  const last = upper?.whole ?? most + 1;
  if (lowest.whole === last) return of(last, { low: lowest, high: upper });
  const between = last - lowest.whole - 1;
  return [
    ...of(lowest.whole, { low: lowest, high: null }),
    ...(between === 0
      ? []
      : [sequence('[1-9]', `[0-9]{${lowest.whole},${last - 2}}`, new Digits(grammar, { fraction, whole: 0 }).any())]),
    ...(upper === null ? [] : of(last, { low: null, high: upper })),
  ];
}

/** Bounds that such numbers can have: none between two of them. */
function withDecimals({ low, high, decimals }: Range): Range {
  if (decimals === null) return { low, high, decimals };
  const at = (units: bigint): Bound => ({ value: { units, places: decimals }, open: false });
  const above = low.open && isExactAt(low.value, decimals) ? 1n : 0n;
  const below = high?.open === true && isExactAt(high.value, decimals) ? 1n : 0n;
  return {
    low: at(ceilAt(low.value, decimals) + above),
    high: high === null ? null : at(floorAt(high.value, decimals) - below),
    decimals,
  };
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

/** Those whose digits were written so far. */
type Bounds = { low: BoundDigits | null; high: BoundDigits | null };

/** Numbers with so many digits in front of the point. */
class Digits {
  readonly #grammar: Grammar;
  readonly #fraction: number;
  readonly #whole: number;
  readonly #rules = new Map<string, Expression>();

  constructor(grammar: Grammar, { fraction, whole }: { fraction: number; whole: number }) {
    this.#grammar = grammar;
    this.#fraction = fraction;
    this.#whole = whole;
  }

  any(): Expression {
    return this.#behind(0, '[0-9]');
  }

  between(bounds: Bounds): Expression[] {
    const all = this.#from(0, bounds);
    return all === null ? [] : [all];
  }

  /** What may follow so many digits, which are those of each bound that is left; null: nothing, and no end either. */
  #from(at: number, { low, high }: Bounds): Expression | null {
    this.#grammar.spend(stepsOfDigit);
    const isAbove = low === null || (isRestZero(low, at) && !low.open);
    const isBelow = high === null || !isRestZero(high, at) || !high.open;
    const mayEnd = at >= this.#whole && isAbove && isBelow;
    if (high === null && (low === null || mayEnd)) return this.#behind(at, '[0-9]');
    const isPast = at >= this.#whole && [low, high].every((bound) => bound === null || isRestZero(bound, at));
    if (isPast && high !== null) return mayEnd ? this.#behind(at, '"0"') : null;
    if (isPast) return sequence(this.#point(at), `"0"{0,${this.#fraction}} [1-9] [0-9]{0,${this.#fraction}}`);
    const more = this.#digit(at, { low, high });
    if (more === null) return mayEnd ? '' : null;
    return mayEnd ? optional(sequence(this.#point(at), more)) : sequence(this.#point(at), more);
  }

  #digit(at: number, { low, high }: Bounds): Expression | null {
    const least = low === null ? (at === 0 && this.#whole > 1 ? 1 : 0) : digitAt(low, at);
    const most = high === null ? 9 : digitAt(high, at);
    const ends =
      low !== null && high !== null && least === most
        ? [this.#same(at, least, { low, high })]
        : [
            ...(low === null ? [] : [this.#same(at, least, { low, high: null })]),
            ...(high === null ? [] : [this.#same(at, most, { low: null, high })]),
          ];
    const [from, to] = [low === null ? least : least + 1, high === null ? most : most - 1];
    const between =
      from > to ? [] : [sequence(`[${from === to ? from : `${from}-${to}`}]`, this.#behind(at + 1, '[0-9]'))];
    const alternatives = [...between, ...ends.filter((end) => end !== null)];
    return alternatives.length === 0 ? null : anyOf(alternatives);
  }

  /** The digit of these bounds. */
  #same(at: number, digit: number, bounds: Bounds): Expression | null {
    const rest = this.#from(at + 1, bounds);
    return rest === null ? null : sequence(literal(String(digit)), rest);
  }

  /** Such digits up to the end: rules, since they stand behind each digit of a bound. */
  #behind(at: number, digit: Expression): Expression {
    if (at === this.#whole + this.#fraction) return '';
    const known = this.#rules.get(`${digit}${at}`);
    if (known !== undefined) return known;
    this.#grammar.spend(stepsOfDigit);
    const more = sequence(this.#point(at), digit, this.#behind(at + 1, digit));
    const rule = this.#grammar.define('digits', at < this.#whole ? more : optional(more));
    this.#rules.set(`${digit}${at}`, rule);
    return rule;
  }

  #point(at: number): Expression {
    return at === this.#whole ? literal('.') : '';
  }
}

function digitAt({ digits }: BoundDigits, at: number): number {
  return Number(digits[at] ?? 0);
}

function isRestZero({ digits }: BoundDigits, at: number): boolean {
  return /^0*$/.test(digits.slice(at));
}
