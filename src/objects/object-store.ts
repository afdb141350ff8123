import type { Readable } from 'node:stream';

type ByteRange = { start: number; end: number };

export type StoredObject = { bytes: number; sha256: string };

export type ListedObject = { key: string; bytes: number; changedMs: number };

/**
 * Where files live that are too large for the database: uploads, dataset files, adapters. A folder by default, S3 by
 * configuration. Keys are made by the program, never by a caller: words and ids, divided by `/`. Write a key into the
 * database before its object, so that what a crash leaves behind can be found without a list: lists are slow, and do not say who needs what.
 */
export type ObjectStore = {
  /**
   * Streams an object into place: whole once this resolves, and not there at all when it rejects. A second object
   * under the same key replaces the first.
   */
  put: (key: string, source: Readable, options?: { signal?: AbortSignal }) => Promise<StoredObject>;
  /** Throws `artifact_not_found`. The reader must consume or destroy the stream. */
  get: (key: string, range?: ByteRange) => Promise<Readable>;
  /** Size in bytes, or null when there is no such object. */
  size: (key: string) => Promise<number | null>;
  /** Without an object it does nothing. */
  remove: (key: string) => Promise<void>;
  /** All objects, some at a time and in no order; for operators. What no `put` can have made is left out. */
  list: (options?: { atOnce?: number }) => AsyncIterable<ListedObject[]>;
  /** Fails with an operator's error when the store cannot be written. */
  check: () => Promise<void>;
  close: () => Promise<void>;
};

const part = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

export function isKey(key: string): boolean {
  return key.length <= 900 && key.split('/').every((word) => part.test(word));
}

/** A key that is not well-formed is a bug: ids from requests are looked up in the database first. */
export function checkKey(key: string): string {
  if (isKey(key)) return key;
  throw new Error(`${JSON.stringify(key)} is not the key of an object. This is a bug.`);
}
