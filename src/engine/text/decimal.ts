import { isExactNumber } from '#kernel';

export type Decimal = { units: bigint; places: number };

const mostExponent = 400;
/** Of a step: places behind the point, and units; numbers with more digits are not exact when they are read. */
const mostPlaces = 12;
const mostUnits = 10n ** 15n;

/** The decimal that a number of a schema was written as; null where the value is no number, or has an exponent that no answer reaches. */
export function decimalOf(value: unknown): Decimal | null {
  if (typeof value !== 'number' && !isExactNumber(value)) return null;
  const text = typeof value === 'number' ? String(value) : value.rawJSON;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const power = Number(exponent);
  if (whole === '' || Math.abs(power) > mostExponent) return null;
  const digits = BigInt(`${whole}${fraction}`);
  const places = fraction.length - power;
  const units = (sign === '-' ? -1n : 1n) * digits * 10n ** BigInt(Math.max(0, -places));
  return inFewestPlaces({ units, places: Math.max(0, places) });
}

export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || isExactNumber(value);
}

export function compare(first: Decimal, second: Decimal): number {
  const places = Math.max(first.places, second.places);
  const [one, other] = [floorAt(first, places), floorAt(second, places)];
  return one < other ? -1 : one > other ? 1 : 0;
}

export function negated({ units, places }: Decimal): Decimal {
  return { units: -units, places };
}

export function floorAt({ units, places: own }: Decimal, places: number): bigint {
  if (places >= own) return units * 10n ** BigInt(places - own);
  const divisor = 10n ** BigInt(own - places);
  const quotient = units / divisor;
  return units < 0n && units % divisor !== 0n ? quotient - 1n : quotient;
}

export function ceilAt(value: Decimal, places: number): bigint {
  return -floorAt(negated(value), places);
}

/** The value of `multipleOf`; null where it is no step, or has too many digits to be enforced. */
export function decimalStep(value: unknown): Decimal | null {
  const step = decimalOf(value);
  return step === null || step.units <= 0n || step.units >= mostUnits || step.places > mostPlaces ? null : step;
}

/** What is a multiple of both; null where that has too many digits. */
export function commonStep(first: Decimal, second: Decimal): Decimal | null {
  const places = Math.max(first.places, second.places);
  const [one, other] = [floorAt(first, places), floorAt(second, places)];
  const step = inFewestPlaces({ units: (one / greatestDivisor(one, other)) * other, places });
  return step.units < mostUnits ? step : null;
}

function greatestDivisor(first: bigint, second: bigint): bigint {
  return second === 0n ? first : greatestDivisor(second, first % second);
}

function inFewestPlaces({ units, places }: Decimal): Decimal {
  let [fewer, left] = [units, places];
  for (; left > 0 && fewer % 10n === 0n; left -= 1) fewer /= 10n;
  return { units: fewer, places: left };
}

/** Equal values have equal texts, however their numbers are written and in whatever order their members are. */
export function valueKey(value: unknown): string {
  const number = decimalOf(value);
  if (number !== null) return `${number.units}e-${number.places}`;
  if (Array.isArray(value)) return `[${value.map(valueKey)}]`;
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${valueKey(member)}`)}}`;
}
