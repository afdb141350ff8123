import type { Transaction } from '#db';
import { lockForChange } from '../dataset-access.ts';
import { changeExample } from './change-example.ts';
import { findExample } from './example-list.store.ts';
import type { PreparedExample } from './new-examples.ts';

/** Another content for an example of the head that still says what it is known to have said. */
export type Replacement = { id: string; knownHash: Buffer; content: PreparedExample };

/** `changed`: somebody has changed or removed the example meanwhile, and it stays as he left it. */
export type ReplacedExample = 'replaced' | 'rejected' | 'changed';

/**
 * Replaces contents, each for itself, under one lock of the dataset until the transaction ends. Splits stay. Throws as
 * `addExamples`.
 */
export async function replaceExamples(
  tx: Transaction,
  { datasetId, replacements }: { datasetId: string; replacements: readonly Replacement[] },
): Promise<ReplacedExample[]> {
  let dataset = await lockForChange(tx, datasetId);
  const results: ReplacedExample[] = [];
  for (const { id, knownHash, content } of replacements) {
    const before = await findExample(tx, datasetId, id);
    if (!before?.hash.equals(knownHash)) results.push('changed');
    else if (!content.example) results.push('rejected');
    else {
      const { split } = before;
      await changeExample(tx, dataset, { id, change: { content: content.example, split } });
      dataset = await lockForChange(tx, datasetId);
      results.push('replaced');
    }
  }
  return results;
}
