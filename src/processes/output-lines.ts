import type { Readable } from 'node:stream';

/** A line without an end must not grow without bound. */
const maxLineChars = 2_000;
const tailChars = 4_000;
const stackFrame = /\[0x[\da-f]+\]$/;

/** Calls back for every line of a child's output that is not empty. */
export function forEachLine(stream: Readable, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = (lines.pop() ?? '').slice(-maxLineChars);
    for (const line of lines) if (line.trim() !== '') take(line);
  });
  stream.on('end', () => {
    if (rest.trim() !== '') take(rest);
  });
  stream.on('error', () => {});
}

/** The last lines of what a child printed, for the report of its exit. */
export class OutputTail {
  #text = '';

  add(line: string): void {
    // The message stands in front of a native backtrace, which is longer than what is stored.
    if (!stackFrame.test(line)) this.#text = `${this.#text}${line}\n`.slice(-tailChars);
  }

  get text(): string {
    return this.#text.trim();
  }
}
