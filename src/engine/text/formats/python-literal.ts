import { CallInput } from './call-input.ts';

const constants = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
]);

type Read = Generator<null, string | null>;

/** Reads a literal of Python, or of JSON, and tells it as JSON text: numbers keep their digits. null where it is neither. */
export function* readLiteral(input: CallInput, depth = 0): Read {
  const first = yield* input.space();
  if (first === null || depth > 64) return null;
  if (first === '"' || first === "'") return yield* readString(input);
  if (first === '[' || first === '(') return yield* readItems(input, first === '[' ? ']' : ')', depth);
  if (first === '{') return yield* readDictionary(input, depth);
  let word = '';
  for (let unit: string | null = first; unit !== null && /[-+.\w]/.test(unit); unit = yield* input.peek()) {
    word += unit;
    yield* input.next();
  }
  return constants.get(word) ?? (isNumber(word) ? word : null);
}

const isNumber = (word: string): boolean => /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(word);

/** With the escapes that Python and JSON have in common, and quotes of either kind. */
function* readString(input: CallInput): Read {
  const quote = yield* input.next();
  let text = '';
  for (;;) {
    const unit = yield* input.next();
    if (unit === null) return null;
    if (unit === quote) return JSON.stringify(text);
    if (unit !== '\\') {
      text += unit;
      continue;
    }
    const escaped = yield* readEscape(input);
    if (escaped === null) return null;
    text += escaped;
  }
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '' };

function* readEscape(input: CallInput): Read {
  const unit = yield* input.next();
  const digits = unit === 'x' ? 2 : unit === 'u' ? 4 : 0;
  if (unit === null || digits === 0) return unit === null ? null : (escapes[unit] ?? unit);
  let code = '';
  for (let count = 0; count < digits; count += 1) code += (yield* input.next()) ?? '';
  return /^[0-9a-fA-F]+$/.test(code) ? String.fromCharCode(Number.parseInt(code, 16)) : null;
}

function* readItems(input: CallInput, end: string, depth: number): Read {
  yield* input.next();
  const items: string[] = [];
  for (;;) {
    if ((yield* input.space()) === end) break;
    const item = yield* readLiteral(input, depth + 1);
    if (item === null) return null;
    items.push(item);
    if (!(yield* readSeparator(input, end))) return null;
  }
  yield* input.next();
  return `[${items.join(', ')}]`;
}

function* readDictionary(input: CallInput, depth: number): Read {
  yield* input.next();
  const members: string[] = [];
  for (;;) {
    const first = yield* input.space();
    if (first === '}') break;
    const key = first === '"' || first === "'" ? yield* readString(input) : null;
    if (key === null || (yield* input.space()) !== ':') return null;
    yield* input.next();
    const value = yield* readLiteral(input, depth + 1);
    if (value === null) return null;
    members.push(`${key}: ${value}`);
    if (!(yield* readSeparator(input, '}'))) return null;
  }
  yield* input.next();
  return `{${members.join(', ')}}`;
}

/** A comma, or the end, which is left. */
export function* readSeparator(input: CallInput, end: string): Generator<null, boolean> {
  const unit = yield* input.space();
  if (unit === ',') yield* input.next();
  return unit === ',' || unit === end;
}

/** The JSON text of a literal of Python; null where the text is none. */
export function pythonToJson(text: string): string | null {
  const input = new CallInput();
  for (const unit of text.trim().split('')) input.push(unit, '');
  input.end();
  const reading = readLiteral(input);
  const { value } = reading.next();
  const isWhole = input.peek().next().value === null;
  return isWhole ? value : null;
}

/** A value as Python writes it. */
export function toPython(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  if (typeof value !== 'object' || JSON.isRawJSON(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${toPython(item)}`);
  return `{${members.join(', ')}}`;
}
