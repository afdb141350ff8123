import { isAscii, isUtf8 } from 'node:buffer';
import { splitOf } from '../../mapping/apply-mapping.ts';
import { columnsIn, type Mapping, type TextMapping } from '../../mapping/mapping.ts';
import type { ColumnNotes } from '../column-notes.ts';
import { PlainJson } from './plain-json.ts';

/** A text of a row: what it says, and where the row has it, written as canonical JSON writes it. */
type PlainText = { text: string; at: number; end: number };

export type PlainMessage = { role: 'system' | 'user' | 'assistant'; content: PlainText };

/** A row that makes a conversation of plain texts, and has no issue. */
export type PlainRow = {
  line: number;
  byteOffset: number;
  /** The messages are not among them. */
  fields: Readonly<Record<string, unknown>>;
  split: 'train' | 'test' | null;
  messages: readonly PlainMessage[];
};

/** Which columns have shown enough of their values. */
type Shown = Pick<ColumnNotes, 'hasSamplesOf'>;

type Line = { at: number; end: number };
type Place = { line: number; byteOffset: number };

/** Null: the row is not of this kind, and everything is to be found out about it. */
export type ReadPlain = (line: Line, place: Place) => PlainRow | null;

/** Longer rows may be larger than an example may be. */
const mostRowBytes = 1 << 19;
const mostColumns = 50;
const mostMessages = 100;

const [comma, colon, open, close, openList, closeList] = [0x2c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d];
const roleName = Buffer.from('role');
const contentName = Buffer.from('content');
const roles = (['user', 'assistant', 'system'] as const).map((role) => [role, Buffer.from(role)] as const);

/** Stands for messages among the columns of a row. */
const notShown: readonly unknown[] = [];

/**
 * Reads the usual rows without building values: most rows are conversations of plain texts in which nothing has to be
 * corrected and whose JSON writes texts as canonical JSON does. Its result must equal that of reading, mapping,
 * checking and writing the row (`evaluate.ts`), or be null. Returns null where a mapping makes this impossible for
 * all rows.
 */
export function createPlainRows(mapping: Mapping | null): ((text: Buffer, columns: Shown) => ReadPlain | null) | null {
  if (mapping?.kind !== 'text') return null;
  const { text } = mapping;
  if (text.messages === undefined && columnsIn(text.user).length !== 1) return null;
  return (bytes, columns) => {
    const encoding = isAscii(bytes) ? 'latin1' : isUtf8(bytes) ? 'utf8' : null;
    return encoding && new PlainRows(text, new PlainJson(bytes, encoding), columns).read;
  };
}

class PlainRows {
  readonly #mapping: TextMapping;
  readonly #json: PlainJson;
  readonly #columns: Shown;
  readonly #messagesName: string | null;
  readonly #messagesKey: Buffer;
  /** Columns whose texts are messages. */
  readonly #turns: ReadonlySet<string>;

  constructor(mapping: TextMapping, json: PlainJson, columns: Shown) {
    this.#mapping = mapping;
    this.#json = json;
    this.#columns = columns;
    this.#messagesName = mapping.messages ?? null;
    this.#messagesKey = Buffer.from(mapping.messages ?? '');
    this.#turns = new Set(
      mapping.messages === undefined ? [mapping.system ?? '', ...columnsIn(mapping.user), mapping.assistant] : [],
    );
  }

  readonly read: ReadPlain = ({ at, end }, place) => {
    if (end - at > mostRowBytes) return null;
    this.#json.goTo(at);
    const columns = this.#readColumns();
    if (!columns || !this.#json.isAt(end)) return null;
    const { fields } = columns;
    const messages = this.#messagesName === null ? this.#turnsOf(columns) : columns.messages;
    if (messages?.at(-1)?.role !== 'assistant' || messages.every(({ role }) => role === 'assistant')) return null;
    const { tools, split: splitColumn } = this.#mapping;
    if (tools !== undefined && (fields[tools] ?? null) !== null) return null;
    const { split, issues } = splitOf(splitColumn, fields);
    return issues.length > 0 ? null : { ...place, fields, split, messages };
  };

  #readColumns(): Columns | null {
    const json = this.#json;
    const columns: Columns = { fields: {}, texts: new Map(), messages: null };
    if (!json.take(open)) return null;
    for (let count = 1; ; count++) {
      if (count > mostColumns || !json.readText()) return null;
      const isRead =
        this.#messagesName !== null && json.isText(this.#messagesKey)
          ? this.#readMessagesInto(columns, this.#messagesName)
          : this.#readColumnInto(columns, json.text());
      if (!isRead) return null;
      if (!json.take(comma)) return json.take(close) ? columns : null;
    }
  }

  #readColumnInto({ fields, texts }: Columns, name: string): boolean {
    const json = this.#json;
    // Of columns with the same name the last one counts, and this one is not a column at all.
    if (Object.hasOwn(fields, name) || name === '__proto__' || !json.take(colon)) return false;
    const value = json.readValue();
    if (value === undefined) return false;
    fields[name] = value;
    if (typeof value === 'string' && this.#turns.has(name))
      texts.set(name, { text: value, at: json.textAt, end: json.textEnd });
    return true;
  }

  #readMessagesInto(columns: Columns, name: string): boolean {
    // Whoever notes the column wants to see some of its values.
    if (columns.messages || !this.#columns.hasSamplesOf(name)) return false;
    columns.messages = this.#json.take(colon) ? this.#readMessages() : null;
    columns.fields[name] = notShown;
    return columns.messages !== null;
  }

  #readMessages(): PlainMessage[] | null {
    const json = this.#json;
    const messages: PlainMessage[] = [];
    if (!json.take(openList)) return null;
    do {
      const message = this.#readMessage();
      if (!message || messages.push(message) > mostMessages) return null;
    } while (json.take(comma));
    return json.take(closeList) ? messages : null;
  }

  /** With a role and a text, and nothing else. */
  #readMessage(): PlainMessage | null {
    const json = this.#json;
    let role: PlainMessage['role'] | null = null;
    let content: PlainText | null = null;
    if (!json.take(open)) return null;
    do {
      if (!json.readText()) return null;
      if (role === null && json.isText(roleName)) {
        if (!json.take(colon) || !json.readText()) return null;
        role = roles.find(([, name]) => json.isText(name))?.[0] ?? null;
      } else if (content === null && json.isText(contentName)) {
        if (!json.take(colon) || !json.readText()) return null;
        content = { text: json.text(), at: json.textAt, end: json.textEnd };
      } else return null;
    } while (json.take(comma));
    return json.take(close) && role !== null && content !== null && saysSomething(content) ? { role, content } : null;
  }

  #turnsOf({ fields, texts }: Columns): PlainMessage[] | null {
    if (this.#mapping.messages !== undefined) return null;
    const { system, user, assistant } = this.#mapping;
    const turns = [
      { role: 'system', content: system === undefined ? undefined : texts.get(system) },
      { role: 'user', content: texts.get(columnsIn(user)[0] ?? '') },
      { role: 'assistant', content: texts.get(assistant) },
    ] as const;
    const messages = turns.flatMap(({ role, content }) => (content ? [{ role, content }] : []));
    const wanted = system === undefined || (fields[system] ?? null) === null ? 2 : 3;
    return messages.length === wanted && messages.every(({ content }) => saysSomething(content)) ? messages : null;
  }
}

type Columns = { fields: Record<string, unknown>; texts: Map<string, PlainText>; messages: PlainMessage[] | null };

const saysSomething = ({ text }: PlainText) => text.trim() !== '';
