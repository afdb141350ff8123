import { type Fields, isFields, objectInOrder } from '#kernel';

/**
 * Arguments with a null for each property that their schema requires, lets be null, and they do not have: null is all that it can
 * be. Files of columns (Parquet) do not tell a null from a property that is missing. Properties that were missing come where the schema has them.
 */
export function withRequiredNulls(schema: Fields, value: unknown): unknown {
  return new Filling(schema).fill(schema, value, maxDepth);
}

const maxDepth = 64;
const maxSteps = 20_000;

class Filling {
  readonly #root: Fields;
  #steps = maxSteps;

  constructor(root: Fields) {
    this.#root = root;
  }

  fill(schema: unknown, value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth <= 0) return value;
    const { items, properties, required } = this.#formOf(schema, Array.isArray(value) ? 'items' : 'properties');
    if (Array.isArray(value)) return value.map((item) => this.fill(items, item, depth - 1));
    if (!isFields(value) || !isFields(properties)) return value;
    const filled = Object.entries(value).map(([name, field]): [string, unknown] => [
      name,
      Object.hasOwn(properties, name) ? this.fill(properties[name], field, depth - 1) : field,
    ]);
    const missing = (Array.isArray(required) ? required : []).filter(
      (name) => Object.hasOwn(properties, name) && !Object.hasOwn(value, name) && this.#canBeNull(properties[name]),
    );
    if (missing.length === 0) return objectInOrder(filled);
    const names = Object.keys(properties);
    const placeOf = (name: string) => (Object.hasOwn(properties, name) ? names.indexOf(name) : names.length);
    const all = [...filled, ...missing.map((name): [string, unknown] => [name, null])];
    return objectInOrder(all.toSorted(([one], [other]) => placeOf(one) - placeOf(other)));
  }

  /** The part of a schema that says something of lists, or of objects. */
  #formOf(schema: unknown, keyword: 'items' | 'properties'): Fields {
    return this.#parts(schema).find((part) => part[keyword] !== undefined) ?? {};
  }

  #canBeNull(schema: unknown): boolean {
    return this.#parts(schema).some(
      ({ type, enum: choices, const: only, nullable }) =>
        [type].flat().includes('null') ||
        (Array.isArray(choices) && choices.includes(null)) ||
        only === null ||
        nullable === true,
    );
  }

  /** A schema, what it refers to within itself, and its alternatives. */
  #parts(schema: unknown, depth = 8): Fields[] {
    if (!isFields(schema) || depth <= 0 || --this.#steps <= 0) return [];
    const { $ref: ref, anyOf, oneOf, allOf } = schema;
    const others = [typeof ref === 'string' ? this.#resolve(ref) : undefined, anyOf, oneOf, allOf].flat();
    return [schema, ...others.flatMap((other) => this.#parts(other, depth - 1))];
  }

  #resolve(ref: string): unknown {
    let found: unknown = this.#root;
    for (const part of ref.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
      found = Reflect.get(found, name);
    }
    return found;
  }
}
