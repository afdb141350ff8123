import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { systemCodeOf } from '#kernel';

/** What waits to be written at most; further lines are left out and counted. */
const longestWaitingBytes = 1 << 20;
const retryMs = 200;

/**
 * A log on a file descriptor. Lines are written at once, so that the last words of a process that ends are there, but
 * the log neither ends nor holds up the program: what cannot be written now (the disk is full, the reader of a pipe has stopped,
 * Ctrl-S at the terminal) waits until it can, and a reader that has gone is written to no more.
 */
export function openLogStream(descriptor: number): DestinationStream {
  const target = withoutBlocking(descriptor);
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let leftOut = 0;
  let hasReader = true;
  let retry: NodeJS.Timeout | undefined;

  function add(line: string): void {
    const bytes = Buffer.from(line);
    waiting.push(bytes);
    waitingBytes += bytes.length;
  }

  function writeWaiting(): void {
    for (let next = waiting[0]; next; next = waiting[0]) {
      const written = writeSync(target, next);
      waitingBytes -= written;
      if (written === next.length) waiting.shift();
      else waiting[0] = next.subarray(written);
    }
  }

  function flush(): void {
    clearTimeout(retry);
    try {
      writeWaiting();
      if (leftOut === 0) return;
      add(leftOutLine(leftOut));
      leftOut = 0;
      writeWaiting();
    } catch (error) {
      hasReader = systemCodeOf(error) !== 'EPIPE';
      if (hasReader) retry = setTimeout(flush, retryMs).unref();
      else waiting.length = 0;
    }
  }

  return {
    write: (line) => {
      if (!hasReader) return;
      if (waitingBytes < longestWaitingBytes) add(line);
      else leftOut++;
      flush();
    },
  };
}

/** Level 40 is `warn`. */
function leftOutLine(lines: number): string {
  return `${JSON.stringify({ level: 40, time: Date.now(), lines, msg: 'Lines of the log could not be written' })}\n`;
}

/**
 * The same pipe or terminal, opened once more to be written to without waiting; others that use the descriptor wait as before. Everything else is
 * never full for long, or cannot be opened so.
 */
function withoutBlocking(descriptor: number): number {
  try {
    const file = fstatSync(descriptor);
    if (process.platform !== 'linux' || !(file.isFIFO() || file.isCharacterDevice())) return descriptor;
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return descriptor;
  }
}
