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

/** The text may hold what `JSON.parse` changes: a key that looks like an index, 16 digits, an exponent, a nought at the end, or minus nought. */
const mayChange = /"(?:\d|\\u003)|(?:\d\.?){16}|\d[eE]|\.\d*0(?!\d)|-0/;
const maxDepth = 1_000;

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
  return mayChange.test(text) ? new Reader(text).read() : value;
}

/** An object with these entries whose keys are listed in this order, whatever they look like. The last of two entries with one key counts. */
export function objectInOrder(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const values = new Map(entries);
  const object: Record<string, unknown> = Object.fromEntries(values);
  const keys = [...values.keys()];
  const isInOrder = Object.keys(object).every((key, place) => key === keys[place]);
  return isInOrder ? object : new Proxy(object, { ownKeys: (target) => keysInOrder(target, keys) });
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

/** Reads text that is known to be JSON. */
class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '{') return this.#within(() => objectInOrder(this.#items('}', () => this.#entry())));
    if (first === '[') return this.#within(() => this.#items(']', () => this.read()));
    if (first === '"') return this.#string();
    if (first === 't') return this.#word('true', true);
    if (first === 'f') return this.#word('false', false);
    if (first === 'n') return this.#word('null', null);
    return this.#number();
  }

  #within<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw new SyntaxError(`JSON is nested deeper than ${maxDepth} levels`);
    const value = read();
    this.#depth--;
    return value;
  }

  /** What stands between an opening bracket and this closing one. */
  #items<T>(close: string, readItem: () => T): T[] {
    const items: T[] = [];
    this.#at++;
    this.#skipSpace();
    while (this.#text[this.#at] !== close) {
      items.push(readItem());
      this.#skipSpace();
      if (this.#text[this.#at] === ',') this.#at++;
      this.#skipSpace();
    }
    this.#at++;
    return items;
  }

  #entry(): [string, unknown] {
    const key = this.#string();
    this.#skipSpace();
    this.#at++;
    return [key, this.read()];
  }

  #string(): string {
    const start = this.#at;
    let end = start + 1;
    let isPlain = true;
    for (; this.#text[end] !== '"'; end++)
      if (this.#text[end] === '\\') {
        isPlain = false;
        end++;
      }
    this.#at = end + 1;
    return isPlain ? this.#text.slice(start + 1, end) : JSON.parse(this.#text.slice(start, end + 1));
  }

  #number(): number | ExactNumber {
    const number = /[-+.\deE]+/y;
    number.lastIndex = this.#at;
    const text = number.exec(this.#text)?.[0] ?? '';
    this.#at += text.length;
    return exactNumber(text);
  }

  #word<T>(word: string, value: T): T {
    this.#at += word.length;
    return value;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }
}
