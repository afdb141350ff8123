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
