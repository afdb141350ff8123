import { parseExactJson } from '../../api/exact-json.ts';
import type { EmbeddingContent, Example, NewExample, Split, TextContent } from './example.ts';

export type Role = TextContent['messages'][number]['role'];
export const roles: readonly Role[] = ['system', 'user', 'assistant', 'tool'];

/** A message in the editor; JSON fields hold text. Keys identify fields while rows are added and removed. */
export type MessageDraft = {
  key: number;
  role: Role;
  content: string;
  /** Null: not shown. */
  reasoning: string | null;
  toolCalls: string | null;
  toolCallId: string | null;
  /** The weight of an answer is 0: it is context only. */
  isSeenOnly?: boolean;
};

export type PassageDraft = { key: number; text: string; documentId: string | null };

export type ExampleDraft = { split: Split } & (
  | { kind: 'text'; messages: MessageDraft[]; tools: string | null }
  | { kind: 'embedding'; query: string; positives: PassageDraft[]; negatives: PassageDraft[] }
);

export type ExampleEditorProps<Draft = ExampleDraft> = { draft: Draft; onChange: (draft: Draft) => void };

export type TextDraft = Extract<ExampleDraft, { kind: 'text' }>;
export type EmbeddingDraft = Extract<ExampleDraft, { kind: 'embedding' }>;

const nextKey = (): number => Math.random();

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

export function emptyDraft(kind: Example['kind']): ExampleDraft {
  if (kind === 'embedding') return { kind, split: 'train', query: '', positives: [emptyPassage()], negatives: [] };
  return { kind, split: 'train', messages: [emptyMessage('user'), emptyMessage('assistant')], tools: null };
}

export function emptyMessage(role: Role): MessageDraft {
  return {
    key: nextKey(),
    role,
    content: '',
    reasoning: null,
    toolCalls: null,
    toolCallId: role === 'tool' ? '' : null,
  };
}

export const emptyPassage = (): PassageDraft => ({ key: nextKey(), text: '', documentId: null });

export function draftOf({ text, embedding, split }: Pick<Example, 'text' | 'embedding' | 'split'>): ExampleDraft {
  if (embedding) return { kind: 'embedding', split, ...pairDraft(embedding) };
  const { messages = [], tools = null } = text ?? {};
  return {
    kind: 'text',
    split,
    tools: tools && pretty(tools),
    messages: messages.map(({ role, content, reasoning_content, tool_calls, tool_call_id, weight }) => ({
      key: nextKey(),
      role,
      content: content ?? '',
      reasoning: reasoning_content ?? null,
      toolCalls: tool_calls ? pretty(tool_calls) : null,
      toolCallId: tool_call_id ?? null,
      isSeenOnly: weight === 0,
    })),
  };
}

function pairDraft({ query, positives, negatives }: EmbeddingContent) {
  const passage = ({ text, document_id: documentId }: { text: string; document_id: string | null }) => ({
    key: nextKey(),
    text,
    documentId,
  });
  return { query, positives: positives.map(passage), negatives: negatives.map(passage) };
}

export function listIn(text: string): Record<string, unknown>[] | null {
  try {
    const value = parseExactJson(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

export function isReadable(draft: ExampleDraft): boolean {
  if (draft.kind === 'embedding') return true;
  const texts = [draft.tools, ...draft.messages.map(({ toolCalls }) => toolCalls)];
  return texts.every((text) => text === null || text.trim() === '' || listIn(text) !== null);
}

export function contentOf(draft: ExampleDraft): NewExample & { split: Split } {
  const { split } = draft;
  if (draft.kind === 'text')
    return {
      text: { messages: draft.messages.map(messageOf), tools: draft.tools?.trim() ? listIn(draft.tools) : null },
      split,
    };
  const passages = (drafts: readonly PassageDraft[]) =>
    drafts.flatMap(({ text, documentId }) => (text.trim() === '' ? [] : [{ text, document_id: documentId }]));
  return {
    embedding: { query: draft.query, positives: passages(draft.positives), negatives: passages(draft.negatives) },
    split,
  };
}

function messageOf(draft: MessageDraft): TextContent['messages'][number] {
  const { role, content, reasoning, toolCalls, toolCallId, isSeenOnly } = draft;
  const calls = toolCalls?.trim() ? listIn(toolCalls) : null;
  return {
    role,
    // Messages with tool calls need no content.
    content: content === '' && calls ? null : content,
    ...(reasoning?.trim() ? { reasoning_content: reasoning } : {}),
    ...(calls ? { tool_calls: calls } : {}),
    ...(toolCallId?.trim() ? { tool_call_id: toolCallId } : {}),
    ...(role === 'assistant' && isSeenOnly ? { weight: 0 } : {}),
  };
}
