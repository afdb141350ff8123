import { isUtf8 } from 'node:buffer';
import { type Fault, fault, isFields, isStorable, needsExactReader, parseExactJson } from '#kernel';

/** Bounds of a JSON body. `JSON.parse` alone accepts any depth and a key for every other byte. */
export type JsonBounds = {
  maxKeys: number;
  /** Objects, lists and separators together: what decides how long parsing and walking the value takes. */
  maxItems: number;
  /**
   * `pass`: texts that cannot be stored pass here, because the reader of the body checks each item for itself, so
   * that one bad item does not refuse the others. `replace`: of such texts what can be stored is read. Agents send what their tools
   * read, whatever that is, again with every call.
   */
  badText: 'refuse' | 'pass' | 'replace';
  /** Fields of the body (`tools`, `params.tools`) whose numbers keep their digits, and whose objects the order of their keys. */
  exact: readonly string[];
};

const maxDepth = 64;
export const defaultBounds: JsonBounds = { maxKeys: 10_000, maxItems: 50_000, badText: 'refuse', exact: [] };

/**
 * Reads a JSON body (RFC 8259) within the bounds above. Strings with NUL or half of a surrogate pair are refused, because PostgreSQL
 * cannot store them as they are; keys `__proto__` are dropped. Throws `invalid_request`.
 */
export function parseJsonBody(bytes: Buffer, bounds: JsonBounds = defaultBounds): unknown {
  if (!isUtf8(bytes)) throw refusal('The body is not valid UTF-8.');
  const sent = withoutMark(bytes.toString('utf8'));
  checkSize(sent, bounds);
  // What UTF-8 and JSON do not allow as it is, only an escape can stand for.
  const hasEscapes = sent.includes('\\u');
  const text = hasEscapes && bounds.badText === 'replace' ? withoutBadText(sent) : sent;
  const value = parse(text);
  keepExact(value, text, bounds.exact);
  if (hasEscapes && bounds.badText === 'refuse') refuseBadText(value);
  if (hasEscapes || text.includes('__proto__')) dropProto(value);
  return value;
}

/** Tools of Windows put a mark of the byte order in front of a file; a reader may pass over it (RFC 8259 8.1). */
const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

/** Escapes one by one, so that a backslash that was escaped begins none; pairs of surrogates first. */
const escapes = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u([\da-fA-F]{4})|\\[^u]/g;

/** JSON text without escapes of NUL, and with the replacement character for half of a surrogate pair. */
function withoutBadText(text: string): string {
  return text.replace(escapes, (sequence, code: string | undefined) => {
    if (code === '0000') return '';
    return code !== undefined && /^d[89a-f]/i.test(code) ? '\\ufffd' : sequence;
  });
}

function refusal(message: string): Fault {
  return fault('invalid_request', { message });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fault('invalid_request', { message: 'The body is not valid JSON.', cause });
  }
}

function keepExact(value: unknown, text: string, fields: readonly string[]): void {
  const paths = fields.map((field) => field.split('.')).filter((path) => isFieldsOrList(fieldAt(value, path)));
  if (paths.length === 0 || !needsExactReader(text)) return;
  const exact = parseExactJson(text);
  for (const path of paths) {
    const [name = '', ...outer] = path.toReversed();
    const holder = fieldAt(value, outer.toReversed());
    if (isFields(holder)) holder[name] = fieldAt(exact, path);
  }
}

function fieldAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((holder, name) => (isFields(holder) ? holder[name] : undefined), value);
}

const isFieldsOrList = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Follows the structure only; text that is not JSON passes here and fails in the parser. */
function checkSize(text: string, { maxKeys, maxItems }: JsonBounds): void {
  let depth = 0;
  let keys = 0;
  let items = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at + 1);
        break;
      case '{':
      case '[':
        items++;
        if (++depth > maxDepth) throw refusal(`The body is nested deeper than ${maxDepth} levels.`);
        break;
      case '}':
      case ']':
        depth--;
        break;
      case ':':
        if (++keys > maxKeys) throw refusal(`The body has more than ${maxKeys} fields.`);
        break;
      case ',':
        items++;
    }
    if (items > maxItems) throw refusal(`The body has more than ${maxItems} values.`);
  }
}

/** From the first character of a string to its closing quote. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

function refuseBadText(value: unknown): void {
  const path = pathOfBadText(value);
  if (path === null) return;
  const message = 'A text holds a NUL character or half of a surrogate pair.';
  throw fault('invalid_request', { message, ...(path ? { param: path.replace(/^\./, '').slice(0, 200) } : {}) });
}

/** Path of the first bad text, as in `.messages[2].content`; of its object when a key is bad; null when all is well. */
function pathOfBadText(value: unknown): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : '';
  if (typeof value !== 'object' || value === null) return null;
  for (const key in value) {
    if (!isStorable(key)) return '';
    const rest = pathOfBadText(Reflect.get(value, key));
    if (rest !== null) return (Array.isArray(value) ? `[${key}]` : `.${key}`) + rest;
  }
  return null;
}

/** `JSON.parse` makes `__proto__` an ordinary field, but copying it with an assignment would set a prototype. */
function dropProto(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  for (const item of Object.values(value)) dropProto(item);
}
