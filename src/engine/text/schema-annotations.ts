import { isFields, objectInOrder } from '#kernel';
import type { Path, Places } from './schema-places.ts';

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
const memberKeywords = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword);
}

/**
 * The same schema in fewer words: schemas that allow the same values are more often equal, and need one rule. Notes where they stand, the
 * whole at `path`.
 */
export function withoutAnnotations(schema: unknown, places: Places, path: Path = { above: null, steps: [] }): unknown {
  const copy = (part: unknown, at: Path, level: number): unknown => {
    if (!isFields(part) || level > deepest) return part;
    const kept = Object.entries(part).filter(
      ([keyword, value]) => !isAnnotation(keyword) && !saysNothing(keyword, value),
    );
    const fields = kept.map(([keyword, value]) => [
      keyword,
      withParts(keyword, value, (inner, steps) => copy(inner, { above: at, steps }, level + 1)),
    ]);
    const words = { ...Object.fromEntries(fields), ...requiredBy(part) };
    places.set(words, at);
    return words;
  };
  return copy(schema, path, 0);
}

function saysNothing(keyword: string, value: unknown): boolean {
  return keyword === 'uniqueItems' && value === false;
}

/** Clients read a union by the member that tells its schemas apart: it must be there, also where it has a default. */
function requiredBy(schema: Record<string, unknown>): { required?: unknown[] } {
  const { discriminator, required = [], oneOf, anyOf } = schema;
  const name = isFields(discriminator) && (oneOf ?? anyOf) !== undefined ? discriminator['propertyName'] : undefined;
  return typeof name === 'string' && Array.isArray(required) ? { required: [...new Set([...required, name])] } : {};
}

/** The value of a keyword with each schema in it replaced; `steps` lead from the schema with the keyword to the one in it. */
export function withParts(
  keyword: string,
  value: unknown,
  replace: (schema: unknown, steps: readonly (string | number)[]) => unknown,
): unknown {
  if (Array.isArray(value))
    return listKeywords.has(keyword) ? value.map((schema, at) => replace(schema, [keyword, at])) : value;
  if (schemaKeywords.has(keyword)) return replace(value, [keyword]);
  if (!memberKeywords.has(keyword) || !isFields(value)) return value;
  return objectInOrder(Object.entries(value).map(([name, schema]) => [name, replace(schema, [keyword, name])]));
}
