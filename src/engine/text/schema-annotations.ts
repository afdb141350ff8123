import { isFields } from '#kernel';

/** They say nothing about validity (definitions only where something refers to them). */
const annotations = new Set([
  ...['$schema', '$id', '$comment', '$anchor', '$defs', 'definitions', 'title', 'description', 'default', 'examples'],
  ...['example', 'deprecated', 'readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType', 'contentSchema'],
  ...['discriminator', 'nullable', 'strict', 'propertyOrdering'],
]);
/** Schemas that are nested deeper than this are refused. */
const deepest = 200;
const schemaKeywords = new Set(['items', 'additionalItems', 'additionalProperties', 'propertyNames', 'not']);
const listKeywords = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);

export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword);
}

/** The same schema in fewer words: schemas that allow the same values are more often equal, and need one rule. */
export function withoutAnnotations(schema: unknown, level = 0): unknown {
  if (!isFields(schema) || level > deepest) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, withinKeyword(keyword, value, level + 1)]));
}

function withinKeyword(keyword: string, value: unknown, level: number): unknown {
  const inside = (schema: unknown) => withoutAnnotations(schema, level);
  if (Array.isArray(value)) return listKeywords.has(keyword) ? value.map(inside) : value;
  if (schemaKeywords.has(keyword)) return inside(value);
  if (keyword !== 'properties' || !isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inside(schema)]));
}
