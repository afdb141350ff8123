import { isNumber } from './decimal.ts';
import { asList, canonical, isJsonType, type Schema } from './schema-merge.ts';
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
