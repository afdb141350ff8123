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

/** What a chunk says that says one piece of text and nothing else, and in which field; null for all others. */
export function saidIn(chunk: unknown): (Said & { key: string }) | null {
  const fields = fieldsOf(chunk);
  const { choice, delta } = choiceOf(fields);
  if ('error' in fields || isObject(fields.usage) || typeof choice.finish_reason === 'string') return null;
  // Another answer, which may come in turn with the first one, is not said.
  if (choice.index !== undefined && choice.index !== 0) return null;
  if (!Array.isArray(fields.choices) || fields.choices.length !== 1 || delta === choice) return null;
  const [said, another] = Object.entries(delta).filter(
    ([key, value]) => key !== 'role' && value !== '' && value !== null,
  );
  if (said === undefined || another !== undefined) return null;
  const [key, text] = said;
  if (typeof text !== 'string') return null;
  if (key === 'content') return { kind: 'content', text, key };
  return key === 'reasoning_content' || key === 'reasoning' ? { kind: 'reasoning', text, key } : null;
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
