import type { ModelShape } from './gguf-shape.ts';

/** The memory plan of a load: what it needs, and which idle models make room. Pure. */

export type LoadedModel = { id: string; bytes: number; idle: boolean; lastUsedMs: number };

export type MemoryPlan =
  | { type: 'fits'; evict: string[] }
  | { type: 'refused'; neededBytes: number; freeBytes: number; busy: boolean };

/** A Node process with the native library loaded, without a model. */
const processBytes = 120e6;
const bytesPerCacheValue = 2;

/** Contexts for adapters beside the base's, at least; their sequences are shares of the base's. */
export const fewestAdapterContexts = 2;
const mostAdapterContexts = 16;
/** What they may take beyond the fewest. */
const adapterContextBytes = 384e6;

/** How many contexts a model has for adapters: where they are small, many adapters need not take turns in few. */
export function adapterContexts(model: { shape: ModelShape | null; cells: number; batchTokens: number }): number {
  const { shape, cells, batchTokens } = model;
  if (shape === null) return fewestAdapterContexts;
  const share = cells / fewestAdapterContexts;
  const bytes = share * shape.cacheValuesPerToken * bytesPerCacheValue + batchTokens * shape.vocabulary * 4;
  return Math.max(fewestAdapterContexts, Math.min(mostAdapterContexts, Math.floor(adapterContextBytes / bytes)));
}

/** Bytes that a loaded model takes: weights, key-value cache of all its cells, output buffer, process. */
export function neededBytes(model: {
  fileBytes: number;
  shape: ModelShape | null;
  cells: number;
  batchTokens: number;
}) {
  const { fileBytes, shape, cells, batchTokens } = model;
  // Without a readable header: an f16 cache cell of common models is about 1/5,000 of their 8-bit weights.
  const cellBytes = shape === null ? fileBytes / 5_000 : shape.cacheValuesPerToken * bytesPerCacheValue;
  const outputBytes = batchTokens * (shape?.vocabulary ?? 0) * 4;
  return Math.ceil(processBytes + fileBytes * 1.05 + cells * cellBytes + outputBytes);
}

/**
 * Idle models go first, the least recently used one before the others, and no more than needed. `freeBytes` is what
 * the machine or container has left; `limitBytes` bounds the sum of all loaded models.
 */
export function planLoad(state: {
  neededBytes: number;
  freeBytes: number;
  limitBytes: number | null;
  loaded: readonly LoadedModel[];
}): MemoryPlan {
  const used = state.loaded.reduce((sum, model) => sum + model.bytes, 0);
  let freeBytes = Math.min(state.freeBytes, state.limitBytes === null ? Infinity : state.limitBytes - used);
  const evict: string[] = [];
  const idle = state.loaded.filter((model) => model.idle).sort((a, b) => a.lastUsedMs - b.lastUsedMs);
  for (const model of idle) {
    if (freeBytes >= state.neededBytes) break;
    freeBytes += model.bytes;
    evict.push(model.id);
  }
  if (freeBytes >= state.neededBytes) return { type: 'fits', evict };
  const busy = idle.length < state.loaded.length;
  return { type: 'refused', neededBytes: state.neededBytes, freeBytes, busy };
}
