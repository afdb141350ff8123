import { commonStep, compare, type Decimal, decimalOf, decimalStep } from './decimal.ts';
import { type Expression, type Grammar, sequence } from './gbnf.ts';
import { integer, number } from './json-rules.ts';
import { boundedNumber, type NumberBounds, TooManyRemainders } from './number-range.ts';
import { wrongValue } from './schema-keywords.ts';
import { canonical, type Schema, Unsatisfiable } from './schema-merge.ts';
import { refuse } from './schema-places.ts';
import { UnsupportedPattern } from './string-pattern.ts';
import { bothPatterns, type TextPattern, textCharacters } from './text-pattern.ts';

/** Longer bounds than this cannot be reached: an answer is shorter. */
const longestText = 1_000_000;
const longestMinimum = 100_000;

export type Length = readonly [number, number | null];
export type StringForm = TextPattern | { length: Length };

/** What a string is held to: a pattern, bounds of its length, or both. */
export function stringForm(schema: Schema): StringForm {
  const { pattern: given, format } = schema;
  if (given !== undefined && typeof given !== 'string') throw wrongValue('pattern', given);
  const length = lengthRange(schema, 'minLength', 'maxLength');
  const isBounded = given !== undefined || length[0] !== 0 || length[1] !== null;
  const formatted = formatPattern(format, { isBounded });
  const pattern = given === undefined || formatted === null ? (given ?? formatted) : bothPatterns(formatted, given);
  return pattern === null ? { length } : { pattern, length };
}

export function lengthRange(schema: Schema, lower: string, upper: string): Length {
  const min = Number(schema[lower] ?? 0);
  const max = schema[upper] === undefined ? null : Number(schema[upper]);
  if (max !== null && max < min) throw new Unsatisfiable();
  if (min > longestMinimum) throw refuse(`"${lower}" over ${longestMinimum} is not supported.`);
  return [min, max === null || max > longestText ? null : max];
}

/** The same lengths in as few ranges as can be. */
export function joinedLengths(lengths: readonly Length[]): Length[] {
  const joined: [number, number | null][] = [];
  for (const [min, max] of [...lengths].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last === undefined || (last[1] !== null && min > last[1] + 1)) joined.push([min, max]);
    else if (last[1] !== null) last[1] = max === null ? null : Math.max(last[1], max);
  }
  return joined;
}

/** The strings that are such a text. Throws `Unsatisfiable` where there are none. */
export function patternString(grammar: Grammar, text: TextPattern): Expression {
  const characters = supported(() => textCharacters(grammar, text));
  if (characters === null) throw new Unsatisfiable();
  return grammar.define('text', sequence('"\\""', characters, '"\\""'));
}

export function supported<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    throw refuse(`"pattern": ${error.message} is not supported.`);
  }
}

/** `ways`: so many llama.cpp follows side by side. */
export type NumberForm = { expression: Expression; ways: number };

export function numberForm(grammar: Grammar, schema: Schema, type: 'number' | 'integer'): NumberForm {
  const step = stepOf(schema['multipleOf'], type);
  const decimals = step?.places ?? null;
  const [low, exclusiveLow] = tighter(schema, 'minimum', 'exclusiveMinimum');
  const [high, exclusiveHigh] = tighter(schema, 'maximum', 'exclusiveMaximum');
  const isPlain = step === null || step.units === 1n;
  if (low === null && high === null && isPlain && (decimals === null || decimals === 0)) {
    return { expression: decimals === null ? number(grammar) : integer(grammar), ways: 4 };
  }
  const bounded = within(grammar, {
    minimum: low,
    maximum: high,
    exclusiveMinimum: exclusiveLow,
    exclusiveMaximum: exclusiveHigh,
    decimals,
    step: isPlain ? null : step,
  });
  if (bounded === null) throw new Unsatisfiable();
  return { expression: grammar.define('range', bounded.expression), ways: bounded.ways };
}

function within(grammar: Grammar, bounds: NumberBounds): NumberForm | null {
  try {
    return boundedNumber(grammar, bounds);
  } catch (error) {
    if (!(error instanceof TooManyRemainders)) throw error;
    throw refuse('"multipleOf": a step with so many remainders is not supported.');
  }
}

/** The stricter of the inclusive and the exclusive bound, and whether it is exclusive. */
function tighter(schema: Schema, inclusive: string, exclusive: string): [Decimal | null, boolean] {
  const [closed, open] = [boundOf(schema, inclusive), boundOf(schema, exclusive)];
  if (open === null) return [closed, false];
  if (closed === null) return [open, true];
  const order = compare(open, closed);
  const openWins = inclusive === 'minimum' ? order >= 0 : order <= 0;
  return openWins ? [open, true] : [closed, false];
}

