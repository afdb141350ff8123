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
  const head = openWindow(fd, end, file);
  const { bytes, take } = head;
  const count = (limit: number, what: string): number => {
    const value = bytes.readBigUInt64LE(take(8));
    if (value > BigInt(limit)) {
      throw new ModelError(`${file}: ${what} is ${value}, more than the ${limit} allowed; the file is damaged.`);
    }
    return Number(value);
  };
  return {
    position: head.position,
    skip: head.skip,
    u8: () => bytes.readUInt8(take(1)),
    u16: () => bytes.readUInt16LE(take(2)),
    i16: () => bytes.readInt16LE(take(2)),
    u32: () => bytes.readUInt32LE(take(4)),
    i32: () => bytes.readInt32LE(take(4)),
    f32: () => bytes.readFloatLE(take(4)),
    f64: () => bytes.readDoubleLE(take(8)),
    i64: () => bytes.readBigInt64LE(take(8)),
    u64: () => bytes.readBigUInt64LE(take(8)),
    count,
    string: (limit, what) => head.copy(count(limit, `the length of ${what}`)).toString('utf8'),
  };
}

function openWindow(fd: number, end: number, file: string) {
  const bytes = Buffer.alloc(Math.min(windowBytes, Math.max(end, 1)));
  let windowStart = 0;
  let windowLength = 0;
  let at = 0;

  const skip = (length: number): void => {
    if (length > end - at) throw new ModelError(`${file}: the header is cut short or too large; the file is damaged.`);
    at += length;
  };
  const fill = (target: Buffer, from: number, needed: number): number => {
    const got = readFully(fd, target, from);
    if (got < needed) throw new ModelError(`${file}: the file changed while it was read.`);
    return got;
  };
  return {
    bytes,
    position: () => at,
    skip,
    /** Moves past the next `length` (at most 8) bytes and returns where they stand in `bytes`. */
    take(length: number): number {
      const from = at;
      skip(length);
      if (from < windowStart || at > windowStart + windowLength) {
        windowStart = from;
        windowLength = fill(bytes, from, length);
      }
      return from - windowStart;
    },
    copy(length: number): Buffer {
      const from = at;
      skip(length);
      const copied = Buffer.alloc(length);
      fill(copied, from, length);
      return copied;
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
