import type { Clock } from '#kernel';
import type { ProcessEnvironment } from '#processes';
import { defaultWaiting } from './fair-queue.ts';
import type { GpuTarget } from './gpu/backends.ts';
import { defaultThreads, type EngineLog } from './llama/engine-process.ts';
import type { RuntimeSettings } from './llama/runtime-state.ts';
import type { EngineModel } from './port.ts';

export type EngineSettings = RuntimeSettings & {
  /** Bound on the memory of all loaded models together; null: what the machine has. */
  memoryLimitBytes: number | null;
};

export type EngineOptions = {
  /** The installed models at present; read at every call. */
  models: () => readonly EngineModel[];
  settings?: Partial<EngineSettings>;
  clock?: Clock;
  log: EngineLog;
  /** The server's environment. Children get only names like PATH and CUDA_VISIBLE_DEVICES of it, never secrets. */
  environment?: ProcessEnvironment;
  /** Replaces the engine child. */
  childScript?: string;
  /** What models are loaded on; left out: the CPU. */
  gpu?: () => Promise<GpuTarget | false>;
  /** Bytes that the machine or the container has left. */
  freeMemory?: () => number;
};

export function defaultSettings(): EngineSettings {
  return {
    threads: defaultThreads(),
    ...defaultWaiting,
    sequences: 8,
    batchTokens: 512,
    prefillChunkTokens: 128,
    warmWaitMs: 20_000,
    idleUnloadMs: 30 * 60_000,
    hangMs: 60_000,
    memoryLimitBytes: null,
  };
}
