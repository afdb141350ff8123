export type Fields = Record<string, unknown>;

/** One piece of text. */
export type Said = { kind: 'content' | 'reasoning'; text: string };

/**
 * The choice that is the answer, and what is new in it: the first one, or the only one whatever its place. Those who answer in
 * other forms write the text beside the reason.
 */
export function choiceOf({ choices }: Fields): { choice: Fields; delta: Fields } {
  const all: unknown[] = Array.isArray(choices) ? choices : [];
  const choice = fieldsOf(all.find((each) => fieldsOf(each).index === 0) ?? all[0]);
  const given = isObject(choice.delta) ? choice.delta : choice.message;
  return { choice, delta: fieldsOf(isObject(given) ? given : choice) };
}

/** What is no object has no fields. */
export function fieldsOf(value: unknown): Fields {
  // as: any object can be read by names.
  return isObject(value) ? (value as Fields) : {};
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What the books keep of a count, and far more than any context has. */
const mostCounted = 2 ** 31 - 1;

/** Null for what is no count, or none that can be. */
export function countOf(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= mostCounted;
  return isCount ? value : null;
}
