import { readSync } from 'node:fs';
import { ModelError } from '../model-error.ts';

const windowBytes = 1 << 20;

/**
 * Little-endian reads from the head of a file through a window of 1 MiB, so that memory does not depend on what the
 * file claims. Every read is checked against the end of the file and against the longest header we accept.
 */
export type GgufBytes = {
  position: () => number;
  skip: (bytes: number) => void;
  u8: () => number;
  u16: () => number;
  i16: () => number;
  u32: () => number;
  i32: () => number;
  f32: () => number;
  f64: () => number;
  i64: () => bigint;
  u64: () => bigint;
  /** A u64 that must be at most `limit`; `what` names it in the refusal. */
  count: (limit: number, what: string) => number;
  /** u64 length and UTF-8 bytes. */
  string: (limit: number, what: string) => string;
};

/** @param end first byte that may not be read: the size of the file or the header limit, whichever is less. */
export function openGgufBytes(fd: number, end: number, file: string): GgufBytes {
  const window = Buffer.alloc(Math.min(windowBytes, Math.max(end, 1)));
  let windowStart = 0;
  let windowLength = 0;
  let at = 0;

  const claim = (bytes: number): void => {
    if (bytes > end - at) throw new ModelError(`${file}: the header is cut short or too large; the file is damaged.`);
  };

  /** Returns the offset in `window` of the next `bytes` (at most 8) and moves past them. */
  const take = (bytes: number): number => {
    claim(bytes);
    if (at < windowStart || at + bytes > windowStart + windowLength) {
      windowStart = at;
      windowLength = readFully(fd, window, at);
      if (windowLength < bytes) throw new ModelError(`${file}: the file changed while it was read.`);
    }
    const offset = at - windowStart;
    at += bytes;
    return offset;
  };

  const count = (limit: number, what: string): number => {
    const value = window.readBigUInt64LE(take(8));
    if (value > BigInt(limit)) {
      throw new ModelError(`${file}: ${what} is ${value}, more than the ${limit} allowed; the file is damaged.`);
    }
    return Number(value);
  };

  return {
    position: () => at,
    skip(bytes) {
      claim(bytes);
      at += bytes;
    },
    u8: () => window.readUInt8(take(1)),
    u16: () => window.readUInt16LE(take(2)),
    i16: () => window.readInt16LE(take(2)),
    u32: () => window.readUInt32LE(take(4)),
    i32: () => window.readInt32LE(take(4)),
    f32: () => window.readFloatLE(take(4)),
    f64: () => window.readDoubleLE(take(8)),
    i64: () => window.readBigInt64LE(take(8)),
    u64: () => window.readBigUInt64LE(take(8)),
    count,
    string(limit, what) {
      const length = count(limit, `the length of ${what}`);
      claim(length);
      const bytes = Buffer.alloc(length);
      if (readFully(fd, bytes, at) < length) throw new ModelError(`${file}: the file changed while it was read.`);
      at += length;
      return bytes.toString('utf8');
    },
  };
}

/** Fills `target` from `position`; returns how many bytes there were. */
function readFully(fd: number, target: Buffer, position: number): number {
  let filled = 0;
  while (filled < target.length) {
    const got = readSync(fd, target, filled, target.length - filled, position + filled);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}
