import { StringDecoder } from 'node:string_decoder';
import { maxLineBytes } from './protocol.ts';

export type RawLine = { text: string; isCut: boolean };

/** Divides bytes into lines, with bounded memory: a line that is too long keeps its beginning and is marked. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #isCut = false;

  push(bytes: Buffer): RawLine[] {
    const parts = this.#decoder.write(bytes).split('\n');
    const last = parts.pop() ?? '';
    const lines = parts.map((part) => this.#finish(part));
    this.#keep(last);
    return lines;
  }

  /** The text after the last line break. */
  end(): RawLine[] {
    this.#keep(this.#decoder.end());
    return this.#rest === '' ? [] : [this.#finish('')];
  }

  #keep(text: string): void {
    const room = maxLineBytes - this.#rest.length;
    if (text.length > room) this.#isCut = true;
    this.#rest += text.slice(0, Math.max(0, room));
  }

  #finish(text: string): RawLine {
    this.#keep(text);
    const line = { text: this.#rest, isCut: this.#isCut || Buffer.byteLength(this.#rest) > maxLineBytes };
    this.#rest = '';
    this.#isCut = false;
    return line;
  }
}
