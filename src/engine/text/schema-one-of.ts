import { asList, canonical, isSchema, type Schema } from './schema-merge.ts';
import { refuse } from './schema-places.ts';

/**
 * `oneOf` demands that exactly one branch matches. A grammar can only offer alternatives, so branches must visibly
 * exclude each other: by type, by listed values, or by a member that both require with different values.
 */
export function checkDistinct(branches: readonly (Schema | null)[]): void {
  const present = branches.filter((branch) => branch !== null);
  // Lists of values are compared all at once: every two would take the square of the time.
  const listed = present.flatMap((branch) => [...(values(branch) ?? [])]);
  const areValuesDistinct = new Set(listed).size === listed.length;
  const isCompared = (branch: Schema) => !areValuesDistinct || values(branch) === null;
  const [compared, others] = [present.filter(isCompared), present.filter((branch) => !isCompared(branch))];
  if (compared.length * present.length > mostComparisons)
    throw refuse(`The schema is too large: "oneOf" of ${present.length} schemas; use "anyOf".`);
  for (const [index, branch] of compared.entries()) {
    for (const other of [...compared.slice(index + 1), ...others]) {
      if (!areDistinct(branch, other)) {
        throw refuse('"oneOf" is supported only where a type or a constant tells its schemas apart; use "anyOf".');
      }
    }
  }
}

const mostComparisons = 20_000;

function areDistinct(first: Schema, second: Schema): boolean {
  const [firstTypes, secondTypes] = [typeSet(first), typeSet(second)];
  if (firstTypes !== null && secondTypes !== null && firstTypes.isDisjointFrom(secondTypes)) return true;
  if (haveDistinctValues(first, second)) return true;
  const onlyObjects = [firstTypes, secondTypes].every((types) => types?.size === 1 && types.has('object'));
  if (!onlyObjects) return false;
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

/** Listed values as text; null where none are listed. */
function values(schema: Schema): Set<string> | null {
  if ('const' in schema) return new Set([canonical(schema['const'])]);
  return Array.isArray(schema['enum']) ? new Set(schema['enum'].map(canonical)) : null;
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
