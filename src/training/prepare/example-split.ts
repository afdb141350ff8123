import { createHash } from 'node:crypto';
import type { ExampleContent, Split } from '#datasets';
import type { SnapshotSettings } from './snapshot.ts';

export type SplitExample = { id: string; split: Split; content: ExampleContent };

/**
 * Where an example goes. What is for testing stays so. Others are held out by a hash of themselves, so that examples which
 * come later move none; the same query in several examples goes one way, or it would be tested with what was learnt.
 */
export function splitOf(
  { id, split, content }: SplitExample,
  { testRatio, seed }: Pick<SnapshotSettings, 'testRatio' | 'seed'>,
): Split {
  if (split === 'test' || testRatio === null) return split;
  const own = 'query' in content ? content.query.trim().toLowerCase() : id;
  const hash = createHash('sha256').update(`${seed} ${own}`).digest().readUInt32BE(0);
  return hash / 2 ** 32 < testRatio ? 'test' : 'train';
}
