import { objectInOrder } from '#kernel';
import { isNumber } from './decimal.ts';
import { asList, canonical, type Flatten, isJsonType, isSchema, type Schema, Unsatisfiable } from './schema-merge.ts';
import { refuse } from './schema-places.ts';

/** Keywords that decide about validity and that a grammar cannot enforce. Unknown words are annotations (JSON Schema). */
const unsupportedKeywords = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  '$dynamicRef',
  '$recursiveRef',
];
const wholeNumbers = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const numbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

/** Refuses what cannot be enforced and values of the wrong shape; `invalid_request` (`response_format`). */
export function checkKeywords(schema: Schema): void {
  for (const keyword of unsupportedKeywords) {
    if (keyword in schema) throw refuse(`"${keyword}" in a schema is not supported.`);
  }
  const strange = asList(schema['type']).find((type) => !isJsonType(type));
  if (strange !== undefined) throw refuse(`"type": ${canonical(strange)} is not a type of JSON Schema.`);
  const unique = schema['uniqueItems'];
  if (unique !== undefined && typeof unique !== 'boolean') throw wrongValue('uniqueItems', unique);
  const closes = schema['unevaluatedProperties'] === undefined || schema['unevaluatedProperties'] === false;
  // false: nothing beyond the known members, which is what is generated unless additionalProperties asks for more.
  if (
    !closes ||
    (schema['unevaluatedProperties'] === false &&
      schema['additionalProperties'] === undefined &&
      !('properties' in schema))
  ) {
    throw refuse('"unevaluatedProperties" in a schema is not supported here; use "additionalProperties".');
  }
  for (const keyword of wholeNumbers) {
    const value = schema[keyword];
    if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) >= 0)) throw wrongValue(keyword, value);
  }
  for (const keyword of numbers) {
    const value = schema[keyword];
    if (value !== undefined && !isNumber(value)) throw wrongValue(keyword, value);
  }
  const required = schema['required'];
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === 'string'))) {
    throw wrongValue('required', required);
  }
}

export function wrongValue(keyword: string, value: unknown): Error {
  return refuse(`"${keyword}": ${canonical(value).slice(0, 100)} is not a valid value.`);
}

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
  const keywords = Object.keys(names).filter((keyword) => keyword !== 'type');
  // A name is a text anyway.
  if (isOfText && keywords.length === 0) return rest;
  if (isOfText && keywords.length === 1 && schema['patternProperties'] === undefined) {
    if (keywords[0] === 'enum') return withMembers(rest, asList(names['enum']));
    if (keywords[0] === 'const') return withMembers(rest, [names['const']]);
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
