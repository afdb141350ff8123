import { isExactNumber, objectInOrder, parseExactJson } from '#kernel';
import type { ToolDefinition } from '../port.ts';
import { areJson, areTexts, rootOf, typesOf } from './schema-references.ts';
import type { ToolSyntax } from './template.ts';

/** What a model writes in front of a call. */
export const callOpen = '<tool_call>';
const callClose = '</tool_call>';

export type ParsedCall = { name: string; arguments: string };

/**
 * Reads what a model wrote between `<tool_call>` and `</tool_call>`. null where it is not a call of a known tool with
 * an object of arguments; the text is then ordinary content.
 */
export function parseToolCall(text: string, tools: readonly ToolDefinition[], syntax: ToolSyntax): ParsedCall | null {
  const call = syntax === 'xml' && /^\s*<function=/.test(text) ? parseXmlCall(text, tools) : parseJsonCall(text);
  return call !== null && tools.some((tool) => tool.name === call.name) ? call : null;
}

function parseJsonCall(text: string): ParsedCall | null {
  const call = asObject(parseJson(text));
  const name = call?.['name'];
  if (call === null || typeof name !== 'string') return null;
  const given = call['arguments'] ?? call['parameters'] ?? {};
  const value = asObject(typeof given === 'string' ? parseJson(given) : given);
  const json = value === null ? null : toJson(value);
  return json === null ? null : { name, arguments: json };
}

/** Values are text; those of parameters that are not strings by the tool's schema are read as JSON. */
function parseXmlCall(text: string, tools: readonly ToolDefinition[]): ParsedCall | null {
  const trimmed = text.trim();
  const body = trimmed.endsWith('</function>') ? trimmed.slice(0, -'</function>'.length) : trimmed;
  const head = /^<function=([^>\n]*)>/.exec(body);
  if (head === null) return null;
  const name = (head[1] ?? '').trim();
  const called = tools.find((tool) => tool.name === name);
  const root = called === undefined ? null : rootOf(called);
  const properties = asObject(root?.['properties']) ?? {};
  const values: [string, unknown][] = [];
  const typesByName = new Map<string, unknown[]>();
  const end = body.trimEnd().length;
  const open = /\s*<parameter=([^>\n]*)>/y;
  open.lastIndex = head[0].length;
  let linesMayClose = true;
  while (open.lastIndex < end) {
    const key = open.exec(body)?.[1]?.trim();
    if (key === undefined) return null;
    const from = open.lastIndex;
    const types = typesByName.get(key) ?? typesOf(properties[key], root);
    typesByName.set(key, types);
    let close = -1;
    // In a JSON string the tag may stand, too, but no line break in front of it.
    if (linesMayClose && areJson(types)) {
      close = body.indexOf('\n</parameter>', from);
      // Else a long text would be searched again for each of its parameters.
      linesMayClose = close >= 0 && parseJson(body.slice(from, close)) !== undefined;
    }
    if (!linesMayClose || close < 0) close = body.indexOf('</parameter>', from);
    if (close < 0) return null;
    const value = body.slice(from, close).replace(/^\n/, '').replace(/\n$/, '');
    values.push([key, typedValue(value, types)]);
    open.lastIndex = body.indexOf('>', close) + 1;
  }
  const json = toJson(objectInOrder(values));
  return json === null ? null : { name, arguments: json };
}

function typedValue(text: string, types: readonly unknown[]): unknown {
  const value = areTexts(types) ? undefined : parseJson(text);
  if (value === undefined) return text;
  const type =
    value === null ? 'null' : Array.isArray(value) ? 'array' : isExactNumber(value) ? 'number' : typeof value;
  return types.includes(type) || (type === 'number' && types.includes('integer')) ? value : text;
}

/** undefined where the text is not JSON. Numbers keep their digits, and keys their order. */
function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** null where the value nests too deeply to be written. */
function toJson(value: object): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

function asObject(value: unknown): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactNumber(value)) return null;
  // A JSON object: checked on the line above.
  return value as Record<string, unknown>;
}

/** Text behind `<tool_call>`. A closing tag inside a JSON string does not count; as XML, one on a line that begins with no tag. */
export class CallText {
  readonly #pieces: string[] = [];
  #matched = 0;
  #syntax: 'open' | 'json' | 'xml' | 'other' = 'open';
  #line: 'blank' | 'tags' | 'value' = 'blank';
  #inString = false;
  #escaped = false;

  text(): string {
    return this.#pieces.join('');
  }

  /** Without the closing tag, which is complete. */
  inside(): string {
    return this.text().slice(0, -callClose.length);
  }

  push(unit: string): boolean {
    this.#pieces.push(unit);
    if (this.#syntax === 'open' && !/\s/.test(unit))
      this.#syntax = unit === '{' ? 'json' : unit === '<' ? 'xml' : 'other';
    if (this.#syntax === 'xml') this.#followLines(unit);
    if (this.#syntax === 'json' || (this.#syntax === 'xml' && this.#line !== 'tags')) this.#followStrings(unit);
    if (this.#inString) this.#matched = 0;
    else if (unit === callClose[this.#matched]) this.#matched += 1;
    else this.#matched = unit === '<' ? 1 : 0;
    return this.#matched === callClose.length;
  }

  #followLines(unit: string): void {
    if (unit === '\n') this.#line = 'blank';
    else if (this.#line === 'blank' && !/\s/.test(unit)) this.#line = unit === '<' ? 'tags' : 'value';
  }

  /** A line break cannot stand in a JSON string: after one, an unbalanced quote no longer hides the closing tag. */
  #followStrings(unit: string): void {
    if (unit === '\n') this.#inString = this.#escaped = false;
    else if (this.#escaped) this.#escaped = false;
    else if (unit === '"') this.#inString = !this.#inString;
    else if (unit === '\\' && this.#inString) this.#escaped = true;
  }
}
