import type { Static, TSchema } from 'typebox';
import { type Fault, type Fields, fault, isFields } from '#kernel';

/** The first thing that is wrong with a body. */
export type BodyProblem = {
  /** Of the value at fault, as in `messages[0].content`; empty for the body itself. */
  path: string;
  /** What is expected, as in `expected a string`. */
  message: string;
  reason: 'missing' | 'type' | 'value';
  /** That does not fit. */
  schema: Fields;
};

/**
 * Says what a schema expects, in words that help more than those made from its keywords; spread into the schema's options.
 * A function is given the value, and speaks for all that is wrong in it, at the path of the schema itself.
 */
export const expecting = (words: string | ((value: unknown) => string)) => ({ 'x-expected': words });

/**
 * Reads a body by the schema that documents it: what passes has the type of the schema. Fields that the schema does not
 * know are ignored. The first problem is thrown, by default as `invalid_request` with the path of the field as its `param`.
 * Of a union of objects the alternative is chosen by the constant (`type`, `role`) that tells them apart.
 */
export function readBody<Schema extends TSchema>(
  schema: Schema,
  body: unknown,
  refuse: (problem: BodyProblem) => Fault = invalid,
): Static<Schema> {
  // as: a schema is an object.
  const root = schema as Fields;
  if (!isFields(body))
    throw refuse({ path: '', message: 'The body must be a JSON object.', reason: 'type', schema: root });
  const problem = problemIn(root, body, '');
  if (problem !== null) throw refuse(problem);
  // as: it was checked by the schema just now.
  return body as Static<Schema>;
}

function invalid({ path, message }: BodyProblem): Fault {
  return path === ''
    ? fault('invalid_request', { message })
    : fault('invalid_request', { param: path, message: `${path}: ${message}` });
}

function problemIn(schema: Fields, value: unknown, path: string): BodyProblem | null {
  const found = firstProblem(schema, value, path);
  const { 'x-expected': words } = schema;
  return found !== null && typeof words === 'function' ? { ...found, path, message: words(value) } : found;
}

function firstProblem(schema: Fields, value: unknown, path: string): BodyProblem | null {
  const alternatives = alternativesOf(schema);
  if (alternatives !== null) return problemInUnion(schema, alternatives, value, path);
  if (!hasType(schema, value)) return problem(schema, path, 'type');
  if (!isAllowed(schema, value)) return problem(schema, path, 'value');
  if (Array.isArray(value)) return problemInItems(schema, value, path);
  return isFields(value) ? problemInFields(schema, value, path) : null;
}

function problemInItems({ items }: Fields, list: readonly unknown[], path: string): BodyProblem | null {
  if (!isFields(items)) return null;
  for (const [index, item] of list.entries()) {
    const found = problemIn(items, item, `${path}[${index}]`);
    if (found !== null) return found;
  }
  return null;
}

function problemInFields(schema: Fields, fields: Fields, path: string): BodyProblem | null {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  for (const [name, property] of Object.entries(isFields(schema.properties) ? schema.properties : {})) {
    if (!isFields(property)) continue;
    const place = path === '' ? name : `${path}.${name}`;
    const value = fields[name];
    if (value === undefined) {
      if (required.includes(name)) return problem(property, place, 'missing');
      continue;
    }
    const found = problemIn(property, value, place);
    if (found !== null) return found;
  }
  return null;
}

/** Unions in unions are one. */
function alternativesOf(schema: Fields): Fields[] | null {
  const choices = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(choices)) return null;
  return choices.filter(isFields).flatMap((each) => alternativesOf(each) ?? [each]);
}

function problemInUnion(union: Fields, all: readonly Fields[], value: unknown, path: string): BodyProblem | null {
  const fitting = all.filter((each) => hasType(each, value));
  const [first, ...others] = fitting;
  if (first === undefined) return problem({ ...union, anyOf: all }, path, 'type');
  if (others.length === 0) return problemIn(first, value, path);
  if (!isFields(value)) {
    const problems = fitting.map((each) => problemIn(each, value, path));
    return problems.includes(null)
      ? null
      : 'x-expected' in union
        ? problem(union, path, 'value')
        : (problems[0] ?? null);
  }
  return problemInObject(union, { fitting, value, path });
}

