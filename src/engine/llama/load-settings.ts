import type { GpuTarget } from '../gpu/backends.ts';
import type { EngineModel } from '../port.ts';
import type { ChildConfig } from './protocol.ts';

/** How models are loaded. */
export type LoadSettings = {
  threads: number;
  /** Left out: on the CPU. */
  gpu?: GpuTarget | false;
  sequences: number;
  batchTokens: number;
  prefillChunkTokens: number;
};

/** A child that was loaded with other ones serves nobody any more. */
export function settingsOf({ ggufPath, maxContextTokens, sequences = null, kv = 'f16' }: EngineModel): string {
  return JSON.stringify([ggufPath, maxContextTokens, sequences, kv]);
}

export function childConfig(
  { id, kind, ggufPath, maxContextTokens, kv }: EngineModel,
  { threads, gpu, batchTokens, prefillChunkTokens }: LoadSettings,
  { sequences, adapterContexts }: { sequences: number; adapterContexts: number },
): ChildConfig {
  return {
    modelId: id,
    kind,
    ggufPath,
    maxContextTokens,
    sequences,
    adapterContexts,
    batchTokens,
    prefillChunkTokens,
    threads,
    ...(gpu ? { gpu } : {}),
    ...(kv === undefined ? {} : { kv }),
  };
}
