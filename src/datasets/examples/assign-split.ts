import { hash } from 'node:crypto';
import { plainText } from '#kernel';
import type { ExampleContent } from '../content/example-content.ts';
import type { Split } from './new-examples.ts';

export type SplitRule = { test_ratio: number; split_seed: number };

/**
 * The split of an example that does not state its own: derived from the seed and its content, so that it is the same on
 * every day and in every order of rows. For a search the query counts, however it is written, because a query with
 * several answers would be evaluated with what was trained on.
 */
export function assignSplit(content: ExampleContent, contentHash: Buffer, rule: SplitRule): Split {
  return 'query' in content ? assignQuerySplit(content.query, rule) : splitOf(contentHash, rule);
}

export function assignQuerySplit(query: string, rule: SplitRule): Split {
  return splitOf(Buffer.from(hash('sha256', plainText(query), 'binary'), 'binary'), rule);
}

function splitOf(digest: Buffer, { test_ratio: testRatio, split_seed: seed }: SplitRule): Split {
  return mix(digest.readUInt32LE(16) ^ mix(seed | 0)) / 2 ** 32 < testRatio ? 'test' : 'train';
}

/** A bijection of 32-bit words in which every bit depends on all (the finaliser of MurmurHash3). */
function mix(word: number): number {
  let x = word;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
