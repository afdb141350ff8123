import { hash } from 'node:crypto';
import { plainText } from '#kernel';
import type { ExampleContent } from '../../content/example-content.ts';

/** Where in a digest the bytes stand that a split is drawn from. */
export const drawnPlace = 16;

/**
 * The split of an example that does not say its own: drawn from the seed and four bytes of what it is drawn from, so that it
 * is the same on every day and in every order of rows. `at`: where they stand.
 */
export function drawSplit(
  bytes: Buffer,
  { testRatio, splitSeed }: { testRatio: number; splitSeed: number },
  at = drawnPlace,
): 'train' | 'test' {
  return mixed(bytes.readUInt32LE(at) ^ mixed(splitSeed | 0)) / 2 ** 32 < testRatio ? 'test' : 'train';
}

/**
 * The digest that the split of a content is drawn from, as characters: of a search that of its query, however it is
 * written, because a query with several answers would be measured with what was learned; else that of the content.
 */
export function drawnFrom(content: ExampleContent, sha256: string): string {
  return 'query' in content ? hash('sha256', plainText(content.query), 'binary') : sha256;
}

/** A bijection of 32-bit words in which every bit depends on all (the finaliser of MurmurHash3). */
function mixed(word: number): number {
  let x = word;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
