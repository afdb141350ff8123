import { fault, isExactNumber, objectInOrder } from '#kernel';

/** Part of a rendered prompt. `special`: exactly one control token, written by the template; else plain text. */
export type Segment = { text: string; special: boolean };

/**
 * Tags that the templates themselves look for in message text (`'</think>' in content`). They are left as they are:
 * models declare them as ordinary added tokens, which a tokenizer finds in any text.
 */
const templateTags = ['<think>', '</think>', '<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>'];

export type ControlTokens = {
  literals: ReadonlySet<string>;
  lengths: readonly number[];
  starts: ReadonlySet<string>;
  /** Proper endings of literals: text that begins so could complete a token the template's own text opens. */
  endings: ReadonlySet<string>;
  /** All literals, each between NULs: to see whether a short text lies inside one. */
  joined: string;
};

export function indexControlTokens(tokens: readonly string[]): ControlTokens {
  const literals = new Set(tokens.filter((token) => token.length > 1));
  const endings = new Set<string>();
  for (const literal of literals) {
    for (let from = 1; from < literal.length; from += 1) endings.add(literal.slice(from));
  }
  return {
    literals,
    lengths: [...new Set([...literals].map((literal) => literal.length))].sort((a, b) => b - a),
    starts: new Set([...literals].map((literal) => literal.charAt(0))),
    endings,
    joined: `\0${[...literals].join('\0')}\0`,
  };
}

/**
 * Keeps control tokens inside caller text apart from those of the template: `protect` puts a marker that occurs nowhere
 * else behind every character that could begin a control token (and in front of text that could complete one), the
 * template renders, and `split` finds the control tokens that are still whole and takes the marker out again.
 */
export type Shield = {
  protect: (value: unknown) => unknown;
  split: (rendered: string) => Segment[];
};

export function createShield(tokens: ControlTokens, callerText: string): Shield {
  const marker = unusedMarker(callerText);
  return {
    protect: (value) => mapStrings(value, (text) => protectText(text, tokens, marker)),
    split: (rendered) => splitSpecial(rendered, tokens, marker),
  };
}

function unusedMarker(text: string): string {
  const used = new Set(text.match(/[\uE000-\uF8FF]/g));
  for (let code = 0xe000; code <= 0xf8ff; code += 1) {
    const candidate = String.fromCharCode(code);
    if (!used.has(candidate)) return candidate;
  }
  throw fault('invalid_request', {
    param: 'messages',
    message: 'The messages use every private-use character of the basic plane; leave at least one out.',
  });
}

/** What templates read messages and tools by: these names are not the caller's, whatever tokens they are part of. */
const ownNames = new Set([
  ...['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'id', 'type', 'function', 'arguments', 'parameters'],
  ...[
    'reasoning_content',
    'reasoning',
    'thinking',
    'thought',
    'description',
    'properties',
    'required',
    'items',
    'enum',
  ],
]);

const roles = ['system', 'developer', 'user', 'assistant', 'tool'];
const schemaTypes = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** Values that templates compare, or write into their own control tokens (`<|user|>`): not the caller's words either. */
const ownWords = new Map([
  ['role', new Set(roles)],
  ['type', new Set(['function', ...schemaTypes])],
]);

function isOwnWord(key: string, value: unknown): boolean {
  return typeof value === 'string' && ownWords.get(key)?.has(value) === true;
}

/** Keys too: templates that write schemas as XML put property names between angle brackets. */
function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (typeof value !== 'object' || value === null) return value;
  if (isExactNumber(value)) return value;
  return objectInOrder(
    Object.entries(value).map(([key, item]) => [
      ownNames.has(key) ? key : map(key),
      isOwnWord(key, item) ? item : mapStrings(item, map),
    ]),
  );
}

function protectText(text: string, tokens: ControlTokens, marker: string): string {
  const pieces: string[] = [];
  let from = 0;
  const first = text.search(/\S/);
  if (first >= 0 && couldContinue(text, first, tokens)) {
    pieces.push(text.slice(0, first), marker);
    from = first;
  }
  for (let at = from; at < text.length; at += 1) {
    if (!tokens.starts.has(text.charAt(at)) || templateTags.some((tag) => text.startsWith(tag, at))) continue;
    pieces.push(text.slice(from, at + 1), marker);
    from = at + 1;
  }
  if (pieces.length === 0) return text;
  pieces.push(text.slice(from));
  return pieces.join('');
}

/** Whether text of the template in front of this text could make a control token together with it. */
function couldContinue(text: string, first: number, tokens: ControlTokens): boolean {
  const longest = tokens.lengths[0] ?? 0;
  const head = text.slice(first, first + longest);
  for (let length = 1; length < longest; length += 1) {
    if (tokens.endings.has(head.slice(0, length))) return true;
  }
  const whole = head.trimEnd();
  return whole.length < longest && text.length < first + longest && tokens.joined.includes(whole);
}

function splitSpecial(rendered: string, tokens: ControlTokens, marker: string): Segment[] {
  const segments: Segment[] = [];
  const plain = (text: string): void => {
    const clean = text.replaceAll(marker, '');
    if (clean !== '') segments.push({ text: clean, special: false });
  };
  let from = 0;
  for (let at = 0; at < rendered.length; at += 1) {
    if (!tokens.starts.has(rendered.charAt(at))) continue;
    const length = tokens.lengths.find((size) => tokens.literals.has(rendered.slice(at, at + size)));
    if (length === undefined) continue;
    plain(rendered.slice(from, at));
    segments.push({ text: rendered.slice(at, at + length), special: true });
    from = at + length;
    at = from - 1;
  }
  plain(rendered.slice(from));
  return segments;
}
