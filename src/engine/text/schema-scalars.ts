import { boundedNumber, decimalPlaces } from './digit-range.ts';
import { anyOf, type Expression, type Grammar, sequence } from './gbnf.ts';
import { integer, number } from './json-rules.ts';
import { wrongValue } from './schema-keywords.ts';
import { refuse, type Schema, Unsatisfiable } from './schema-merge.ts';
import { formatPattern, patternCharacters, UnsupportedPattern } from './string-pattern.ts';

/** Longer bounds than this cannot be reached: an answer is shorter. */
const longestText = 1_000_000;
const longestMinimum = 100_000;

/** `null` as the upper bound: none. */
export type Length = readonly [number, number | null];
export type StringForm = { pattern: string } | { length: Length };

/** What a string is held to: a pattern or bounds of its length. */
export function stringForm(schema: Schema): StringForm {
  const { pattern, format } = schema;
  const hasLength = schema['minLength'] !== undefined || schema['maxLength'] !== undefined;
  if (pattern !== undefined) {
    if (typeof pattern !== 'string') throw wrongValue('pattern', pattern);
    if (hasLength) throw refuse('"pattern" together with "minLength" or "maxLength" is not supported.');
    return { pattern };
  }
  const known = formatPattern(format);
  if (known !== null && !hasLength) return { pattern: known };
  return { length: lengthRange(schema, 'minLength', 'maxLength') };
}

/** The bounds of a length. */
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

export function patternString(grammar: Grammar, pattern: string): Expression {
  try {
    return sequence('"\\""', patternCharacters(grammar, pattern), '"\\""');
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    throw refuse(`"pattern": ${error.message} is not supported.`);
  }
}

/** `ways`: so many llama.cpp follows side by side. */
export type NumberForm = { expression: Expression; ways: number };

export function numberForm(grammar: Grammar, schema: Schema, type: 'number' | 'integer'): NumberForm {
  const step = stepDecimals(schema['multipleOf']);
  const decimals = type === 'integer' ? 0 : step;
  const [low, exclusiveLow] = tighter(schema, 'minimum', 'exclusiveMinimum');
  const [high, exclusiveHigh] = tighter(schema, 'maximum', 'exclusiveMaximum');
  if (low === null && high === null && (decimals === null || decimals === 0)) {
    return { expression: decimals === null ? number(grammar) : integer(grammar), ways: 4 };
  }
  const alternatives = boundedNumber({
    minimum: low,
    maximum: high,
    exclusiveMinimum: exclusiveLow,
    exclusiveMaximum: exclusiveHigh,
    decimals,
  });
  if (alternatives === null) throw refuse('A number bound with more than 6 decimals is not supported.');
  if (alternatives.length === 0) throw new Unsatisfiable();
  return { expression: grammar.define('range', anyOf(alternatives)), ways: alternatives.length };
}

/** The stricter of the inclusive and the exclusive bound, and whether it is exclusive. */
function tighter(schema: Schema, inclusive: string, exclusive: string): [number | null, boolean] {
  const [closed, open] = [schema[inclusive], schema[exclusive]];
  if (typeof open !== 'number') return [typeof closed === 'number' ? closed : null, false];
  if (typeof closed !== 'number') return [open, true];
  const openWins = inclusive === 'minimum' ? open >= closed : open <= closed;
  return openWins ? [open, true] : [closed, false];
}

/** Decimal places that a step of 1, 0.1, 0.01 ... leaves; null without a step. */
function stepDecimals(step: unknown): number | null {
  if (step === undefined) return null;
  const places = placesOf(step);
  if (places === null) {
    throw refuse(`"multipleOf": only 1, 0.1, 0.01 ... are supported, not ${JSON.stringify(step)}.`);
  }
  return places;
}

/** Whether a number can be held to multiples of this. */
export function isDecimalStep(step: unknown): boolean {
  return placesOf(step) !== null;
}

function placesOf(step: unknown): number | null {
  const places = typeof step === 'number' && step > 0 ? decimalPlaces(step) : null;
  return places === null || places > 6 || step !== Number(`1e-${places}`) ? null : places;
}
