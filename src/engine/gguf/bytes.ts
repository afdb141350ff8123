import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { quotedText } from '#kernel';

const windowBytes = 1 << 20;
const mostHeaderBytes = 128 * 1024 * 1024;

/** A file that cannot be taken for GGUF. The message is one line for a person and names the file. */
export class GgufError extends Error {
  override readonly name = 'GgufError';
}

/**
 * Little-endian reads from the head of a file through a window of 1 MiB, so that memory does not depend on what the
 * file claims. Every read is checked against the end of the file and against the longest header we accept.
 */
export type GgufBytes = {
  file: string;
  end: number;
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
  string: (limit: number, what: string) => string;
};

/** Fills `target` with what the file has from `position` on; returns how many bytes that were. */
export type GgufSource = (target: Buffer, position: number) => number;

/** Lets `read` see the bytes of a file. Throws the file system's error where it cannot be opened or read. */
export function readGgufFile<T>(path: string, read: (bytes: GgufBytes, fileBytes: number) => T): T {
  const fd = openSync(path, 'r');
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new GgufError(`${path} is not a file.`);
    const source: GgufSource = (target, position) => readFully(fd, target, position);
    return read(openGgufBytes(source, Math.min(stat.size, mostHeaderBytes), basename(path)), stat.size);
  } finally {
    closeSync(fd);
  }
}

/** @param end first byte that may not be read: the size of the source, or less. */
export function openGgufBytes(source: GgufSource, end: number, file: string): GgufBytes {
  const head = openWindow(source, end, file);
  const { bytes, take } = head;
  const count = (limit: number, what: string): number => {
    const at = take(8);
    // Without bigint: a vocabulary has 300,000 lengths. Beyond 2^53 this rounds, and every limit is below.
    const value = bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
    if (value > limit) {
      const exact = bytes.readBigUInt64LE(at);
      throw new GgufError(`${file}: ${what} is ${exact}, more than the ${limit} allowed; the file is damaged.`);
    }
    return value;
  };
  return {
    file,
    end,
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

function openWindow(source: GgufSource, end: number, file: string) {
  const bytes = Buffer.alloc(Math.min(windowBytes, Math.max(end, 1)));
  let windowStart = 0;
  let windowLength = 0;
  let at = 0;

  const skip = (length: number): void => {
    if (length > end - at) {
      throw new GgufError(`${file}: the header is cut short or too large; the file is damaged.`);
    }
    at += length;
  };
  const fill = (target: Buffer, from: number, needed: number): number => {
    const got = source(target, from);
    if (got < needed) throw new GgufError(`${file}: the file changed while it was read.`);
    return got;
  };
  return {
    bytes,
    position: () => at,
    skip,
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

function readFully(fd: number, target: Buffer, position: number): number {
  let filled = 0;
  while (filled < target.length) {
    const got = readSync(fd, target, filled, target.length - filled, position + filled);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}

/** A name from a file, safe to print: quoted, cut where it is long, and without control characters and line ends. */
export function quoted(name: string): string {
  return quotedText(name).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, '?');
}
