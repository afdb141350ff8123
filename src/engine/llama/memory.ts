import type { EngineModel } from '../port.ts';
import { checkpointLimits } from './checkpoints.ts';
import { type ModelShape, readModelFile, shapeOfHead } from './model-file.ts';

/** The memory plan of a load: what it needs, and which idle models are unloaded for it. */

export type LoadedModel = { id: string; bytes: number; idle: boolean; lastUsedMs: number };

export type MemoryPlan =
  | { type: 'fits'; evict: string[]; adapterContexts: number }
  | { type: 'refused'; neededBytes: number; freeBytes: number; busy: boolean };

export type ModelSize = {
  kind: 'text' | 'embedding';
  fileBytes: number;
  shape: ModelShape | null;
  sequences: number;
  contextTokens: number;
  batchTokens: number;
};

/** What a load asks for: as many contexts for adapters as there is memory for, up to a bound. */
export type MemoryNeed = {
  baseBytes: number;
  contextBytes: number;
  mostContexts: number;
};

const processBytes = 120e6;
const bytesPerCacheValue = 2;
const bytesPerStateValue = 4;
/** llama.cpp rounds the cells of windows up to a multiple of this. */
const cellMultiple = 256;
/** Of the weights of its base, what an adapter of a usual rank weighs at most. */
const adapterShare = 0.03;

/** Contexts for adapters beside the base's where there is memory, at least; those of texts have so many shares of the base's sequences. */
export const fewestAdapterContexts = 2;
const mostAdapterContexts = 16;
const adapterContextBytes = 384e6;

/** The same for a model as it is installed, and as many calls at once as the settings say. */
export function needOfFile(
  { kind, maxContextTokens }: { kind: ModelSize['kind']; maxContextTokens: number },
  file: { bytes: number; shape: ModelShape | null },
  { sequences, batchTokens }: { sequences: number; batchTokens: number },
): MemoryNeed {
  return needOf({
    kind,
    fileBytes: file.bytes,
    shape: file.shape,
    batchTokens,
    contextTokens: maxContextTokens,
    // The context of an embedding model has one sequence, whoever it is for.
    sequences: kind === 'text' ? sequences : 1,
  });
}

export function needOf(model: ModelSize): MemoryNeed {
  const { kind, fileBytes, shape, batchTokens } = model;
  const outputBytes = batchTokens * (shape?.vocabulary ?? 0) * 4;
  const cacheBytes = model.sequences * sequenceBytes(model);
  const checkpointBytes = kind === 'text' ? bytesOfCheckpoints(model) : 0;
  const adapterCacheBytes = kind === 'text' ? cacheBytes / fewestAdapterContexts : cacheBytes;
  const contextBytes = Math.ceil(adapterCacheBytes + outputBytes + fileBytes * adapterShare);
  // Where they are small, many adapters need not take turns in few.
  const affordable = shape === null ? 0 : Math.floor(adapterContextBytes / contextBytes);
  return {
    baseBytes: Math.ceil(processBytes + fileBytes * 1.05 + cacheBytes + checkpointBytes + outputBytes),
    contextBytes,
    mostContexts: Math.max(fewestAdapterContexts, Math.min(mostAdapterContexts, affordable)),
  };
}

/** The cells of one sequence in all layers, and the states of recurrent ones. */
function sequenceBytes({ fileBytes, shape, contextTokens, batchTokens }: ModelSize): number {
  // Without a readable header: an f16 cache cell of common models is about 1/5,000 of their 8-bit weights.
  if (shape === null) return contextTokens * (fileBytes / 5_000);
  return (
    contextTokens * shape.cacheValuesPerToken * bytesPerCacheValue + partBytes(shape, { contextTokens, batchTokens })
  );
}

function bytesOfCheckpoints({ shape, sequences, fileBytes, ...size }: ModelSize): number {
  const one = shape === null ? 0 : partBytes(shape, size);
  const limits = checkpointLimits(sequences, fileBytes);
  return Math.min(limits.bytes, limits.count * one) + one;
}

