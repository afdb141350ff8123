import { byteUnit, number, type SettingsOf } from './setting.ts';

export type EngineValues = {
  /** null: what suits the machine. */
  engineThreads: number | null;
  engineGpu: 'auto' | false;
  engineSequences: number;
  engineQueue: number;
  /** 0: never. */
  engineIdleUnloadMs: number;
  /** null: what the machine has. */
  engineMemoryBytes: number | null;
};

const gpuModes = { auto: 'auto', off: false } as const;

export const engineSettings: SettingsOf<EngineValues> = {
  engineThreads: {
    env: 'FANFOLD_ENGINE_THREADS',
    fallback: null,
    expected: 'a number of threads, 1 to 256',
    read: number(1, 256),
  },
  engineGpu: {
    env: 'FANFOLD_ENGINE_GPU',
    fallback: false,
    expected: 'auto or off',
    read: (text: string) => (text === 'auto' || text === 'off' ? gpuModes[text] : undefined),
  },
  engineSequences: {
    env: 'FANFOLD_ENGINE_SEQUENCES',
    fallback: 8,
    expected: 'a number of calls at a time, 1 to 64',
    read: number(1, 64),
  },
  engineQueue: {
    env: 'FANFOLD_ENGINE_QUEUE',
    fallback: 1_000,
    expected: 'a number of waiting calls, 1 to 10000',
    read: number(1, 10_000),
  },
  engineIdleUnloadMs: {
    env: 'FANFOLD_ENGINE_IDLE_SECONDS',
    fallback: 1_800_000,
    expected: 'seconds, 0 (never unload) to 10000000',
    read: number(0, 10_000_000, 1000),
  },
  engineMemoryBytes: {
    env: 'FANFOLD_ENGINE_MEMORY_MIB',
    fallback: null,
    expected: 'MiB, 64 or more',
    read: number(64, 100_000_000, byteUnit),
  },
};