/** Several kinds of objects: a field that is a constant in each of them says which one is meant. */
function problemInObject(
  union: Fields,
  { fitting, value, path }: { fitting: readonly Fields[]; value: Fields; path: string },
): BodyProblem | null {
  const name = ['type', 'role'].find((each) => fitting.some((one) => constantsAt(one, each) !== null));
  if (name === undefined)
    return fitting.some((each) => problemIn(each, value, path) === null) ? null : problem(union, path, 'value');
  const sent = value[name];
  const meant = fitting.filter((each) => {
    const constants = constantsAt(each, name);
    if (constants === null) return true;
    return sent === undefined ? !isRequired(each, name) : constants.includes(sent);
  });
  const [first] = meant;
  if (first === undefined) {
    const known = [...new Set(fitting.flatMap((each) => constantsAt(each, name) ?? []))];
    const place = path === '' ? name : `${path}.${name}`;
    const isOfType = known.some((each) => typeof each === typeof sent);
    return {
      path: place,
      message: `expected ${listed(known)}`,
      reason: sent === undefined ? 'missing' : isOfType ? 'value' : 'type',
      schema: union,
    };
  }
  const problems = meant.map((each) => problemIn(each, value, path));
  return problems.includes(null) ? null : (problems[0] ?? null);
}

const isRequired = (schema: Fields, name: string) => Array.isArray(schema.required) && schema.required.includes(name);

function constantsAt({ properties }: Fields, name: string): unknown[] | null {
  const property = isFields(properties) ? properties[name] : undefined;
  if (!isFields(property)) return null;
  if ('const' in property) return [property.const];
  if (Array.isArray(property.enum)) return property.enum;
  const choices = alternativesOf(property);
  return choices?.every((each) => 'const' in each) ? choices.map((each) => each.const) : null;
}

function hasType(schema: Fields, value: unknown): boolean {
  const { type } = schema;
  if ('const' in schema) return typeof schema.const === typeof value && (schema.const === null) === (value === null);
  if (Array.isArray(schema.enum)) return schema.enum.some((each) => typeof each === typeof value);
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isFields(value);
    default:
      return true;
  }
}

/** The rules within a type. */
function isAllowed(schema: Fields, value: unknown): boolean {
  if ('const' in schema) return schema.const === value;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  const { minimum, maximum, minLength, maxLength, pattern, minItems, maxItems } = schema;
  if (typeof value === 'number') return within(value, minimum, maximum);
  if (typeof value === 'string')
    return (
      within(value.length, minLength, maxLength) &&
      (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value))
    );
  return !Array.isArray(value) || within(value.length, minItems, maxItems);
}

function within(size: number, least: unknown, most: unknown): boolean {
  return (typeof least !== 'number' || size >= least) && (typeof most !== 'number' || size <= most);
}

function problem(schema: Fields, path: string, reason: BodyProblem['reason']): BodyProblem {
  return { path, message: wordsOf(schema), reason, schema };
}

function wordsOf(schema: Fields): string {
  const { 'x-expected': words } = schema;
  return typeof words === 'string' ? words : `expected ${nameOf(schema)}`;
}

function nameOf(schema: Fields): string {
  const choices = alternativesOf(schema);
  if (choices !== null) {
    const told = choices.filter(({ type }) => type !== 'null');
    const constants = told.flatMap((each) => ('const' in each ? [each.const] : []));
    if (constants.length === told.length) return listed(constants);
    return [...new Set(told.map(nameOf))].join(' or ');
  }
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return listed(schema.enum);
  switch (schema.type) {
    case 'string':
      return schema.minLength === 1 ? 'a non-empty string' : 'a string';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `an integer${bounds(schema)}`;
    case 'number':
      return `a number${bounds(schema)}`;
    case 'array':
      return `a list${typeof schema.maxItems === 'number' ? ` of at most ${schema.maxItems}` : ''}`;
    default:
      return 'an object';
  }
}

function bounds({ minimum, maximum }: Fields): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return ` from ${minimum} to ${maximum}`;
  if (typeof minimum === 'number') return ` of at least ${minimum}`;
  return typeof maximum === 'number' ? ` of at most ${maximum}` : '';
}

function listed(values: readonly unknown[]): string {
  return `${values.length > 1 ? 'one of ' : ''}${values.map((each) => JSON.stringify(each)).join(', ')}`;
}
