import { asList, isSchema, type Schema } from './schema-merge.ts';

/** Where a schema says nothing of the type. */
const anything = 'anything';
/** References can stand for very many schemas, and for themselves. */
const mostSchemas = 100;

/** The JSON types that a schema names, itself or by what it refers to and its alternatives. A value has one of them, or `anything` is there. */
export function typesOf(schema: unknown, root: Schema | null, left = { schemas: mostSchemas }): unknown[] {
  left.schemas -= 1;
  if (!isSchema(schema)) return [anything];
  const { type, $ref: reference, anyOf, oneOf, allOf } = schema;
  if (type !== undefined) return asList(type);
  const target = reference === undefined ? [] : [definitionOf(reference, root)];
  const parts = [...target, ...[anyOf, oneOf, allOf].flatMap(asList)];
  if (parts.length === 0 || parts.length > left.schemas) return [anything];
  return parts.flatMap((part) => typesOf(part, root, left));
}

/** Whether all values are written as JSON, none as the text that it is. */
export function areJson(types: readonly unknown[]): boolean {
  return types.length > 0 && !types.includes('string') && !types.includes(anything);
}

/** Whether a text is never anything but itself. */
export function areTexts(types: readonly unknown[]): boolean {
  return types.every((type) => type === 'string' || type === anything);
}

/** What a reference to one of the root's definitions leads to; undefined for others. */
export function definitionOf(reference: unknown, root: Schema | null): unknown {
  const [, keyword, name] = /^#\/(\$defs|definitions)\/([^/%~]+)$/.exec(String(reference)) ?? [];
  if (keyword === undefined || name === undefined) return undefined;
  const definitions = root?.[keyword];
  return isSchema(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}
