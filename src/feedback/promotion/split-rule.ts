import { hash } from 'node:crypto';
import type { Split } from '#datasets';
import { plainText } from '#kernel';

/**
 * The split for examples of a query: `test` for a fixed part of all queries, else `train`. It depends on the words of
 * the query alone, so that a query which is reported a thousand times is never in both splits.
 */
export function splitByRatio(testRatio: number): (query: string) => Split {
  return (query) => (placeOf(query) < testRatio ? 'test' : 'train');
}

/** 0 to 1, evenly. */
function placeOf(query: string): number {
  const digest = hash('sha256', plainText(query), 'buffer');
  return digest.readUInt32BE(0) / 2 ** 32;
}
