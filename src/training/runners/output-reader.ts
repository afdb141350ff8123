import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { maxLineBytes } from './protocol.ts';
import type { RunnerLine, TrainerStart } from './runner.ts';
import { readEvent } from './trainer-events.ts';

/** Longest text of a line that is kept, characters. */
const mostChars = 4_000;
/** Text that is kept of one start, characters; events are always read. */
const mostTextChars = 8_000_000;

/**
 * Reads what a trainer prints, from the beginning: events and lines of text that are not known yet. The same output gives
 * the same numbers, however often and in whatever pieces it is read.
 */
export class OutputReader {
  readonly #splitter = new LineSplitter();
  #lastSeq: number;
  readonly #afterLine: number;
  #line = 0;
  #textChars = 0;

  constructor({ afterSeq, afterLine = 0 }: Pick<TrainerStart, 'afterSeq' | 'afterLine'>) {
    this.#lastSeq = afterSeq;
    this.#afterLine = afterLine;
  }

  push(bytes: Buffer): RunnerLine[] {
    return this.#read(this.#splitter.push(bytes));
  }

  end(): RunnerLine[] {
    return this.#read(this.#splitter.end());
  }

  #read(lines: readonly RawLine[]): RunnerLine[] {
    return lines.flatMap((line) => {
      const event = line.isCut ? null : readEvent(line.text);
      if (event === null) return this.#text(line);
      if (event.seq <= this.#lastSeq) return [];
      this.#lastSeq = event.seq;
      return [event];
    });
  }

  #text({ text, isCut }: RawLine): RunnerLine[] {
    const shown = readable(text);
    if (shown === '' || this.#textChars > mostTextChars) return [];
    this.#line++;
    this.#textChars += Math.min(shown.length, mostChars);
    if (this.#line <= this.#afterLine) return [];
    if (this.#textChars > mostTextChars) return [{ text: 'There is more text, which is not kept.', line: this.#line }];
    const isShort = !isCut && shown.length <= mostChars;
    return [{ text: isShort ? shown : `${shown.slice(0, mostChars)} ...`, line: this.#line }];
  }
}

/** What a terminal would show of a line: progress bars write over themselves. */
function readable(text: string): string {
  const shown = text.trimEnd();
  return (
    shown
      .slice(shown.lastIndexOf('\r') + 1)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
      .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .toWellFormed()
  );
}

type RawLine = { text: string; isCut: boolean };

/** Divides bytes into lines, with bounded memory: a line that is too long keeps its beginning and is marked. */
class LineSplitter {
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

type Following = {
  /** Whether nothing will be added any more; called before each read, so that the last one finds everything. */
  hasEnded: () => Promise<boolean>;
  /** Resolves when it is worth to read again. */
  pause: () => Promise<void>;
};

const pieceBytes = 256 * 1024;

/** Reads a file from its beginning while another process writes it: the first of these paths that there is, also later. */
export async function* followFile(
  paths: readonly string[],
  { hasEnded, pause }: Following,
): AsyncGenerator<Buffer, void, undefined> {
  let file: FileHandle | null = null;
  try {
    for (let position = 0; ; ) {
      const isLast = await hasEnded();
      for (const path of paths) file ??= await open(path, 'r').catch(() => null);
      for (let piece = await read(file, position); piece.length > 0; piece = await read(file, position)) {
        position += piece.length;
        yield piece;
      }
      if (isLast) return;
      await pause();
    }
  } finally {
    await file?.close();
  }
}

async function read(file: FileHandle | null, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  const bytes = (await file?.read(buffer, 0, pieceBytes, position))?.bytesRead ?? 0;
  return buffer.subarray(0, bytes);
}
