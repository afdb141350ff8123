import { isFields } from '#kernel';
import { alpacaNames, columnKey, conversationNames, searchNames, splitNames, turnNames } from './column-names.ts';
import { turnsByWords } from './column-words.ts';
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
  const split = table.name(splitNames);
  return split && !Object.values(found.mapping ?? {}).includes(split)
    ? { ...found, mapping: { ...found.mapping, split } }
    : found;
}

type Table = {
  columns: readonly string[];
  /** The column that has one of these names, however it is written; the first name wins. */
  name: (names: readonly string[]) => string | undefined;
  values: (column: string) => unknown[];
};

function tableOf(rows: readonly Row[]): Table {
  const columns = new Map<string, string>();
  for (const row of rows)
    for (const column of Object.keys(row)) if (!columns.has(columnKey(column))) columns.set(columnKey(column), column);
  return {
    columns: [...columns.values()],
    name: (names) => names.map((name) => columns.get(columnKey(name))).find((column) => column !== undefined),
    values: (column) => rows.map((row) => row[column]).filter((value) => value !== undefined && value !== null),
  };
}

function detectText(table: Table): DetectedShape | null {
  const tools = table.name(conversationNames.tools);
  const withTools = tools === undefined ? {} : { tools };
  const messages = table.name(conversationNames.messages);
  if (messages !== undefined) {
    const lists = table.values(messages).map(asList).filter(Array.isArray);
    const isShared = lists.some((list) => list.some(isShareGptMessage));
    if (lists.length > 0) return { shape: isShared ? 'sharegpt' : 'chat', mapping: { messages, ...withTools } };
  }
  const system = table.name(conversationNames.system);
  const more = { ...(system === undefined ? {} : { system }), ...withTools };
  return detectAlpaca(table, more) ?? detectTurns(table, more);
}

function detectAlpaca(table: Table, more: WireMapping): DetectedShape | null {
  const [instruction, output] = [table.name(alpacaNames.instruction), table.name(alpacaNames.output)];
  if (instruction === undefined || output === undefined) return null;
  const input = table.name(alpacaNames.input);
  const user = input === undefined ? instruction : [instruction, input];
  return { shape: 'alpaca', mapping: { ...more, user, assistant: output } };
}

/** Names that belong together come first; then any that asks with any that answers. */
function detectTurns(table: Table, more: WireMapping): DetectedShape | null {
  const anyAnswer = turnNames.flatMap(({ answers }) => answers);
  const mixed = turnNames.map((names) => ({ ...names, answers: anyAnswer }));
  for (const { shape, asks, answers } of [...turnNames, ...mixed]) {
    const [user, assistant] = [table.name(asks), table.name(answers)];
    if (user !== undefined && assistant !== undefined) return { shape, mapping: { ...more, user, assistant } };
  }
  const turns = turnsByWords(table.columns);
  return turns && { shape: 'question_answer', mapping: { ...more, ...turns } };
}

function detectEmbedding(table: Table): DetectedShape | null {
  const [query, positive, negative] = [
    table.name(searchNames.query),
    table.name(searchNames.positive),
    table.name(searchNames.negative),
  ];
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
