import { isSchema, type Schema } from './schema-merge.ts';
import { isRefusal } from './schema-places.ts';

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
  const attempt = (given: unknown): { result: Result } | null => {
    try {
      // as: what is no schema is refused by the work.
      return { result: work(given as Schema) };
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  };
  const whole = attempt(schema);
  if (whole !== null) return whole.result;
  if (!isSchema(schema)) return null;
  let held: Schema = {};
  let found: { result: Result } | null = null;
  for (const [keyword, value] of inOrder(schema)) {
    const isAlone = dependsOn[keyword]?.some((other) => other in schema && held[other] !== schema[other]) === true;
    if (isAlone) continue;
    const parts = keyword === 'allOf' && Array.isArray(value) ? value.map((part) => [part]) : [value];
    for (const part of parts) {
      const before = held[keyword];
      const more = { ...held, [keyword]: Array.isArray(before) && Array.isArray(part) ? [...before, ...part] : part };
      const next = attempt(more);
      if (next === null) continue;
      held = more;
      found = next;
    }
  }
  return found?.result ?? null;
}

/** The type first, and behind the others what depends on them. */
function inOrder(schema: Schema): [string, unknown][] {
  const rank = (keyword: string) =>
    keyword === 'type' ? 0 : keyword === 'additionalItems' ? 3 : keyword in dependsOn ? 2 : 1;
  return Object.entries(schema).toSorted(([one], [other]) => rank(one) - rank(other));
}
