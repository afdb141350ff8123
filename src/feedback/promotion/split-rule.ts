import { hash } from 'node:crypto';
import type { Split } from '#datasets';
import { plain } from '../assessment/pairs.ts';

/**
 * Which split the example of a query goes to: a part of all queries to `test`. By the words of the query alone, so that
 * a query which is reported a thousand times never stands on both sides.
 */
export function splitByRatio(testRatio: number): (query: string) => Split {
  return (query) => (placeOf(query) < testRatio ? 'test' : 'train');
}

/** 0 to 1, evenly. */
function placeOf(query: string): number {
  const digest = hash('sha256', plain(query), 'buffer');
  return digest.readUInt32BE(0) / 2 ** 32;
}
