/** Text of a cell, or that it is longer than a row may be. */
export type CellText = string | typeof tooLong;
export const tooLong = Symbol('tooLong');

/** Puts together the text of an element whose runs each have their own `t`. How it is pronounced (`rPh`) is no part of it. */
export class TextCollector {
  readonly #maxChars: number;
  #pieces: string[] = [];
  #chars = 0;
  #isInText = false;
  #isPronunciation = false;

  /** A text has no more characters than bytes. */
  constructor(maxBytes: number) {
    this.#maxChars = maxBytes;
  }

  open(name: string): void {
    if (name === 't') this.#isInText = true;
    if (name === 'rPh') this.#isPronunciation = true;
  }

  close(name: string): void {
    if (name === 't') this.#isInText = false;
    if (name === 'rPh') this.#isPronunciation = false;
  }

  add(piece: string): void {
    if (!this.#isInText || this.#isPronunciation) return;
    this.#chars += piece.length;
    if (this.#chars <= this.#maxChars) this.#pieces.push(piece);
  }

  take(): CellText {
    const text = this.#chars > this.#maxChars ? tooLong : this.#pieces.join('');
    this.#pieces = [];
    this.#chars = 0;
    return text;
  }
}
