import { type Fields, isFields, parseExactJson } from '#kernel';
import type { Issue } from '../../content/issues.ts';
import { pointerTo } from '../../content/json-fields.ts';
import { columnsIn, type EmbeddingMapping, type Mapping, type TextMapping } from './mapping.ts';
import { fromShareGpt, isShareGptMessage } from './share-gpt.ts';

/** What a row means under a mapping: a raw example to be checked. */
export type MappedRow = {
  raw: Fields;
  /** Stated by the row; null: it is assigned by the seed. */
  split: 'train' | 'test' | null;
  /** Issues of the mapped columns that an example does not have. */
  issues: Issue[];
  /** Where the source has what a pointer into the example points to. */
  sourcePointer: (pointer: string) => string;
};

type Row = Readonly<Record<string, unknown>>;

export function applyMapping(mapping: Mapping, row: Row): MappedRow {
  const { raw, pointers } = mapping.kind === 'text' ? textOf(mapping.text, row) : embeddingOf(mapping.embedding, row);
  const column = mapping.kind === 'text' ? mapping.text.split : mapping.embedding.split;
  return { raw, ...splitOf(column, row), sourcePointer: (pointer) => translate(pointer, pointers) };
}

/** Prefixes of pointers into the example and what they are in the source, longest first. */
type PointerMap = readonly (readonly [example: string, source: string])[];
type Mapped = { raw: Fields; pointers: PointerMap };

function textOf(mapping: TextMapping, row: Row): Mapped {
  const { tools } = mapping;
  const more = tools === undefined ? {} : { tools: row[tools] };
  const toolPointers: PointerMap = tools === undefined ? [] : [['/tools', pointerTo('', tools)]];
  if (mapping.messages !== undefined) {
    const value = asList(row[mapping.messages]);
    const column = pointerTo('', mapping.messages);
    if (!Array.isArray(value))
      return { raw: { messages: value, ...more }, pointers: [['/messages', column], ...toolPointers] };
    return {
      raw: { messages: fromShareGpt(value), ...more },
      pointers: [...messagePointers(value, column), ...toolPointers],
    };
  }
  const { messages, pointers } = messagesOf(mapping, row);
  return { raw: { messages, ...more }, pointers: [...pointers, ...toolPointers] };
}

function messagePointers(items: readonly unknown[], column: string): PointerMap {
  const shared = items.flatMap((item, index): PointerMap => {
    if (!isShareGptMessage(item)) return [];
    const [from, to] = [pointerTo('/messages', index), pointerTo(column, index)];
    return [
      [`${from}/content`, `${to}/value`],
      [`${from}/role`, `${to}/from`],
      [`${from}/tool_calls`, `${to}/value`],
    ];
  });
  return [...shared, ['/messages', column]];
}

type MappedMessages = { messages: unknown[]; pointers: PointerMap };

function messagesOf(mapping: TextMapping & { user: unknown }, row: Row): MappedMessages {
  const mapped: { messages: unknown[]; pointers: [string, string][] } = { messages: [], pointers: [] };
  const add = (message: unknown, source: string, isWhole: boolean) => {
    const at = pointerTo('/messages', mapped.messages.length);
    mapped.messages.push(message);
    // The text of a column is the content of a message; its role is ours and cannot be wrong.
    mapped.pointers.push(isWhole ? [at, source] : [`${at}/content`, source], [at, source]);
  };
  const addColumn = (role: string, name: string, value: unknown) => {
    const list = Array.isArray(value) && value.length > 0 && value.every(isFields) ? fromShareGpt(value) : null;
    const source = pointerTo('', name);
    if (list) for (const [index, message] of list.entries()) add(message, pointerTo(source, index), true);
    else add({ role, content: value }, source, false);
  };
  if (mapping.messages !== undefined) throw new Error('This mapping names no columns of messages. This is a bug.');
  if (mapping.system !== undefined && !isEmpty(row[mapping.system]))
    addColumn('system', mapping.system, row[mapping.system]);
  const user = columnsIn(mapping.user);
  addColumn('user', user[0] ?? '', user.length === 1 ? row[user[0] ?? ''] : together(user, row));
  addColumn('assistant', mapping.assistant, row[mapping.assistant]);
  return mapped;
}

/** Texts of several columns, as far as they say something; of a column that is no text, its value. */
function together(columns: readonly string[], row: Row): unknown {
  const values = columns.map((name) => row[name]).filter((value) => !isEmpty(value));
  if (values.length === 0) return row[columns[0] ?? ''];
  return values.every((value) => typeof value === 'string')
    ? values.join('\n\n')
    : values.find((value) => typeof value !== 'string');
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function embeddingOf({ query, positives, negatives }: EmbeddingMapping, row: Row): Mapped {
  const found = passagesOf('/positives', columnsIn(positives), row);
  const avoided = passagesOf('/negatives', columnsIn(negatives), row);
  return {
    raw: { query: row[query], positives: found.passages, negatives: avoided.passages },
    pointers: [['/query', pointerTo('', query)], ...found.pointers, ...avoided.pointers],
  };
}

function passagesOf(
  target: string,
  columns: readonly string[],
  row: Row,
): { passages: unknown[]; pointers: PointerMap } {
  const passages: unknown[] = [];
  const pointers: [string, string][] = [];
  for (const name of columns) {
    const value = asList(row[name]);
    const source = pointerTo('', name);
    const items = Array.isArray(value) ? value : isEmpty(value) ? [] : [value];
    for (const [index, item] of items.entries()) {
      pointers.push([pointerTo(target, passages.length), Array.isArray(value) ? pointerTo(source, index) : source]);
      passages.push(item);
    }
  }
  const [first] = columns;
  return { passages, pointers: first === undefined ? pointers : [...pointers, [target, pointerTo('', first)]] };
}

/** A cell may hold a list as JSON text; other texts are what they are. */
function asList(value: unknown): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return value;
  try {
    const parsed = parseExactJson(value);
    return Array.isArray(parsed) ? parsed : value;
  } catch {
    return value;
  }
}

const splits: Readonly<Record<string, 'train' | 'test'>> = {
  train: 'train',
  training: 'train',
  test: 'test',
  testing: 'test',
  validation: 'test',
  valid: 'test',
  val: 'test',
  dev: 'test',
  eval: 'test',
};

export function splitOf(column: string | undefined, row: Row): Pick<MappedRow, 'split' | 'issues'> {
  const value = column === undefined ? null : row[column];
  if (column === undefined || isEmpty(value)) return { split: null, issues: [] };
  const name = typeof value === 'string' ? value.trim().toLowerCase() : '';
  const split = Object.hasOwn(splits, name) ? splits[name] : undefined;
  if (split) return { split, issues: [] };
  const message = `Expected train or test in the column ${JSON.stringify(column)}.`;
  return { split: null, issues: [{ code: 'wrong_type', pointer: pointerTo('', column), message, hint: null }] };
}

/** Of several prefixes the longest counts. */
function translate(pointer: string, pointers: PointerMap): string {
  let best: readonly [string, string] = ['', ''];
  for (const entry of pointers) {
    const [from] = entry;
    if (from.length > best[0].length && (pointer === from || pointer.startsWith(`${from}/`))) best = entry;
  }
  return best[1] === '' && best[0] === '' ? pointer : best[1] + pointer.slice(best[0].length);
}
