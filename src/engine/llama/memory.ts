import type { EngineModelKind, KvType } from '../port.ts';
import { checkpointLimits } from './checkpoints.ts';
import type { MeasuredMemory, MemoryBytes } from './memory-protocol.ts';
import type { ChildConfig } from './protocol.ts';

/** The memory plan of a load: what it needs, how many calls and adapters it has memory for, and which idle models are unloaded for it. */

export type LoadedModel = { id: string; memory: MemoryBytes; idle: boolean; lastUsedMs: number };

/** What a model takes that runs so many calls at once. */
export type LoadOption = {
  sequences: number;
  base: MemoryBytes;
  /** For each context for adapters beside the base's. */
  adapterContext: MemoryBytes;
  /** There is no use for more of them. */
  mostContexts: number;
};

/** A load for which memory is reserved. */
export type PlannedLoad = { config: ChildConfig; memory: MemoryBytes };

/** From the most calls at once to the fewest. */
export type MemoryNeed = readonly LoadOption[];

export type LoadPlan = {
  type: 'fits';
  evict: string[];
  sequences: number;
  adapterContexts: number;
  /** What is reserved. Layers for which there is no memory on the GPU are in main memory. */
  memory: MemoryBytes;
  /** All layers fit on the GPU, or there is none. */
  isWhole: boolean;
};
export type RefusedPlan = { type: 'refused'; neededBytes: number; freeBytes: number; busy: boolean };

const processBytes = 120e6;
/** Of the weights of its base, what an adapter of a usual rank weighs at most. */
const adapterShare = 0.03;

/** Contexts for adapters beside the base's where there is memory, at least; those of texts have so many shares of the base's sequences. */
export const fewestAdapterContexts = 2;
const mostAdapterContexts = 16;
const adapterContextBytes = 384e6;

export function adapterSequences(sequences: number): number {
  return Math.ceil(sequences / fewestAdapterContexts);
}

export type MeasuredModel = Pick<MeasuredMemory, 'weights' | 'needsCheckpoints'> & {
  kind: EngineModelKind;
  fileBytes: number;
  /** By their sequences. */
  contexts: ReadonlyMap<number, MemoryBytes>;
  /** Main memory is the memory of the GPU. */
  isUnified: boolean;
};

/** What each number of calls at once takes. */
export function needOf(model: MeasuredModel, sequences: readonly number[]): MemoryNeed {
  return sequences.map((count): LoadOption => {
    const { base, adapterContext } = bytesOf(model, count);
    const affordable = Math.floor(adapterContextBytes / (adapterContext.ram + adapterContext.vram));
    const mostContexts = Math.max(fewestAdapterContexts, Math.min(mostAdapterContexts, affordable));
    return { sequences: count, base, adapterContext, mostContexts };
  });
}

function bytesOf(model: MeasuredModel, sequences: number): { base: MemoryBytes; adapterContext: MemoryBytes } {
  const { kind, weights, fileBytes, needsCheckpoints, isUnified } = model;
  const checkpoints = kind === 'text' && needsCheckpoints ? checkpointLimits(sequences, fileBytes).bytes : 0;
  const base = sumOf(weights, contextOf(model, sequences), { ram: processBytes + checkpoints, vram: 0 });
  const adapter = fileBytes * adapterShare;
  const isOnGpu = weights.vram > weights.ram;
  const adapterContext = sumOf(contextOf(model, kind === 'text' ? adapterSequences(sequences) : sequences), {
    ram: isOnGpu ? 0 : adapter,
    vram: isOnGpu ? adapter : 0,
  });
  const merged = ({ ram, vram }: MemoryBytes) => ({ ram: Math.ceil(ram + vram), vram: 0 });
  return isUnified
    ? { base: merged(base), adapterContext: merged(adapterContext) }
    : { base: roundedUp(base), adapterContext: roundedUp(adapterContext) };
}

function contextOf({ contexts }: MeasuredModel, sequences: number): MemoryBytes {
  const bytes = contexts.get(sequences);
  if (bytes === undefined) throw new Error(`A context of ${sequences} sequences was not measured. This is a bug.`);
  return bytes;
}

/** Bytes of an f16 cache cell of common models: it grows with small models, and hardly with those of more than a few hundred MB. */
function cellBytesOf(fileBytes: number): number {
  return Math.min(fileBytes / 5_000, 100e3 + fileBytes * 3e-6);
}

/** Loaded weights take more than their file where they are repacked or used twice. */
export const weightsOfFile = 1.05;
const sizeOfKv: Record<KvType, number> = { f16: 1, q8_0: 17 / 32, q4_0: 9 / 32 };

