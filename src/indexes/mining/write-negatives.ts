import type { Dataset, Datasets, LockedDataset, PreparedExample, ReplacedExample } from '#datasets';
import type { Transaction } from '#db';
import type { MinedExample } from './mine.ts';

/** What was mined, checked and counted, before anything is locked. */
export type PreparedNegatives = { mined: MinedExample[]; prepared: PreparedExample[] };

type Measured = Pick<Dataset | LockedDataset, 'kind' | 'targetModel'>;

export async function prepareNegatives(
  datasets: Pick<Datasets, 'prepare'>,
  { dataset, examples, signal }: { dataset: Measured; examples: readonly MinedExample[]; signal: AbortSignal },
): Promise<PreparedNegatives> {
  const mined = examples.filter(({ status }) => status === 'mined');
  const drafts = mined.map(({ content, example: { split, origin, originId } }) => ({
    content,
    split,
    origin,
    originId,
  }));
  return { mined, prepared: drafts.length > 0 ? await datasets.prepare(dataset, drafts, signal) : [] };
}

/** Into the head of the dataset, by the id of the example; what somebody has changed since the version stays as it is. */
export async function writeNegatives(
  tx: Transaction,
  datasets: Pick<Datasets, 'replaceExamples'>,
  { datasetId, negatives: { mined, prepared } }: { datasetId: string; negatives: PreparedNegatives },
): Promise<Map<string, ReplacedExample>> {
  const replacements = mined.flatMap(({ example: { id, hash: knownHash } }, at) => {
    const content = prepared[at];
    return content ? [{ id, knownHash, content }] : [];
  });
  const results = await datasets.replaceExamples(tx, { datasetId, replacements });
  return new Map(
    replacements.flatMap(({ id }, at) => {
      const result = results[at];
      return result ? [[id, result] as const] : [];
    }),
  );
}
