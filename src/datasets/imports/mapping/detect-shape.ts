import { isFields } from '#kernel';
import type { WireMapping } from './mapping.ts';
import { isShareGptMessage } from './share-gpt.ts';

export type Shape =
  | 'chat'
  | 'prompt_completion'
  | 'question_answer'
  | 'alpaca'
  | 'sharegpt'
  | 'pair'
  | 'triplet'
  | 'unknown';

export const shapes: readonly Shape[] = [
  'chat',
  'prompt_completion',
  'question_answer',
  'alpaca',
  'sharegpt',
  'pair',
  'triplet',
  'unknown',
];

type Row = Readonly<Record<string, unknown>>;
export type DetectedShape = { shape: Shape; mapping: WireMapping | null };

const unknown: DetectedShape = { shape: 'unknown', mapping: null };

export function detectShape(kind: 'text' | 'embedding', rows: readonly Row[]): DetectedShape {
  const table = tableOf(rows);
  const found = kind === 'text' ? detectText(table) : detectEmbedding(table);
  if (!found) return unknown;
  const split = table.name('split', 'subset');
  return split && !Object.values(found.mapping ?? {}).includes(split)
    ? { ...found, mapping: { ...found.mapping, split } }
    : found;
}

type Table = {
  /** The column that has one of these names, whatever their case; the first name wins. */
  name: (...names: string[]) => string | undefined;
  values: (column: string) => unknown[];
};

function tableOf(rows: readonly Row[]): Table {
  const columns = new Map<string, string>();
  for (const row of rows)
    for (const column of Object.keys(row))
      if (!columns.has(column.toLowerCase())) columns.set(column.toLowerCase(), column);
  return {
    name: (...names) => names.map((name) => columns.get(name)).find((column) => column !== undefined),
    values: (column) => rows.map((row) => row[column]).filter((value) => value !== undefined && value !== null),
  };
}

function detectText(table: Table): DetectedShape | null {
  const tools = table.name('tools', 'functions');
  const withTools = tools === undefined ? {} : { tools };
  const messages = table.name('messages', 'conversations', 'conversation', 'dialog', 'dialogue');
  if (messages !== undefined) {
    const lists = table.values(messages).map(asList).filter(Array.isArray);
    const isShared = lists.some((list) => list.some(isShareGptMessage));
    if (lists.length > 0) return { shape: isShared ? 'sharegpt' : 'chat', mapping: { messages, ...withTools } };
  }
  const system = table.name('system', 'system_prompt');
  const more = { ...(system === undefined ? {} : { system }), ...withTools };
  return detectAlpaca(table, more) ?? detectTurns(table, more);
}

function detectAlpaca(table: Table, more: WireMapping): DetectedShape | null {
  const [instruction, output] = [table.name('instruction'), table.name('output', 'response')];
  if (instruction === undefined || output === undefined) return null;
  const input = table.name('input', 'context');
  const user = input === undefined ? instruction : [instruction, input];
  return { shape: 'alpaca', mapping: { ...more, user, assistant: output } };
}

function detectTurns(table: Table, more: WireMapping): DetectedShape | null {
  const pairs = [
    ['prompt_completion', ['prompt', 'input', 'user'], ['completion', 'response', 'output', 'assistant', 'chosen']],
    ['question_answer', ['question', 'query', 'q'], ['answer', 'a', 'response']],
  ] as const;
  for (const [shape, asks, answers] of pairs) {
    const [user, assistant] = [table.name(...asks), table.name(...answers)];
    if (user !== undefined && assistant !== undefined) return { shape, mapping: { ...more, user, assistant } };
  }
  return null;
}

const queries = ['query', 'anchor', 'question', 'sentence1', 'sentence_a', 'text1'];
const positives = ['positive', 'positives', 'pos', 'document', 'passage', 'answer', 'sentence2', 'sentence_b', 'text2'];
const negatives = ['negative', 'negatives', 'neg', 'hard_negative', 'hard_negatives'];

function detectEmbedding(table: Table): DetectedShape | null {
  const [query, positive, negative] = [table.name(...queries), table.name(...positives), table.name(...negatives)];
  if (query === undefined || positive === undefined) return null;
  const isList = (column: string) => table.values(column).some((value) => Array.isArray(asList(value)));
  const found = { query, [isList(positive) ? 'positives' : 'positive']: positive };
  if (negative === undefined) return { shape: 'pair', mapping: found };
  return { shape: 'triplet', mapping: { ...found, [isList(negative) ? 'negatives' : 'negative']: negative } };
}

function asList(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) && parsed.some((item) => isFields(item) || typeof item === 'string') ? parsed : value;
  } catch {
    return value;
  }
}
