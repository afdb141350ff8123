declare global {
  /** ES2025 "JSON.parse source text access", in Node 24 but not yet in TypeScript's library. */
  interface JSON {
    rawJSON: (text: string) => object;
    isRawJSON: (value: unknown) => boolean;
  }
}

/** A number that JavaScript would write otherwise (`12345678901234567890`, `1.0`), as it was written. `JSON.stringify` writes it as it is. */
export type ExactNumber = { readonly rawJSON: string };

export const isExactNumber = (value: unknown): value is ExactNumber => JSON.isRawJSON(value);

/** A JSON object from outside, nothing known of its fields. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** Whether a JSON value nests more than `levels` lists and objects; walks no deeper than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

/** The text may hold what `JSON.parse` changes: a key that looks like an index, 16 digits, an exponent, a zero at the end, or minus zero. */
const mayChange = /"(?:\d|\\u003)|(?:\d\.?){16}|\d[eE]|\.\d*0(?!\d)|-0/;
const maxDepth = 1_000;

/** Whether `parseExactJson` may read something else than `JSON.parse`. */
export const needsExactReader = (text: string): boolean => mayChange.test(text);

/**
 * Like `JSON.parse`, but nothing is changed: numbers that JavaScript would write otherwise become an `ExactNumber`, and objects keep the
 * order of their keys, also of those that look like an index (`{"b": 1, "10": 2, "2": 3}`).
 *
 * Both survive `JSON.stringify`, but neither `structuredClone` nor a copy by spread: send such values to another process as
 * JSON text, and build changed objects with `objectInOrder`. Throws `SyntaxError`.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // The text is valid from here on, so that the reader need not check it.
  return needsExactReader(text) ? new Reader(text).read() : value;
}

/** An object with these entries whose keys are listed in this order, whatever they look like. The last of two entries with one key counts. */
export function objectInOrder(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = Object.fromEntries(entries);
  if (!entries.some(([key]) => startsWithDigit(key))) return object;
  const keys = [...new Map(entries).keys()];
  const isInOrder = Object.keys(object).every((key, place) => key === keys[place]);
  return isInOrder ? object : new Proxy(object, { ownKeys: (target) => keysInOrder(target, keys) });
}

function startsWithDigit(text: string): boolean {
  const code = text.charCodeAt(0);
  return code >= 0x30 && code <= 0x39;
}

/** Keys that were added later follow; those that were removed are left out. */
function keysInOrder(target: object, order: readonly string[]): (string | symbol)[] {
  const known = new Set<string | symbol>(order);
  const added = Reflect.ownKeys(target).filter((key) => !known.has(key));
  return [...order.filter((key) => Object.hasOwn(target, key)), ...added];
}

function exactNumber(text: string): number | ExactNumber {
  const value = Number(text);
  // as: `rawJSON` of a number is one.
  return String(value) === text ? value : (JSON.rawJSON(text) as ExactNumber);
}

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
];
const words = { t: true, f: false, n: null } as const;
const number = /[-+.\deE]+/y;

/** Reads text that is known to be JSON. */
class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  /** The first escape that was not read yet. */
  #escapeAt = -1;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    const first = this.#next();
    if (first === openObject) return this.#within(() => objectInOrder(this.#items(closeObject, () => this.#entry())));
    if (first === openList) return this.#within(() => this.#items(closeList, () => this.read()));
    if (first === quote) return this.#string();
    const letter = this.#text.charAt(this.#at);
    if (letter === 't' || letter === 'f' || letter === 'n') {
      this.#at += letter === 'f' ? 5 : 4;
      return words[letter];
    }
    return this.#number();
  }

  #within<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw new SyntaxError(`JSON is nested deeper than ${maxDepth} levels`);
    const value = read();
    this.#depth--;
    return value;
  }

  /** What stands between an opening bracket and this closing one. */
  #items<T>(close: number, readItem: () => T): T[] {
    const items: T[] = [];
    this.#at++;
    while (this.#next() !== close) {
      items.push(readItem());
      if (this.#next() === comma) this.#at++;
    }
    this.#at++;
    return items;
  }

  #entry(): [string, unknown] {
    const key = this.#string();
    this.#next();
    this.#at++;
    return [key, this.read()];
  }

  #string(): string {
    const start = this.#at;
    let end = this.#text.indexOf('"', start + 1);
    if (this.#escapeAt < start) this.#escapeAt = this.#nextEscape(start);
    const isPlain = end < this.#escapeAt;
    if (!isPlain)
      for (end = this.#escapeAt; this.#text.charCodeAt(end) !== quote; end++)
        if (this.#text.charCodeAt(end) === backslash) end++;
    this.#at = end + 1;
    return isPlain ? this.#text.slice(start + 1, end) : JSON.parse(this.#text.slice(start, end + 1));
  }

  #nextEscape(from: number): number {
    const at = this.#text.indexOf('\\', from);
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  }

  #number(): number | ExactNumber {
    number.lastIndex = this.#at;
    const text = number.exec(this.#text)?.[0] ?? '';
    this.#at += text.length;
    return exactNumber(text);
  }

  /** Passes over white space; the code of what follows. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#at++;
    }
  }
}
