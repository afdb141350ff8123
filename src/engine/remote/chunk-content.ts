import type { AnswerFields } from './dialect.ts';
import { type Fields, fieldsOf, isObject, textOf } from './json-fields.ts';

/** A piece of text of an answer. */
export type TextPart = { kind: 'content' | 'reasoning'; text: string };

/**
 * The choice that is the answer, and what is new in it: the first one, or the only one whatever its index. Those who answer in
 * other forms write the text beside the reason.
 */
export function choiceOf({ choices }: Fields): { choice: Fields; delta: Fields } {
  const all: unknown[] = Array.isArray(choices) ? choices : [];
  const choice = fieldsOf(all.find((each) => fieldsOf(each).index === 0) ?? all[0]);
  const given = isObject(choice.delta) ? choice.delta : choice.message;
  return { choice, delta: fieldsOf(isObject(given) ? given : choice) };
}

/** `text`: as legacy completions have it. */
const contentKeys = ['content', 'text', 'output_text', 'refusal'] as const;
/** Where a part of a list has its text. The first that has any counts. */
const partKeys = ['text', 'thinking', 'reasoning', 'content', 'output_text', 'refusal', 'value', 'summary'] as const;
/** Says nothing of the answer itself. */
const plainKeys: ReadonlySet<string> = new Set([
  ...['role', 'name', 'id', 'type', 'index', 'object', 'phase', 'status', 'format', 'logprobs', 'token_ids'],
  ...['finish_reason', 'native_finish_reason', 'stop_reason', 'matched_stop', 'reasoning_signature'],
]);
/** Where other interfaces have their answers. */
const answerKeys = ['message', 'response', 'output', 'output_text', 'text', 'content', 'generated_text', 'candidates'];

export type ChunkContent = { texts: TextPart[]; calls: Fields[] };

/** Texts and calls of a delta or message, reasoning first. Content and reasoning are texts or lists of parts. */
export function contentOf(delta: Fields, { reasoning }: AnswerFields): ChunkContent {
  const content: ChunkContent = { texts: [], calls: [] };
  addFirst(content, delta, reasoning, 'reasoning');
  addFirst(content, delta, contentKeys, 'content');
  return content;
}

function addFirst(content: ChunkContent, fields: Fields, keys: readonly string[], kind: TextPart['kind']): void {
  const { texts, calls } = content;
  const before = texts.length + calls.length;
  for (const key of keys) {
    add(content, fields[key], /reason|think/.test(key) ? 'reasoning' : kind);
    if (texts.length + calls.length > before) return;
  }
}

function add(content: ChunkContent, value: unknown, kind: TextPart['kind']): void {
  if (typeof value === 'string') {
    if (value !== '') content.texts.push({ kind, text: value });
  } else if (Array.isArray(value)) {
    for (const part of value) add(content, part, kind);
  } else if (isObject(value)) {
    const part = fieldsOf(value);
    const type = textOf(part.type);
    if (/^(tool|function)_?(use|call)/i.test(type)) content.calls.push(part);
    else addFirst(content, part, partKeys, /reason|think/i.test(type) ? 'reasoning' : kind);
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
