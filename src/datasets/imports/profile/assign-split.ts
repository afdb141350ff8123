import { hash } from 'node:crypto';
import { plainText } from '#kernel';
import type { ExampleContent } from '../../content/example-content.ts';

/**
 * The split of an example that does not state its own: derived from the seed and a digest of its content, so that it is the
 * same on every day and in every order of rows.
 */
export function assignSplit(
  digest: Buffer,
  { testRatio, splitSeed }: { testRatio: number; splitSeed: number },
): 'train' | 'test' {
  return mix(digest.readUInt32LE(16) ^ mix(splitSeed | 0)) / 2 ** 32 < testRatio ? 'test' : 'train';
}

/**
 * The digest that the split of a content is derived from: for a search that of its query, however it is written, because a
 * query with several answers would be evaluated with what was trained on; otherwise that of the content.
 */
export function splitDigest(content: ExampleContent, contentHash: Buffer): Buffer {
  return 'query' in content ? Buffer.from(hash('sha256', plainText(content.query), 'binary'), 'binary') : contentHash;
}

/** A bijection of 32-bit words in which every bit depends on all (the finaliser of MurmurHash3). */
function mix(word: number): number {
  let x = word;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