/** Of a file that llama.cpp could not measure. */
export function estimateMemory(
  file: { fileBytes: number; kv: KvType },
  { contextTokens, sequences }: { contextTokens: number; sequences: readonly number[] },
): Pick<MeasuredModel, 'weights' | 'contexts' | 'needsCheckpoints'> {
  const cell = cellBytesOf(file.fileBytes) * sizeOfKv[file.kv];
  return {
    weights: { ram: file.fileBytes * weightsOfFile, vram: 0 },
    contexts: new Map(sequences.map((count) => [count, { ram: count * contextTokens * cell, vram: 0 }])),
    needsCheckpoints: false,
  };
}

type PlanState = {
  need: MemoryNeed;
  free: MemoryBytes;
  limitBytes: number | null;
  loaded: readonly LoadedModel[];
};

/**
 * Idle models go first, the least recently used one before the others, and no more than needed. `free` is what the machine or
 * container has left; `limitBytes` bounds the main memory of all loaded models. Where memory is short, there are fewer contexts for
 * adapters, or none, then fewer calls at once, and then layers off the GPU, which make every call slow, rather than no model.
 */
export function planLoad({ need, limitBytes, loaded, ...state }: PlanState): LoadPlan | RefusedPlan {
  const used = loaded.reduce((sum, { memory }) => sum + memory.ram, 0);
  const ram = Math.min(state.free.ram, limitBytes === null ? Infinity : limitBytes - used);
  const idle = loaded.filter((model) => model.idle).sort((a, b) => a.lastUsedMs - b.lastUsedMs);
  const memory = { free: { ram, vram: Math.max(0, state.free.vram) }, idle };
  const plan = firstPlan(need, memory, fitsWhole) ?? firstPlan(need, memory, fitsInto);
  if (plan !== null) return plan;
  const least = need.at(-1)?.base ?? nothing;
  const mostFree = idle.reduce((sum, model) => sumOf(sum, model.memory), memory.free);
  const neededBytes = placed(least, mostFree).ram;
  return { type: 'refused', neededBytes, freeBytes: mostFree.ram, busy: idle.length < loaded.length };
}

type Capacity = { free: MemoryBytes; idle: readonly LoadedModel[] };

function firstPlan(need: MemoryNeed, capacity: Capacity, fits: typeof fitsInto): LoadPlan | null {
  for (const option of need) {
    const { base, adapterContext, mostContexts, sequences } = option;
    for (let contexts = Math.min(fewestAdapterContexts, mostContexts); contexts >= 0; contexts--) {
      const found = chooseEvictions(capacity, (free) => fits(sumOf(base, times(contexts, adapterContext)), free));
      if (found === null) continue;
      const { evict, free } = found;
      const isWhole = fits === fitsWhole;
      // More of them are not worth the unloading of a model, nor a layer on the GPU.
      const adapterContexts = contexts === 0 || !isWhole ? contexts : mostOf(option, free);
      const needed = sumOf(base, times(adapterContexts, adapterContext));
      return { type: 'fits', evict, sequences, adapterContexts, memory: placed(needed, free), isWhole };
    }
  }
  return null;
}

function mostOf({ base, adapterContext, mostContexts }: LoadOption, free: MemoryBytes): number {
  const count = (left: number, each: number) => (each === 0 ? Infinity : Math.floor(left / each));
  const more = Math.min(
    count(free.ram - base.ram, adapterContext.ram),
    count(free.vram - base.vram, adapterContext.vram),
  );
  return Math.min(more, mostContexts);
}

type Evictions = { evict: string[]; free: MemoryBytes };

/** Which idle models go, in their order, until there is so much memory; null: all of them do not make enough. */
function chooseEvictions({ free, idle }: Capacity, fits: (free: MemoryBytes) => boolean): Evictions | null {
  const evict: string[] = [];
  let left = free;
  for (const { id, memory } of idle) {
    if (fits(left)) break;
    left = sumOf(left, memory);
    evict.push(id);
  }
  return fits(left) ? { evict, free: left } : null;
}

/** What does not fit on the GPU is in main memory. */
function placed({ ram, vram }: MemoryBytes, free: MemoryBytes): MemoryBytes {
  const onGpu = Math.min(vram, free.vram);
  return { ram: ram + vram - onGpu, vram: onGpu };
}

export function fitsWhole(needed: MemoryBytes, free: MemoryBytes): boolean {
  return needed.ram <= free.ram && needed.vram <= free.vram;
}

/** With layers on the processor where need be. */
export function fitsInto(needed: MemoryBytes, free: MemoryBytes): boolean {
  return placed(needed, free).ram <= free.ram;
}

const nothing: MemoryBytes = { ram: 0, vram: 0 };

export function sumOf(...parts: readonly MemoryBytes[]): MemoryBytes {
  return parts.reduce((sum, { ram, vram }) => ({ ram: sum.ram + ram, vram: sum.vram + vram }), nothing);
}

export function times(count: number, { ram, vram }: MemoryBytes): MemoryBytes {
  return { ram: count * ram, vram: count * vram };
}

function roundedUp({ ram, vram }: MemoryBytes): MemoryBytes {
  return { ram: Math.ceil(ram), vram: Math.ceil(vram) };
}
