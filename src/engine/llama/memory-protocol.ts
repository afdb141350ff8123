import type { DeviceMemory } from './addon.ts';
import type { ChildConfig } from './protocol.ts';

/** In main memory, and in that of GPUs. */
export type MemoryBytes = { ram: number; vram: number };

/** What a model would take, were it loaded so, with each of these contexts. */
export type MeasureRequest = {
  config: ChildConfig;
  contexts: readonly { contextTokens: number; sequences: number }[];
};

export type MeasuredMemory = {
  weights: MemoryBytes;
  /** In the order of the request. */
  contexts: MemoryBytes[];
  layers: number;
  needsCheckpoints: boolean;
  /** Some weights are stored anew in another order, so that the mapped file would hold them a second time. */
  isRepacked: boolean;
  device: DeviceMemory | null;
};
