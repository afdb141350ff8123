import { createHash } from 'node:crypto';
import { checkEmbeddingContent } from './embedding-content.ts';
import { type Issue, IssueList, isFatal } from './issues.ts';
import { checkTextContent } from './text-content.ts';

export type ExampleToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

export type ExampleMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; reasoning_content?: string; tool_calls?: ExampleToolCall[] }
  | { role: 'tool'; content: string; tool_call_id: string };

export type ExampleTool = {
  type: 'function';
  function: { name: string; description?: string; parameters?: Record<string, unknown> };
};

/** A conversation that ends with what the model is to learn, and the tools it may call in it. */
export type TextContent = { messages: ExampleMessage[]; tools: ExampleTool[] | null };

export type Passage = { text: string; document_id: string | null };

/** A query, what it should find and what it should not. */
export type EmbeddingContent = { query: string; positives: Passage[]; negatives: Passage[] };

/** Stored, exported and shown in this form: the one of the interface. */
export type ExampleContent = TextContent | EmbeddingContent;

export type ExampleKind = 'text' | 'embedding';

export type Checked = { content: ExampleContent | null; issues: Issue[] };

/** Longest example as canonical JSON, bytes: far above what any context takes, far below what hurts. */
const maxBytes = 1_000_000;

/**
 * Reads an example of whatever origin. Fields that it does not know are dropped, and what has only one meaning is put
 * right (a tool without `type`, text parts, a passage that is a plain string). `content` is null when an issue is fatal.
 */
export function checkExample(raw: unknown, kind: ExampleKind): Checked {
  const list = new IssueList();
  const content = kind === 'text' ? checkTextContent(raw, list) : checkEmbeddingContent(raw, list);
  if (content && Buffer.byteLength(canonicalJson(content)) > maxBytes)
    list.add('too_large', '', `The example is larger than ${maxBytes} bytes.`);
  return { content: list.issues.some(isFatal) ? null : content, issues: list.issues };
}

/** JSON with sorted keys and no spaces: equal content gives equal bytes. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(',')}}`;
}

/** SHA-256 of the canonical form; two examples with the same hash are duplicates. */
export function contentHash(content: ExampleContent): Buffer {
  return createHash('sha256').update(canonicalJson(content)).digest();
}

/** All text of an example, for full-text search. */
export function searchText(content: ExampleContent): string {
  if ('query' in content) {
    const passages = [...content.positives, ...content.negatives].map(({ text }) => text);
    return [content.query, ...passages].join('\n');
  }
  return content.messages.map(({ content: text }) => text ?? '').join('\n');
}
