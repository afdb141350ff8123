import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '#kernel';
import { type ProcessEnvironment, RequestProcess } from '#processes';
import type { EngineModel } from '../port.ts';
import { type EngineLog, engineProcess } from './engine-process.ts';
import { childConfig, type LoadSettings } from './load-settings.ts';
import {
  adapterSequences,
  estimateMemory,
  type LoadPlan,
  type MeasuredModel,
  type MemoryNeed,
  needOf,
} from './memory.ts';
import type { MeasuredMemory, MeasureRequest, MemoryBytes } from './memory-protocol.ts';
import { sizeOfModel, stampOf } from './model-file.ts';
import type { ChildConfig } from './protocol.ts';
import { RecentCache } from './recent-cache.ts';

export type MeterOptions = { log: EngineLog; environment: ProcessEnvironment };

/** What a model takes, and on what. */
export type ModelMemory = {
  need: MemoryNeed;
  measured: MeasuredModel;
  device: MeasuredMemory['device'];
  layers: number;
  isRepacked: boolean;
  /** Why llama.cpp could not measure it; null: it did. */
  estimatedBecause: string | null;
};

const script = fileURLToPath(new URL('./memory-child.ts', import.meta.url));
const timeoutMs = 120_000;
const idleMs = 2_000;
const mostCached = { count: 64, characters: 64_000 };
/** Of the GPU's memory: for the driver and for what the backends allocate while they run. */
export const gpuReserveBytes = 768e6;

/** As many calls at once as the engine is set to, and, where nobody said how many, fewer. */
export function sequenceCounts({ kind, sequences }: Pick<EngineModel, 'kind' | 'sequences'>, usual: number): number[] {
  // Inputs of other models are read one after another, whoever they are for.
  if (kind !== 'text') return [1];
  if (sequences != null) return [sequences];
  const counts = [usual];
  for (let count = usual; count > 1; counts.push(count)) count = Math.ceil(count / 2);
  return counts;
}

/**
 * Measures what models would take, with llama.cpp itself, which lays everything out and allocates nothing. It has a process of its own:
 * a file may take its reader along.
 */
export class MemoryMeter {
  readonly #log: EngineLog;
  readonly #options: MeterOptions;
  /** A process loads the library for one backend only. */
  readonly #processes = new Map<string, RequestProcess<MeasureRequest, MeasuredMemory>>();
  readonly #cache = new RecentCache<MeasuredMemory>(mostCached);

  constructor(options: MeterOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** Throws the file system's error when the file cannot be read; what llama.cpp cannot read is estimated from its size. */
  async memoryOf(model: EngineModel, settings: LoadSettings): Promise<ModelMemory> {
    const { ggufPath, kind, maxContextTokens, kv = 'f16' } = model;
    const fileBytes = await sizeOfModel(ggufPath);
    const counts = sequenceCounts(model, settings.sequences);
    const all = [...new Set(kind === 'text' ? counts.flatMap((count) => [count, adapterSequences(count)]) : counts)];
    const contexts = all.map((sequences) => ({ sequences, contextTokens: maxContextTokens }));
    const config = configOf(model, settings);
    try {
      const { weights, needsCheckpoints, device, layers, isRepacked, ...found } = await this.measure(config, contexts);
      const bySequences = new Map(all.flatMap((count, i) => (found.contexts[i] ? [[count, found.contexts[i]]] : [])));
      const isUnified = device?.isMainMemory ?? false;
      const measured = { kind, fileBytes, weights, needsCheckpoints, isUnified, contexts: bySequences };
      return { need: needOf(measured, counts), measured, device, layers, isRepacked, estimatedBecause: null };
    } catch (error) {
      const reason = messageOf(error);
      this.#log('debug', 'The memory of a model is estimated', { model: model.id, reason });
      const estimate = estimateMemory({ fileBytes, kv }, { contextTokens: maxContextTokens, sequences: all });
      const measured = { kind, fileBytes, ...estimate, isUnified: false };
      const need = needOf(measured, counts);
      return { need, measured, device: null, layers: 1, isRepacked: false, estimatedBecause: reason };
    }
  }

  /** Rejects with llama.cpp's reason where the file is no model, or cannot be loaded so. */
  async measure(config: ChildConfig, contexts: MeasureRequest['contexts']): Promise<MeasuredMemory> {
    if (!(await isGguf(config.ggufPath))) throw new Error('It is not a GGUF file.');
    const request: MeasureRequest = { config, contexts };
    // What a GPU has free changes.
    const key = config.gpu ? null : `${await stampOf(config.ggufPath)} ${JSON.stringify(request)}`;
    const known = key === null ? undefined : this.#cache.get(key);
    const measured = known ?? (await this.#processFor(config).request(request));
    if (key !== null) this.#cache.set(key, measured, key.length);
    return measured;
  }

  /** How a child loads the model under a plan. */
  async placedConfig(
    config: ChildConfig,
    { isRepacked, layers }: ModelMemory,
    { sequences, adapterContexts, isWhole, memory }: LoadPlan,
  ): Promise<ChildConfig> {
    const placed = { ...config, sequences, adapterContexts, mapsFile: !isRepacked };
    if (isWhole) return placed;
    const gpuLayers = await this.layersWithin(memory, { config: placed, layers });
    const fields = { model: config.modelId, gpuLayers, layers };
    this.#log('warn', 'Some layers stay on the processor: the GPU has too little memory', fields);
    // The GPU would get work of the other layers, and memory for that.
    return gpuLayers === 0 ? { ...placed, gpu: false } : { ...placed, gpuLayers };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process.stop()));
  }

  #processFor({ gpu = false }: ChildConfig): RequestProcess<MeasureRequest, MeasuredMemory> {
    const { log, environment } = this.#options;
    const { backend, libraryFolders } = gpu === false ? { backend: 'cpu', libraryFolders: [] } : gpu;
    const process =
      this.#processes.get(backend) ??
      new RequestProcess<MeasureRequest, MeasuredMemory>({
        ...engineProcess({ script, environment, name: 'memory', log, libraryFolders }),
        timeoutMs,
        idleMs,
      });
    this.#processes.set(backend, process);
    return process;
  }

  /** The most layers that fit into so much memory of the GPU, with their part of the contexts. */
  async layersWithin(
    { vram }: MemoryBytes,
    { config, layers }: { config: ChildConfig; layers: number },
  ): Promise<number> {
    const { maxContextTokens: contextTokens, sequences, adapterContexts } = config;
    const contexts = [sequences, adapterSequences(sequences)].map((count) => ({ contextTokens, sequences: count }));
    let fits = 0;
    let tooMany = layers;
    while (tooMany - fits > 1) {
      const gpuLayers = Math.floor((fits + tooMany) / 2);
      const { weights, contexts: taken } = await this.measure({ ...config, gpuLayers }, contexts);
      const [base = 0, adapter = 0] = taken.map((bytes) => bytes.vram);
      if (weights.vram + base + adapterContexts * adapter <= vram) fits = gpuLayers;
      else tooMany = gpuLayers;
    }
    return fits;
  }
}

/** Before a plan is made. */
export function configOf(model: EngineModel, settings: LoadSettings): ChildConfig {
  const sequences = sequenceCounts(model, settings.sequences)[0] ?? 1;
  return childConfig(model, settings, { sequences, adapterContexts: 0 });
}

async function isGguf(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1') === 'GGUF';
  } finally {
    await file.close();
  }
}
