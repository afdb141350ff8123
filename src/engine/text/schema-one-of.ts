import { valueKey } from './decimal.ts';
import { asList, isSchema, type Schema } from './schema-merge.ts';
import { refuse } from './schema-places.ts';

/**
 * `oneOf` demands that exactly one branch matches. A grammar can only offer alternatives, so branches must visibly
 * exclude each other: by type, by listed values, or by a member that both require with different values.
 */
export function checkDistinct(branches: readonly (Schema | null)[]): void {
  const present = branches.filter((branch) => branch !== null);
  // Within these groups all branches are known to exclude each other: comparing every two takes the square of the time.
  const listed = distinctGroup(
    present.filter((branch) => values(branch) !== null),
    values,
  );
  const objects = present.filter((branch) => isObjectOnly(branch) && !listed.has(branch));
  const told = discriminated(objects);
  const others = present.filter((branch) => !listed.has(branch) && !told.has(branch));
  const comparisons = others.length * present.length + listed.size * told.size;
  if (comparisons > mostComparisons)
    throw refuse(`The schema is too large: "oneOf" of ${present.length} schemas; use "anyOf".`);
  for (const [index, branch] of others.entries()) check(branch, [...others.slice(index + 1), ...listed, ...told]);
  for (const branch of told) check(branch, listed);
}

const mostComparisons = 20_000;

function check(branch: Schema, others: Iterable<Schema>): void {
  for (const other of others) {
    if (!areDistinct(branch, other)) {
      throw refuse('"oneOf" is supported only where a type or a constant tells its schemas apart; use "anyOf".');
    }
  }
}

/** The branches, if none of the values that each lists is another one's; else none. */
function distinctGroup(branches: readonly Schema[], valuesOf: (branch: Schema) => Set<string> | null): Set<Schema> {
  const all = branches.flatMap((branch) => [...(valuesOf(branch) ?? [])]);
  return new Set(new Set(all).size === all.length ? branches : []);
}

/** Objects that a member tells apart which all of them require, each with values of its own; none if there is no such member. */
function discriminated(objects: readonly Schema[]): Set<Schema> {
  for (const name of asList(objects[0]?.['required'])) {
    const valuesOf = (branch: Schema) => {
      const found = asList(branch['required']).includes(name) ? member(branch, name) : null;
      return found === null ? null : values(found);
    };
    if (objects.some((branch) => valuesOf(branch) === null)) continue;
    const group = distinctGroup(objects, valuesOf);
    if (group.size > 0) return group;
  }
  return new Set();
}

function isObjectOnly(schema: Schema): boolean {
  const types = typeSet(schema);
  return types?.size === 1 && types.has('object');
}

function areDistinct(first: Schema, second: Schema): boolean {
  const [firstTypes, secondTypes] = [typeSet(first), typeSet(second)];
  if (firstTypes !== null && secondTypes !== null && firstTypes.isDisjointFrom(secondTypes)) return true;
  if (haveDistinctValues(first, second)) return true;
  if (!isObjectOnly(first) || !isObjectOnly(second)) return false;
  return asList(first['required']).some((name) => {
    if (!asList(second['required']).includes(name)) return false;
    const [one, other] = [member(first, name), member(second, name)];
    return one !== null && other !== null && haveDistinctValues(one, other);
  });
}

function haveDistinctValues(first: Schema, second: Schema): boolean {
  const [one, other] = [values(first), values(second)];
  return one !== null && other !== null && one.isDisjointFrom(other);
}

function values(schema: Schema): Set<string> | null {
  if ('const' in schema) return new Set([valueKey(schema['const'])]);
  return Array.isArray(schema['enum']) ? new Set(schema['enum'].map(valueKey)) : null;
}

function typeSet(schema: Schema): Set<unknown> | null {
  if (schema['type'] === undefined) return null;
  return new Set(asList(schema['type']).map((type) => (type === 'integer' ? 'number' : type)));
}

function member(schema: Schema, name: unknown): Schema | null {
  const found = isSchema(schema['properties'])
    ? Object.entries(schema['properties']).find(([key]) => key === name)?.[1]
    : undefined;
  return isSchema(found) ? found : null;
}