function boundOf(schema: Schema, keyword: string): Decimal | null {
  const value = schema[keyword];
  if (value === undefined) return null;
  const bound = decimalOf(value);
  if (bound === null || bound.places > mostDigits || bound.units.toString().length > mostDigits)
    throw refuse(`"${keyword}": a bound with more than ${mostDigits} digits is not supported.`);
  return bound;
}

/** Doubles reach 309 digits in front of the point and 324 behind it. */
const mostDigits = 400;

/** What the numbers are multiples of; null: of nothing. */
function stepOf(value: unknown, type: 'number' | 'integer'): Decimal | null {
  const one = type === 'integer' ? { units: 1n, places: 0 } : null;
  if (value === undefined) return one;
  const given = decimalOf(value);
  if (given === null || given.units <= 0n) throw wrongValue('multipleOf', value);
  const step = decimalStep(value);
  const common = step === null || one === null ? step : commonStep(step, one);
  if (common === null)
    throw refuse(`"multipleOf": a step with so many digits as ${canonical(value)} is not supported.`);
  return common;
}

/** Every day that exists: 29 February in leap years only (RFC 3339, appendix C). */
const date = [
  '\\d{4}-(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])',
  '\\d{4}-(0[469]|11)-(0[1-9]|[12]\\d|30)',
  '\\d{4}-02-(0[1-9]|1\\d|2[0-8])',
  '(\\d{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29',
].join('|');

/**
 * Formats that are enforced; all others are annotations, as JSON Schema has it. `isBounded`: a length or a pattern
 * applies to the text, too. With either, counting labels and their characters takes more states than a grammar may have, so they are
 * not counted then.
 */
export function formatPattern(format: unknown, { isBounded }: { isBounded: boolean }): string | null {
  // A leap second ends an hour.
  const time = '([01]\\d|2[0-3]):([0-5]\\d:[0-5]\\d|59:60)(\\.\\d{1,12})?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)';
  // RFC 1034 3.1: a label has at most 63 characters.
  const label = `[A-Za-z0-9]([A-Za-z0-9-]${isBounded ? '*' : '{0,61}'}[A-Za-z0-9])?`;
  // RFC 5322 3.2.3, a dot-atom; RFC 5321 4.5.3.1.1 allows 64 characters.
  const atom = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]${isBounded ? '+' : '{1,64}'}`;
  const labels = (most: number) => `${label}(\\.${label})${isBounded ? '*' : `{0,${most}}`}`;
  const byte = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
  const ipv4 = `${byte}(\\.${byte}){3}`;
  const group = '[0-9a-fA-F]{1,4}';
  const whole = '\\d{1,12}';
  const days = `(${whole}D|${whole}M(${whole}D)?|${whole}Y(${whole}M(${whole}D)?)?)`;
  const hours = `T(${whole}S|${whole}M(${whole}S)?|${whole}H(${whole}M(${whole}S)?)?)`;
  const patterns = new Map<unknown, string>([
    ['date', `^(${date})$`],
    ['time', `^${time}$`],
    ['date-time', `^(${date})[Tt]${time}$`],
    ['duration', `^P(${days}(${hours})?|${hours}|${whole}W)$`],
    ['uuid', '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'],
    ['email', `^${atom}(\\.${atom})${isBounded ? '*' : '{0,4}'}@${labels(8)}$`],
    ['hostname', `^${labels(9)}$`],
    ['ipv4', `^${ipv4}$`],
    [
      'ipv6',
      `^((${group}:){7}${group}|(${group}:){6}${ipv4}|${shortenedGroups(group)}|${shortenedWithIpv4(group, ipv4)})$`,
    ],
  ]);
  return patterns.get(format) ?? null;
}

/** In an address of eight groups `::` stands for at least one of them, so that at most seven are beside it. */
function shortenedGroups(group: string): string {
  const upTo = (most: number) => (most === 0 ? '' : `(${group}(:${group}){0,${most - 1}})?`);
  return [0, 1, 2, 3, 4, 5, 6]
    .map((before) => (before === 0 ? `::${upTo(7)}` : `${group}(:${group}){${before - 1}}::${upTo(7 - before)}`))
    .join('|');
}

/** The last two groups may be written as an IPv4 address (RFC 4291 2.2); `::` then stands for at least one of the six others. */
function shortenedWithIpv4(group: string, ipv4: string): string {
  const upTo = (most: number) => (most === 0 ? '' : `(${group}:){0,${most}}`);
  return [0, 1, 2, 3, 4, 5]
    .map((before) => `${before === 0 ? '' : `${group}(:${group}){${before - 1}}`}::${upTo(5 - before)}${ipv4}`)
    .join('|');
}
