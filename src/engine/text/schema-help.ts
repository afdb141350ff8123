import { isSchema, type Schema } from './schema-merge.ts';
import { isOfOnePlace } from './schema-places.ts';

/** What these say depends on what others beside them say: without those they would say more than they do. */
const dependsOn: Readonly<Record<string, readonly string[]>> = {
  additionalProperties: ['properties', 'patternProperties'],
  unevaluatedProperties: ['properties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref'],
  items: ['prefixItems'],
  additionalItems: ['items'],
};

/**
 * Does the work with a schema; where that is refused, with as many of its keywords as it takes, the type first: a tool's schema is
 * help for the model, and one keyword that cannot be enforced takes nothing from the others. null: there is none that it takes.
 */
export function asFarAsHeld<Result>(schema: unknown, work: (schema: Schema) => Result): Result | null {
  const whole = attempt(schema, work);
  if (whole !== null) return whole.result;
  if (!isSchema(schema)) return null;
  let held: Schema = {};
  let found: { result: Result } | null = null;
  for (const [keyword, value] of inOrder(schema)) {
    const isAlone = dependsOn[keyword]?.some((other) => other in schema && held[other] !== schema[other]) === true;
    if (isAlone) continue;
    for (const part of partsOf(keyword, value)) {
      const before = held[keyword];
      const more = { ...held, [keyword]: Array.isArray(before) && Array.isArray(part) ? [...before, ...part] : part };
      const next = attempt(more, work);
      if (next === null) continue;
      held = more;
      found = next;
    }
  }
  return found?.result ?? null;
}

/** Where the form of a name decides about its member and that cannot be enforced, any member may be there. */
export function withOpenNames(schema: Schema, work: (schema: Schema) => unknown): Schema {
  const { patternProperties, ...rest } = schema;
  const { additionalProperties: others = true } = rest;
  if (patternProperties === undefined) return schema;
  if (attempt({ patternProperties, additionalProperties: others }, work) !== null) return schema;
  if (!isSchema(patternProperties) || others === true) return { ...rest, additionalProperties: true };
  const members = [...Object.values(patternProperties), ...(others === false ? [] : [others])];
  return { ...rest, additionalProperties: { anyOf: members } };
}

/** null: the schema is refused at some place. */
function attempt<Result>(schema: unknown, work: (schema: Schema) => Result): { result: Result } | null {
  try {
    // as: what is no schema is refused by the work.
    return { result: work(schema as Schema) };
  } catch (error) {
    if (isOfOnePlace(error)) return null;
    throw error;
  }
}

/** What a keyword says, in parts that hold without each other. */
function partsOf(keyword: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) return [value];
  if (keyword === 'allOf') return value.map((part) => [part]);
  return [keyword === 'required' ? value.filter((name) => typeof name === 'string') : value];
}

/** The type first, a pattern before lengths that may not go with it, and behind the others what depends on them. */
function inOrder(schema: Schema): [string, unknown][] {
  const first = ['type', 'pattern'];
  const rank = (keyword: string) =>
    first.includes(keyword) ? first.indexOf(keyword) : keyword === 'additionalItems' ? 4 : keyword in dependsOn ? 3 : 2;
  return Object.entries(schema).toSorted(([one], [other]) => rank(one) - rank(other));
}