/** What windows and recurrent layers keep of one sequence, which is what a checkpoint holds. */
function partBytes(
  shape: ModelShape,
  { contextTokens, batchTokens }: Pick<ModelSize, 'contextTokens' | 'batchTokens'>,
) {
  const { tokens, valuesPerToken } = shape.window ?? { tokens: 0, valuesPerToken: 0 };
  const cells = Math.min(contextTokens, Math.ceil((tokens + batchTokens) / cellMultiple) * cellMultiple);
  return cells * valuesPerToken * bytesPerCacheValue + shape.stateValues * bytesPerStateValue;
}

/**
 * Idle models go first, the least recently used one before the others, and no more than needed. `freeBytes` is what
 * the machine or container has left; `limitBytes` bounds the sum of all loaded models. Where memory is short, there are fewer
 * contexts for adapters, or none, rather than no model.
 */
export function planLoad(state: {
  need: MemoryNeed;
  freeBytes: number;
  limitBytes: number | null;
  loaded: readonly LoadedModel[];
}): MemoryPlan {
  const { baseBytes, contextBytes, mostContexts } = state.need;
  const used = state.loaded.reduce((sum, model) => sum + model.bytes, 0);
  const freeBytes = Math.min(state.freeBytes, state.limitBytes === null ? Infinity : state.limitBytes - used);
  const idle = state.loaded.filter((model) => model.idle).sort((a, b) => a.lastUsedMs - b.lastUsedMs);
  for (let contexts = Math.min(fewestAdapterContexts, mostContexts); contexts >= 0; contexts--) {
    const found = chooseEvictions({ neededBytes: baseBytes + contexts * contextBytes, freeBytes, idle });
    if (found === null) continue;
    // More of them are not worth the unloading of a model.
    const more = contexts === 0 ? 0 : Math.floor((found.freeBytes - baseBytes) / contextBytes);
    return { type: 'fits', evict: found.evict, adapterContexts: Math.max(contexts, Math.min(more, mostContexts)) };
  }
  const mostFree = idle.reduce((sum, model) => sum + model.bytes, freeBytes);
  return { type: 'refused', neededBytes: baseBytes, freeBytes: mostFree, busy: idle.length < state.loaded.length };
}

/** Which idle models go, in their order, until there is so much memory; null: all of them do not make enough. */
function chooseEvictions(state: {
  neededBytes: number;
  freeBytes: number;
  idle: readonly LoadedModel[];
}): { evict: string[]; freeBytes: number } | null {
  let { freeBytes } = state;
  const evict: string[] = [];
  for (const model of state.idle) {
    if (freeBytes >= state.neededBytes) break;
    freeBytes += model.bytes;
    evict.push(model.id);
  }
  return freeBytes >= state.neededBytes ? { evict, freeBytes } : null;
}

export type PlannedMemory = { modelBytes: number; adapterBytes: number };

/** What the memory plan would count for an installed model. Throws the file system's error when the file cannot be read. */
export async function planMemory(
  model: Pick<EngineModel, 'kind' | 'ggufPath' | 'maxContextTokens'>,
  settings: { sequences: number; batchTokens: number },
): Promise<PlannedMemory> {
  return plannedOf(needOfFile(model, await readModelFile(model.ggufPath), settings));
}

/** The same for a model that is not here, from the first bytes of its file and its size. */
export function planMemoryOfHead(
  model: Pick<EngineModel, 'kind' | 'maxContextTokens'> & { head: Buffer; bytes: number },
  settings: { sequences: number; batchTokens: number },
): PlannedMemory {
  return plannedOf(needOfFile(model, { bytes: model.bytes, shape: shapeOfHead(model.head, 'head') }, settings));
}

function plannedOf({ baseBytes, contextBytes, mostContexts }: MemoryNeed): PlannedMemory {
  return { modelBytes: baseBytes, adapterBytes: mostContexts * contextBytes };
}
