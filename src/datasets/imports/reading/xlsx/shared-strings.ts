import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { ImportFailure } from '../import-failure.ts';
import type { Archive } from './archive.ts';
import { readableText } from './cell-values.ts';
import { type CellText, TextCollector, tooLong } from './text-collector.ts';
import { parseXml } from './xml.ts';

/** Texts of a workbook: each costs 8 bytes of memory, and the texts themselves none. */
const maxTexts = 8_000_000;
const windowBytes = 64 * 1024;

/**
 * The texts that cells refer to by number. Together they may be larger than the memory, so they lie in a file. Most writers
 * number them in the order of the cells, so the bytes around the last one often have the next.
 */
export class SharedStrings {
  readonly #file: number;
  readonly #tooLong = new Set<number>();
  #ends = new Float64Array(1_024);
  #count = 0;
  #window: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  private constructor(path: string) {
    this.#file = openSync(path, 'w+', 0o600);
  }

  static async read(
    archive: Archive,
    part: string | null,
    { path, maxBytes }: { path: string; maxBytes: number },
  ): Promise<SharedStrings> {
    const strings = new SharedStrings(path);
    try {
      if (part !== null) await strings.#fill(archive.read(part), maxBytes);
      return strings;
    } catch (error) {
      strings.close();
      throw error;
    }
  }

  /** Undefined: there is no such text. */
  at(index: number): CellText | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return undefined;
    if (this.#tooLong.has(index)) return tooLong;
    const start = index === 0 ? 0 : (this.#ends[index - 1] ?? 0);
    return this.#bytes(start, (this.#ends[index] ?? 0) - start).toString();
  }

  close(): void {
    closeSync(this.#file);
  }

  async #fill(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<void> {
    const text = new TextCollector(maxBytes);
    let pending: Buffer[] = [];
    let end = 0;
    const handler = {
      open: (name: string) => text.open(name),
      text: (piece: string) => text.add(piece),
      close: (name: string) => {
        text.close(name);
        if (name !== 'si') return;
        const found = text.take();
        const bytes = Buffer.from(found === tooLong ? '' : readableText(found));
        if (found === tooLong) this.#tooLong.add(this.#count);
        end += bytes.length;
        pending.push(bytes);
        this.#append(end);
      },
    };
    for await (const _ of parseXml(chunks, handler)) {
      const bytes = Buffer.concat(pending);
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
      pending = [];
    }
  }

  #append(end: number): void {
    if (this.#count >= maxTexts)
      throw new ImportFailure('too_large', `The workbook has more than ${maxTexts} different texts.`, {
        details: { limit: maxTexts },
        hint: 'Save the sheet as CSV and upload that.',
      });
    if (this.#count === this.#ends.length) {
      const larger = new Float64Array(this.#ends.length * 2);
      larger.set(this.#ends);
      this.#ends = larger;
    }
    this.#ends[this.#count++] = end;
  }

  #bytes(start: number, length: number): Buffer {
    const { start: from, bytes } = this.#window;
    if (start >= from && start + length <= from + bytes.length)
      return bytes.subarray(start - from, start - from + length);
    const window = Buffer.alloc(Math.max(length, windowBytes));
    const read = readSync(this.#file, window, 0, window.length, start);
    this.#window = { start, bytes: window.subarray(0, read) };
    return window.subarray(0, length);
  }
}
