import type { IncomingHttpHeaders } from 'node:http';

/** Takes what a response says, in this order: its head, pieces of its body, its end. */
export type ResponseListener = {
  head: (status: number, headers: IncomingHttpHeaders) => void;
  piece: (bytes: Buffer) => void;
  /** `reusableMs`: how long its connection may rest before it carries another request; 0: it may not. */
  end: (reusableMs: number) => void;
};

type State = 'idle' | 'head' | 'sized' | 'unsized' | 'chunk size' | 'chunk' | 'chunk end' | 'trailer';

const mostHeadBytes = 65_536;
const mostLineBytes = 4_096;
const mostTrailers = 100;
const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const [carriageReturn, lineFeed] = lineEnd;
const nothing = Buffer.alloc(0);
/** A server closes what rests for as long as it says; a request must not meet it there. */
const closingMarginMs = 1_000;

/**
 * Reads the responses of one connection (RFC 9112), one after the other. It is strict about where a response ends, because what
 * belongs to one caller must never be read as the answer to another: whatever is not certain throws, and its connection goes.
 */
export class ResponseReader {
  #state: State = 'idle';
  readonly #listener: ResponseListener;
  /** Came and does not make a whole head or line yet. */
  #rest: Buffer = nothing;
  /** Of the body or chunk that is being read. */
  #leftBytes = 0;
  #lines = 0;
  #reusableMs = 0;
  readonly #restMs: number;

  /** @param restMs how long a connection may rest where its server does not say. */
  constructor(listener: ResponseListener, restMs: number) {
    this.#listener = listener;
    this.#restMs = restMs;
  }

  /** Waits for the response to a request that is being sent. */
  expect(): void {
    this.#state = 'head';
  }

  /** Throws where the bytes are no response, or nobody has asked for one. */
  feed(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = nothing;
    let at = 0;
    while (at < all.length) {
      const next = this.#step(all, at);
      if (next === null) {
        this.#rest = all.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** The server has said that nothing more comes. True where that is how the response ends. */
  close(): boolean {
    if (this.#state !== 'unsized') return false;
    this.#end();
    return true;
  }

  /** Where to read on; null: more is needed for that. */
  #step(all: Buffer, at: number): number | null {
    switch (this.#state) {
      case 'idle':
        throw new Error('The server said something without being asked.');
      case 'head':
        return this.#head(all, at);
      case 'unsized':
        this.#listener.piece(all.subarray(at));
        return all.length;
      case 'sized':
      case 'chunk':
        return this.#body(all, at);
      default:
        return this.#line(all, at);
    }
  }

  #head(all: Buffer, at: number): number | null {
    const end = all.indexOf(headEnd, at);
    if (end < 0 || end - at > mostHeadBytes) {
      if (all.length - at > mostHeadBytes) throw new Error('The head of the response is too long.');
      return null;
    }
    const { status, minor, headers } = readHead(all.toString('latin1', at, end));
    const behind = end + headEnd.length;
    if (status < 200) {
      if (status === 101) throw new Error('The server changes the protocol.');
      return behind;
    }
    this.#reusableMs = restOf(headers, minor, this.#restMs);
    const { state, bytes } = bodyOf(status, headers);
    if (state === 'unsized') this.#reusableMs = 0;
    this.#state = state;
    this.#leftBytes = bytes;
    this.#lines = 0;
    this.#listener.head(status, headers);
    if (state === 'sized' && bytes === 0) this.#end();
    return behind;
  }

  #body(all: Buffer, at: number): number {
    const end = Math.min(all.length, at + this.#leftBytes);
    this.#leftBytes -= end - at;
    this.#listener.piece(all.subarray(at, end));
    if (this.#leftBytes === 0) {
      if (this.#state === 'chunk') this.#state = 'chunk end';
      else this.#end();
    }
    return end;
  }

  #line(all: Buffer, at: number): number | null {
    const isEmpty = all[at] === carriageReturn && all[at + 1] === lineFeed;
    const end = isEmpty ? at : all.indexOf(lineEnd, at);
    if (end < 0 || end - at > mostLineBytes) {
      if (all.length - at > mostLineBytes) throw new Error('A line of the response is too long.');
      return null;
    }
    const line = isEmpty ? '' : all.toString('latin1', at, end);
    if (this.#state === 'chunk size') {
      this.#leftBytes = sizeOf(line);
      this.#state = this.#leftBytes === 0 ? 'trailer' : 'chunk';
    } else if (this.#state === 'chunk end') {
      if (line !== '') throw new Error('A chunk of the response is longer than it says.');
      this.#state = 'chunk size';
    } else if (line === '') this.#end();
    else if (++this.#lines > mostTrailers) throw new Error('The response does not end.');
    return end + lineEnd.length;
  }

  #end(): void {
    this.#state = 'idle';
    this.#listener.end(this.#reusableMs);
  }
}

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/;
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function readHead(text: string): { status: number; minor: string; headers: Record<string, string> } {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor = '', status] = statusLine.exec(first) ?? [];
  if (status === undefined) throw new Error('The response has no status.');
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const { key, value } = fieldOf(line);
    const before = headers[key];
    headers[key] = before === undefined ? value : `${before}, ${value}`;
  }
  return { status: Number(status), minor, headers };
}

type Field = { key: string; value: string };

const [mostKnownLines, longestKnownLine] = [256, 128];
/** Most lines of a response were in the one before. */
const knownLines = new Map<string, Field>();

function fieldOf(line: string): Field {
  const known = knownLines.get(line);
  if (known) return known;
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  if (colon < 1 || !fieldName.test(name)) throw new Error('A header field of the response cannot be read.');
  const field = { key: name.toLowerCase(), value: line.slice(colon + 1).trim() };
  if (knownLines.size >= mostKnownLines) knownLines.clear();
  if (line.length <= longestKnownLine) knownLines.set(line, field);
  return field;
}

/** How the body ends. Two answers to that are none. */
function bodyOf(status: number, headers: Record<string, string>): { state: State; bytes: number } {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  if (status === 204 || status === 304) return { state: 'sized', bytes: 0 };
  if (encoding === undefined && length === undefined) return { state: 'unsized', bytes: 0 };
  if (length === undefined && encoding?.toLowerCase() === 'chunked') return { state: 'chunk size', bytes: 0 };
  if (encoding !== undefined || length === undefined || !/^\d{1,15}$/.test(length))
    throw new Error('The response does not say how long it is.');
  return { state: 'sized', bytes: Number(length) };
}

/** A chunk may carry an extension, which nobody uses. */
function sizeOf(line: string): number {
  const [, digits] = /^([0-9A-Fa-f]{1,12})[\t ]*(?:;.*)?$/.exec(line) ?? [];
  if (digits === undefined) throw new Error('A chunk of the response does not say how long it is.');
  return Number.parseInt(digits, 16);
}

function restOf(
  { connection = '', 'keep-alive': said }: Record<string, string>,
  minor: string,
  restMs: number,
): number {
  const words = connection.toLowerCase();
  if (words !== 'keep-alive' && (words.includes('close') || (minor === '0' && !words.includes('keep-alive')))) return 0;
  const [, seconds] = /timeout=(\d{1,9})/i.exec(said ?? '') ?? [];
  return seconds === undefined ? restMs : Math.max(0, Math.min(restMs, Number(seconds) * 1_000 - closingMarginMs));
}
