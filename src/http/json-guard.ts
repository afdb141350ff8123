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

const quote = 0x22;
const backslash = 0x5c;
const noCode = -1;

type Scan = { tooMuch: string | null; badText: boolean; mayHideProto: boolean };

/**
 * Reads a JSON body (RFC 8259) within the bounds above. Strings with NUL or half of a surrogate pair are refused,
 * because PostgreSQL cannot store them as they are; keys `__proto__` are dropped.
 * Throws `invalid_request`; takes one pass over the bytes before anything is built.
 */
export function parseJsonBody(bytes: Buffer, bounds: JsonBounds = defaultBounds): unknown {
  if (!isUtf8(bytes)) throw refusal('The body is not valid UTF-8.');
  const scan = scanJson(bytes, bounds);
  if (scan.tooMuch !== null) throw refusal(scan.tooMuch);
  const sent = withoutMark(bytes.toString('utf8'));
  const text = scan.badText && bounds.badText === 'replace' ? withoutBadText(sent) : sent;
  const value = parse(text);
  keepExact(value, text, bounds.exact);
  if (scan.badText && bounds.badText === 'refuse') throw badText(value);
  if (scan.mayHideProto || text.includes('__proto__')) dropProto(value);
  return value;
}

/** Tools of Windows put a mark of the byte order in front of a file; a reader may pass over it (RFC 8259 8.1). */
const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

/** Escapes one by one, so that a backslash that was escaped begins none; pairs of surrogates first. */
const escapes = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u([\da-fA-F]{4})|\\[^u]/g;

/** JSON text without escapes of NUL, and with the replacement character for half of a surrogate pair. */
function withoutBadText(text: string): string {
  return text.replace(escapes, (sequence, code: string | undefined) => {
    const unit = code === undefined ? noCode : Number.parseInt(code, 16);
    if (unit === 0) return '';
    return isHighSurrogate(unit) || isLowSurrogate(unit) ? '\\ufffd' : sequence;
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
function scanJson(bytes: Buffer, { maxKeys, maxItems }: JsonBounds): Scan {
  const scan: Scan = { tooMuch: null, badText: false, mayHideProto: false };
  const hasEscapes = bytes.includes(backslash);
  let depth = 0;
  let keys = 0;
  let items = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        at = hasEscapes ? scanString(bytes, at + 1, scan) : endOfString(bytes, at + 1);
        continue;
      case 0x7b: // {
      case 0x5b: // [
        items++;
        if (++depth > maxDepth) return { ...scan, tooMuch: `The body is nested deeper than ${maxDepth} levels.` };
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        continue;
      case 0x3a: // :
        if (++keys > maxKeys) return { ...scan, tooMuch: `The body has more than ${maxKeys} fields.` };
        break;
      case 0x2c: // ,
        items++;
        break;
      default:
        continue;
    }
    if (items > maxItems) return { ...scan, tooMuch: `The body has more than ${maxItems} values.` };
  }
  return scan;
}

const shortBytes = 32;

/** From the first byte of a string without escapes to its closing quote. A search pays for long ones only. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start; at < start + shortBytes; at++) if (bytes[at] === quote) return at;
  const end = bytes.indexOf(quote, start + shortBytes);
  return end < 0 ? bytes.length : end;
}

/** Goes from the first byte of a string to its closing quote and notes escapes that stand for something unwanted. */
function scanString(bytes: Uint8Array, start: number, scan: Scan): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== quote) {
    if (bytes[at] !== backslash) {
      at++;
      continue;
    }
    const code = escapedCode(bytes, at);
    if (code === noCode) {
      at += 2;
      continue;
    }
    at += 6;
    if (code === 0 || isLowSurrogate(code)) scan.badText = true;
    else if (isHighSurrogate(code)) {
      if (isLowSurrogate(escapedCode(bytes, at))) at += 6;
      else scan.badText = true;
    } else if (code < 0x80) scan.mayHideProto = true;
  }
  return at;
}

/** Value of the escape `\uXXXX` at this place, or `noCode`. */
function escapedCode(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== backslash || bytes[at + 1] !== 0x75) return noCode;
  let code = 0;
  for (let digit = at + 2; digit < at + 6; digit++) {
    const value = hexValue(bytes[digit] ?? 0);
    if (value === noCode) return noCode;
    code = code * 16 + value;
  }
  return code;
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : noCode;
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff;

function badText(value: unknown): Fault {
  const path = pathOfBadText(value) ?? '';
  const message = 'A text holds a NUL character or half of a surrogate pair.';
  return fault('invalid_request', { message, ...(path ? { param: path.replace(/^\./, '').slice(0, 200) } : {}) });
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
