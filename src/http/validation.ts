import type { FastifySchemaCompiler, FastifyTypeProvider } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
// Checks as `typebox/compile` does, without the 150 modules for changing values.
import { Compile, type Validator } from 'typebox/schema';
import { type Fault, fault } from '#kernel';
import { creditsPattern, notBlankPattern, projectPattern } from './page-query.ts';
import { convertQuery } from './query.ts';

/** Types a handler's request from the TypeBox schemas of its route. */
export interface TypeBoxProvider extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}

/** These say that a value is of the right type but not allowed: 400. All others say wrong type or shape: 422. */
const valueKeywords = new Set([
  'const',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maximum',
  'maxItems',
  'maxLength',
  'maxProperties',
  'minimum',
  'minItems',
  'minLength',
  'multipleOf',
  'pattern',
  'propertyNames',
]);

/**
 * Checks `native` requests against their schemas. Bodies are taken as they are; of a query string, which is text,
 * numbers and booleans are read first, and whatever is wrong with it is `invalid_request` (400).
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const isQuery = httpPart === 'querystring';
  const check = createCheck(schema, isQuery ? 'query' : httpPart);
  return (sent: unknown) => {
    const value = isQuery ? convertQuery(schema, sent) : sent;
    const problem = check(value);
    if (!problem) return { value };
    return { error: isQuery ? faultOfQuery(problem) : problem };
  };
};

/** Checks a body, or a part of one, that a handler reads itself. Null: it fits. */
export function createCheck(schema: TSchema, part = 'body'): (value: unknown) => Fault | null {
  let compiled: Validator<TSchema> | null = null;
  return (value) => {
    // Compiled at the first request of a route, so that the start does not wait for it.
    compiled ??= Compile(schema);
    return compiled.Check(value) ? null : faultOfErrors(compiled.Errors(value)[1], value, part);
  };
}

function faultOfQuery(problem: Fault): Fault {
  // A repeated cursor is a malformed one, and those have a code of their own.
  if (problem.options.param === 'cursor') return fault('invalid_cursor', { param: 'cursor' });
  return fault('invalid_request', messageOf(problem));
}

function messageOf({ options: { message, param } }: Fault) {
  return { ...(message === undefined ? {} : { message }), ...(param === undefined ? {} : { param }) };
}

/** Of a value that may be null and is something else, only what is wrong with the something else is worth telling. */
function withoutNull(errors: readonly TLocalizedValidationError[]): readonly TLocalizedValidationError[] {
  const nullable = new Set(errors.filter(isNullError).map(({ instancePath }) => instancePath));
  const told = errors.filter(
    (error) => !isNullError(error) && !(error.keyword === 'anyOf' && nullable.has(error.instancePath)),
  );
  return told.length > 0 ? told : errors;
}

const isNullError = (error: TLocalizedValidationError) => error.keyword === 'type' && error.params.type === 'null';

function faultOfErrors(allErrors: readonly TLocalizedValidationError[], value: unknown, part: string): Fault {
  // What is wrong with a name is an error of the object that has it.
  const ofNames = allErrors.filter(({ keyword }) => keyword === 'propertyNames');
  const errors = ofNames.length > 0 ? ofNames : withoutNull(allErrors);
  const details = errors.map((error) => detailOf(error, value, part));
  const [first] = details;
  const param = first ? paramOf(first.loc.slice(1)) : '';
  const options = {
    message: first ? `${param || part}: ${first.msg}.` : 'The request does not fit its schema.',
    ...(param ? { param } : {}),
  };
  if (errors.every((error) => isOfRightType(error, value))) return fault('invalid_request', options);
  return fault('invalid_shape', { ...options, detail: details });
}

/** A choice is refused for whatever it is not, so only the value tells whether it is of another type. */
function isOfRightType(error: TLocalizedValidationError, value: unknown): boolean {
  if (error.keyword !== 'enum') return valueKeywords.has(error.keyword);
  const type = typeof pathOf(error).reduce(memberOf, value);
  return error.params.allowedValues.some((allowed) => typeof allowed === type);
}

/** `results[0].text`, as all refusals name it. */
function paramOf(place: Place): string {
  return place.map((name, at) => (typeof name === 'number' ? `[${name}]` : at === 0 ? name : `.${name}`)).join('');
}

/** Names, and numbers in lists. */
type Place = readonly (string | number)[];

/** Only the value tells places in a list from names. */
function placeIn(value: unknown, path: readonly string[]): Place {
  let holder = value;
  return path.map((name) => {
    const place = Array.isArray(holder) ? Number(name) : name;
    holder = memberOf(holder, name);
    return place;
  });
}

const memberOf = (holder: unknown, name: string): unknown => Object(holder)[name];

type Detail = { type: string; loc: Place; msg: string };

function detailOf(error: TLocalizedValidationError, value: unknown, part: string): Detail {
  const loc = [part, ...placeIn(value, pathOf(error))];
  if (error.keyword === 'required')
    return { type: 'missing', loc: [...loc, ...error.params.requiredProperties.slice(0, 1)], msg: 'is missing' };
  if (error.keyword === 'type')
    return { type: `${[error.params.type].flat().join('_or_')}_type`, loc, msg: error.message };
  return { type: error.keyword, loc, msg: wordsOf(error) };
}

/** What is expected, where the words of the library do not say it. */
function wordsOf(error: TLocalizedValidationError): string {
  if (error.keyword === 'enum') return oneOf(error);
  if (error.keyword === 'format' && error.params.format === 'date-time')
    return 'must be an RFC 3339 time, for example 2026-01-02T03:04:05Z';
  if (error.keyword === 'pattern' && error.params.pattern === notBlankPattern) return 'must hold more than spaces';
  if (error.keyword === 'pattern' && error.params.pattern === projectPattern)
    return 'must be the address of a project, {owner}/{project}';
  if (error.keyword === 'pattern' && error.params.pattern === creditsPattern)
    return 'must be a number of credits with at most six decimals, for example 2.5';
  return error.message;
}

function oneOf({ params }: Extract<TLocalizedValidationError, { keyword: 'enum' }>): string {
  return `must be one of ${params.allowedValues.map((value) => JSON.stringify(value)).join(', ')}`;
}

function pathOf({ instancePath }: TLocalizedValidationError): string[] {
  return instancePath.split('/').slice(1).map(unescapePointer);
}

/** JSON pointer escapes (RFC 6901). */
function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
