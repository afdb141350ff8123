import { objectInOrder } from '#kernel';
import { asList, type Flatten, isSchema, type Schema, Unsatisfiable } from './schema-merge.ts';

/**
 * A flat schema with `propertyNames`, `patternProperties` and `not` in words that a grammar can follow, where there are such words. Libraries write them for
 * maps and for members that are never there; anything else stays as it is and is refused.
 */
export function inPlainWords(schema: Schema, flatten: Flatten): Schema {
  if (isEverything(schema['not'])) throw new Unsatisfiable();
  return withPlainNames(withoutFreePattern(schema), flatten);
}

function withPlainNames(schema: Schema, flatten: Flatten): Schema {
  const { propertyNames, ...rest } = schema;
  if (!isSchema(propertyNames)) return schema;
  const names = flatten(propertyNames);
  const isOfText = names['type'] === undefined || asList(names['type']).includes('string');
  const said = Object.keys(names).filter((keyword) => keyword !== 'type');
  // A name is a text anyway.
  if (isOfText && said.length === 0) return rest;
  if (isOfText && said.length === 1 && schema['patternProperties'] === undefined) {
    if (said[0] === 'enum') return withMembers(rest, asList(names['enum']));
    if (said[0] === 'const') return withMembers(rest, [names['const']]);
  }
  return { ...rest, propertyNames: names };
}

/** Patterns that any name matches which is written here, as libraries write them for maps. */
const freePatterns = ['', '.*', '^.*$', '^.*', '^(.*)$', '^'];

function withoutFreePattern(schema: Schema): Schema {
  const { patternProperties, ...rest } = schema;
  const [[pattern, others] = ['', undefined], ...more] = Object.entries(
    isSchema(patternProperties) ? patternProperties : {},
  );
  const isAlone = ['properties', 'required', 'additionalProperties'].every((keyword) => schema[keyword] === undefined);
  if (others === undefined || more.length > 0 || !isAlone || !freePatterns.includes(pattern)) return schema;
  return { ...rest, additionalProperties: others };
}

function isEverything(schema: unknown): boolean {
  return schema === true || (isSchema(schema) && Object.keys(schema).length === 0);
}

/** The listed members and no others. */
function withMembers(schema: Schema, listed: readonly unknown[]): Schema {
  const given = new Map(Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}));
  const names = listed.filter((name) => typeof name === 'string');
  const properties = objectInOrder(
    names.map((name) => [name, given.get(name) ?? schema['additionalProperties'] ?? true]),
  );
  return { ...schema, properties, additionalProperties: false };
}
