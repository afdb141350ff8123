import { fault } from '#kernel';
import type { TrainedModels } from '#models';
import type { DatasetIndex } from './dataset-index.ts';
import type { Embedder } from './embedding.ts';

type Embedded = Pick<
  DatasetIndex,
  'accountId' | 'baseModelId' | 'trainingJobId' | 'adapterSha256' | 'queryInstruction' | 'maxInputTokens'
>;

/**
 * What embeds for an index, whatever its name stands for by now. The file of an adapter is where this process has it. Throws
 * `state_conflict` when that adapter is gone.
 */
export async function openEmbedder(trainedModels: TrainedModels, index: Embedded): Promise<Embedder> {
  const { accountId, baseModelId, trainingJobId, adapterSha256, queryInstruction, maxInputTokens } = index;
  const rest = { queryInstruction, maxInputTokens };
  if (trainingJobId === null) return { target: { baseModelId, adapter: null }, ...rest };
  const adapter = (await trainedModels.find([trainingJobId], accountId)).get(trainingJobId)?.adapter ?? null;
  if (adapter?.sha256 !== adapterSha256)
    throw fault('state_conflict', {
      message: 'The adapter that this index was built with is gone. Build it anew.',
      details: { reason: 'model_changed' },
    });
  return { target: { baseModelId, adapter }, ...rest };
}
