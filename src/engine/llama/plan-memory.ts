import type { EngineModel } from '../port.ts';
import { needOfFile } from './memory.ts';
import { readModelFile } from './model-file.ts';

/** What a model takes when it is loaded, bytes: for itself, and for contexts of adapters where there is room for all of them. */
export type PlannedMemory = { modelBytes: number; adapterBytes: number };

/** What the memory plan would count for an installed model. Throws the file system's error when the file cannot be read. */
export async function planMemory(
  model: Pick<EngineModel, 'kind' | 'ggufPath' | 'maxContextTokens'>,
  settings: { sequences: number; batchTokens: number },
): Promise<PlannedMemory> {
  const need = needOfFile(model, await readModelFile(model.ggufPath), settings);
  return { modelBytes: need.baseBytes, adapterBytes: need.mostContexts * need.contextBytes };
}
