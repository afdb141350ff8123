import { fault, isFields, objectInOrder } from '#kernel';

class Refusal extends Error {
  /** Where in the schema; null: in all of it. */
  place: string | null = null;
}

/** There is too much in all, whatever a single place says. */
class TooLarge extends Refusal {}

export function refuse(message: string): Error {
  return new Refusal(message);
}

export function tooLarge(message = 'The schema is too large to be enforced.'): Error {
  return new TooLarge(message);
}

/** The rest of the schema may be enforced without the place that is refused. */
export function isOfOnePlace(error: unknown): boolean {
  return error instanceof Refusal && !(error instanceof TooLarge);
}

/** What the caller is told; other errors stay what they are. */
export function asFault(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const { place, message } = error;
  const where = place === null ? '' : `response_format.json_schema.schema${place}: `;
  return fault('invalid_request', { param: 'response_format', message: where + message });
}

/** The way from the whole schema to a part of it, as keywords, names and numbers. */
export type Path = { above: Path | null; steps: readonly (string | number)[] };

export type Places = WeakMap<object, Path>;

/** Says of a refusal where in the schema it belongs, as far in as that is known. */
export function placed<Result>(places: Places, schema: unknown, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw atPlace(places, schema, error);
  }
}

export function atPlace<Thrown>(places: Places, schema: unknown, error: Thrown): Thrown {
  const path = error instanceof Refusal && error.place === null ? pathOf(places, schema) : null;
  if (error instanceof Refusal && path !== null) error.place = pathText(path);
  return error;
}

/** Of schemas that were joined, the last one that stands somewhere. */
export function pathOf(places: Places, schema: unknown): Path | null {
  if (!isFields(schema)) return null;
  const known = places.get(schema);
  if (known !== undefined) return known;
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  return parts.reduce<Path | null>((last, part) => pathOf(places, part) ?? last, null);
}

/** As in JavaScript: `.properties.tags.anyOf[0]`. */
function pathText({ above, steps }: Path): string {
  const text = steps.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return (above === null ? '' : pathText(above)) + text.join('');
}

/** They say nothing about validity (definitions only where something refers to them). */
const annotations = new Set([
  ...['$schema', '$id', '$comment', '$anchor', '$defs', 'definitions', 'title', 'description', 'default', 'examples'],
  ...['example', 'deprecated', 'readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType', 'contentSchema'],
  ...['discriminator', 'nullable', 'strict', 'propertyOrdering'],
]);
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
