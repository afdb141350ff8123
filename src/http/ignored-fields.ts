import type { FastifyReply } from 'fastify';
import { type Fields, isFields } from '#kernel';

const maxNames = 20;
const maxDepth = 8;
const plainName = /^[A-Za-z0-9_.-]{1,64}$/;

/** Tells a caller which fields of the body had no effect because nobody here knows them. */
export function nameIgnoredFields(reply: FastifyReply, schema: unknown, body: unknown): void {
  const names = ignoredFields(schema, body);
  if (names.length > 0) reply.header('x-fnf-ignored-fields', names.join(', '));
}

/**
 * Names of the fields of a body that its schema does not know, as in `colour` or `limits.speed`: a caller who mistyped
 * one sees that it had no effect. At most twenty, and only names that may stand in a header field as they are.
 */
export function ignoredFields(schema: unknown, body: unknown): string[] {
  const names: string[] = [];
  collect(names, [schema], body, '');
  return names;
}

function collect(names: string[], schemas: readonly unknown[], value: unknown, path: string): void {
  const alternatives = schemas.flatMap(alternativesOf);
  if (path.split('.').length > maxDepth || alternatives.some(takesAnything)) return;
  if (Array.isArray(value)) collectFromItems(names, alternatives, value, path);
  else if (isFields(value)) collectFromFields(names, alternatives, value, path);
}

function collectFromFields(names: string[], alternatives: readonly Fields[], value: Fields, path: string): void {
  for (const [name, item] of Object.entries(value)) {
    if (names.length >= maxNames) return;
    const known = alternatives.flatMap(({ properties }) =>
      isFields(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
    );
    const place = path === '' ? name : `${path}.${name}`;
    if (known.length > 0) collect(names, known, item, place);
    else if (plainName.test(name) && !names.includes(place)) names.push(place);
  }
}

/** The items of a list are alike: one name for all of them. */
function collectFromItems(
  names: string[],
  alternatives: readonly Fields[],
  items: readonly unknown[],
  path: string,
): void {
  const schemas = alternatives.flatMap((each) => (isFields(each.items) ? [each.items] : []));
  if (schemas.length > 0) for (const item of items) collect(names, schemas, item, path);
}

/** What fits one of several schemas may have the fields of any. */
function alternativesOf(schema: unknown): Fields[] {
  if (!isFields(schema)) return [];
  const nested = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((each) => (Array.isArray(each) ? each : []));
  return [schema, ...nested.flatMap(alternativesOf)].filter(
    (each) => isFields(each.properties) || 'items' in each || takesAnything(each),
  );
}

/** An object without listed fields, a record or an unknown value: nothing in it can be unknown. */
function takesAnything(schema: Fields): boolean {
  if (isFields(schema.patternProperties) || isFields(schema.additionalProperties)) return true;
  const isObject =
    schema.type === 'object' && Object.keys(isFields(schema.properties) ? schema.properties : {}).length === 0;
  return (
    isObject || !['type', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', '$ref', 'not'].some((each) => each in schema)
  );
}
