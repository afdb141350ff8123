export type Fields = Record<string, unknown>;

/** One piece of text. */
export type Said = { kind: 'content' | 'reasoning'; text: string };

/** The first choice of a chunk, and what is new in it. */
export function choiceOf({ choices }: Fields): { choice: Fields; delta: Fields } {
  const choice = fieldsOf(Array.isArray(choices) ? choices[0] : null);
  return { choice, delta: fieldsOf(choice.delta ?? choice.message) };
}

/** Engines have two names for it. */
export function reasoningIn(delta: Fields): string {
  return textOf(delta.reasoning_content) || textOf(delta.reasoning);
}

/** What a chunk says that says one piece of text and nothing else, and in which field; null for all others. */
export function saidIn(chunk: unknown): (Said & { key: string }) | null {
  const fields = fieldsOf(chunk);
  const { choice, delta } = choiceOf(fields);
  if ('error' in fields || isObject(fields.usage)) return null;
  if (typeof choice.finish_reason === 'string' || Array.isArray(delta.tool_calls)) return null;
  const [content, reasoning] = [textOf(delta.content), reasoningIn(delta)];
  if ((content === '') === (reasoning === '')) return null;
  if (content !== '') return { kind: 'content', text: content, key: 'content' };
  const key = textOf(delta.reasoning_content) === '' ? 'reasoning' : 'reasoning_content';
  return { kind: 'reasoning', text: reasoning, key };
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
