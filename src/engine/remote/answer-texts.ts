import { type Fields, fieldsOf, isObject, type Said, textOf } from './chunk-fields.ts';

/** Where engines write what a model thought; those that write it twice write the same. */
const reasoningKeys = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_text', 'reasoning_details'] as const;
/** `text`: as legacy completions have it. */
const contentKeys = ['content', 'text', 'output_text', 'refusal'] as const;
/** Where a part of a list has its text. The first that has any counts. */
const partKeys = ['text', 'thinking', 'reasoning', 'content', 'output_text', 'refusal', 'value', 'summary'] as const;
/** Says nothing of the answer itself. */
const plainKeys: ReadonlySet<string> = new Set([
  ...['role', 'name', 'id', 'type', 'index', 'object', 'phase', 'status', 'format'],
  ...[
    'finish_reason',
    'stop_reason',
    'native_finish_reason',
    'matched_stop',
    'logprobs',
    'token_ids',
    'reasoning_signature',
  ],
]);
/** Where other interfaces have their answers. */
const answerKeys = ['message', 'response', 'output', 'output_text', 'text', 'content', 'generated_text', 'candidates'];

export type Texts = { said: Said[]; calls: Fields[] };

/** What a delta or message says: reasoning first. Content and reasoning are texts or lists of parts. */
export function textsOf(delta: Fields): Texts {
  const texts: Texts = { said: [], calls: [] };
  addFirst(texts, delta, reasoningKeys, 'reasoning');
  addFirst(texts, delta, contentKeys, 'content');
  return texts;
}

function addFirst(texts: Texts, fields: Fields, keys: readonly string[], kind: Said['kind']): void {
  const before = texts.said.length + texts.calls.length;
  for (const key of keys) {
    add(texts, fields[key], /reason|think/.test(key) ? 'reasoning' : kind);
    if (texts.said.length + texts.calls.length > before) return;
  }
}

function add(texts: Texts, value: unknown, kind: Said['kind']): void {
  if (typeof value === 'string') {
    if (value !== '') texts.said.push({ kind, text: value });
  } else if (Array.isArray(value)) {
    for (const part of value) add(texts, part, kind);
  } else if (isObject(value)) {
    const part = fieldsOf(value);
    const type = textOf(part.type);
    if (/^(tool|function)_?(use|call)/i.test(type)) texts.calls.push(part);
    else addFirst(texts, part, partKeys, /reason|think/i.test(type) ? 'reasoning' : kind);
  }
}

/**
 * Of a chunk that says nothing, what looks as if it said something after all: its form as JSON, without its texts, which are the
 * caller's own; null where there is nothing.
 */
export function unreadIn(chunk: Fields, delta: Fields): string | null {
  const others = Object.entries(delta).filter(([key]) => !plainKeys.has(key));
  const answers = answerKeys.map((key) => [key, chunk[key]] as const);
  const unread = [...others, ...answers].find(([, value]) => hasText(value));
  return unread === undefined ? null : JSON.stringify(Object.fromEntries([unread]), formOnly).slice(0, 300);
}

function formOnly(key: string, value: unknown): unknown {
  return typeof value === 'string' && key !== 'type' ? '…' : value;
}

function hasText(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return isObject(value) && Object.entries(value).some(([key, each]) => !plainKeys.has(key) && hasText(each));
}
