import { type Fault, type Fields, fault, isFields } from '#kernel';

type Range = { min?: number; max?: number };

/** The refusal of one field of a chat or completion request: 400 with the field's path. */
export function refuse(param: string, message: string): Fault {
  return fault('invalid_request', { param, message: `${param}: ${message}` });
}

/** The body as an object; anything else is refused as a whole. */
export function readObject(body: unknown): Fields {
  if (!isFields(body)) throw fault('invalid_request', { message: 'The body must be a JSON object.' });
  return body;
}

/** The value of an optional field; null counts as omitted, because clients send it. */
export function given(fields: Fields, name: string): unknown {
  const value = fields[name];
  return value === null ? undefined : value;
}

export function readModel(fields: Fields): string {
  const value = given(fields, 'model');
  if (typeof value !== 'string' || value === '') throw refuse('model', 'expected a non-empty string');
  return value;
}

export function readNumber(
  fields: Fields,
  name: string,
  fallback: number,
  { min = -Infinity, max = Infinity }: Range,
): number {
  const value = given(fields, name);
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse(name, 'expected a number');
  if (value < min || value > max) throw refuse(name, `expected a number from ${min} to ${max}`);
  return value;
}

/** An integer; `64.0` is one too. undefined when omitted. */
export function readInteger(
  fields: Fields,
  name: string,
  { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER }: Range,
) {
  const value = given(fields, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw refuse(name, 'expected an integer');
  if (value < min) throw refuse(name, `expected an integer of at least ${min}`);
  if (value > max) throw refuse(name, `expected an integer of at most ${max}`);
  return value;
}

export function readBoolean(fields: Fields, name: string, fallback: boolean): boolean {
  const value = given(fields, name);
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') throw refuse(name, 'expected true or false');
  return value;
}

/** One of the listed words; undefined when omitted. */
export function readWord<Word extends string>(fields: Fields, name: string, words: readonly Word[]): Word | undefined {
  const value = given(fields, name);
  if (value === undefined) return undefined;
  const word = words.find((each) => each === value);
  if (!word) throw refuse(name, `expected one of ${words.map((each) => `"${each}"`).join(', ')}`);
  return word;
}

/** Accepts a field only while it asks for nothing: a value that would change the answer is refused, never ignored. */
export function acceptOnly(fields: Fields, name: string, accepts: (value: unknown) => boolean, message: string): void {
  const value = given(fields, name);
  if (value !== undefined && !accepts(value)) throw refuse(name, message);
}
