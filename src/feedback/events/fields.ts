import { charactersOf, type Fields, isFields, isStorable } from '#kernel';
import { FieldError, type JsonType } from './field-error.ts';

/** A text of `least` to `most` characters that can be stored. */
export function readText(value: unknown, param: string, most: number, least = 1): string {
  if (typeof value !== 'string') throw wrongType(value, param, 'string');
  if (value.length < least || (value.length > most && charactersOf(value) > most))
    throw new FieldError('value', param, `expected ${least} to ${most} characters`);
  if (!isStorable(value)) throw new FieldError('value', param, 'holds a NUL character or half of a surrogate pair');
  return value;
}

/** The same, or null where there is none. */
export function readOptionalText(value: unknown, param: string, most: number): string | null {
  return value === undefined || value === null ? null : readText(value, param, most);
}

export function readNumber(value: unknown, param: string): number {
  if (typeof value !== 'number') throw wrongType(value, param, 'number');
  if (!Number.isFinite(value)) throw new FieldError('value', param, 'expected a finite number');
  return value;
}

export function readInteger(value: unknown, param: string, [least, most]: readonly [number, number]): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongType(value, param, 'integer');
  if (value < least || value > most)
    throw new FieldError('value', param, `expected an integer from ${least} to ${most}`);
  return value;
}

export function readOneOf<Value extends string>(value: unknown, param: string, values: readonly Value[]): Value {
  if (typeof value !== 'string') throw wrongType(value, param, 'string');
  const found = values.find((each) => each === value);
  if (found === undefined) throw new FieldError('value', param, `expected one of ${values.join(', ')}`);
  return found;
}

export function readList(value: unknown, param: string, [least, most]: readonly [number, number]): unknown[] {
  if (!Array.isArray(value)) throw wrongType(value, param, 'array');
  if (value.length < least || value.length > most)
    throw new FieldError('value', param, `expected ${least} to ${most} items`);
  return value;
}

export function readFields(value: unknown, param: string): Fields {
  if (!isFields(value)) throw wrongType(value, param, 'object');
  return value;
}

const words: Record<JsonType, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'an integer',
  array: 'a list',
  object: 'an object',
};

function wrongType(value: unknown, param: string, expected: JsonType): FieldError {
  return value === undefined
    ? new FieldError('missing', param, 'is missing')
    : new FieldError(`${expected}_type`, param, `expected ${words[expected]}`);
}
