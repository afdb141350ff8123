import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { placementText } from '../gpu/backends.ts';
import type { EngineModel, KvType } from '../port.ts';
import type { LoadSettings } from './load-settings.ts';
import { fitsInto, fitsWhole, weightsOfFile } from './memory.ts';
import { configOf, MemoryMeter, type MeterOptions, type ModelMemory, sequenceCounts } from './memory-meter.ts';
import type { MemoryBytes } from './memory-protocol.ts';

export type PlannerOptions = MeterOptions & {
  settings: LoadSettings;
  /** Bound on the main memory of all loaded models together; null: none. */
  memoryLimitBytes: number | null;
  /** Of the machine or the container. */
  totalBytes?: number;
};

/** Which context a model was given, and why. */
export type ContextChoice = {
  contextTokens: number;
  /** Calls at once that it was chosen for. */
  sequences: number;
  supportedTokens: number;
  limitedBy: 'model' | 'memory';
  /** What models may take here. */
  budget: MemoryBytes;
  /** What it takes with this context and so many calls at once. */
  needed: MemoryBytes;
  fits: boolean;
  estimatedBecause: string | null;
};

/** The first bytes of a file of a model, with its whole header. */
export type FileHead = {
  /** Without folders. llama.cpp finds the parts of a split model by their names. */
  name: string;
  head: Buffer;
  /** Of the whole file. */
  fileBytes: number;
};

export type ModelHead = {
  kind: EngineModel['kind'];
  /** All parts of a split model in order, else the one file. */
  files: readonly FileHead[];
  supportedTokens: number;
};

export type HeadMemory = {
  contextTokens: number;
  /** In main memory and on the GPU. */
  budgetBytes: number;
  /** Of a file of so many bytes. */
  needOf: (bytes: number) => number;
  /** Why llama.cpp cannot load it as far as its header goes; null: it can. */
  estimatedBecause: string | null;
};

type ContextQuery = {
  sequences: number;
  supportedTokens: number;
  budget: MemoryBytes;
  /** All layers are on the GPU, if there is one. */
  isWhole: boolean;
  /** llama.cpp lays the model out, if not with every context: one that a GPU refuses does not fit. */
  isMeasured: boolean;
};

/** A default context has so many tokens where they fit, rather than more calls at once. */
export const usualContextTokens = 8_192;
/** The rest is for the system, the database and other models, unless the operator says what models may take. */
const shareOfMachine = 3 / 4;
const shareOfGpu = 9 / 10;
const contextStep = 1_024;
/** Below this step, so that small contexts are possible. */
const smallStep = 256;

/** Plans models that are not loaded, for those who install them and look at them. */
export class ModelPlanner {
  readonly #options: PlannerOptions;
  readonly #meter: MemoryMeter;

  constructor(options: PlannerOptions) {
    this.#options = options;
    this.#meter = new MemoryMeter(options);
  }

  /** Throws the file system's error when the file cannot be read. */
  memoryOf(model: EngineModel): Promise<ModelMemory> {
    return this.#meter.memoryOf(model, this.#options.settings);
  }

  /** What models may take on this machine, whatever it does at present: the same machine gives the same plan. */
  budgetFor({ device }: Pick<ModelMemory, 'device'>): MemoryBytes {
    const { memoryLimitBytes, totalBytes = machineBytes() } = this.#options;
    const ram = Math.floor(memoryLimitBytes ?? totalBytes * shareOfMachine);
    return { ram, vram: device === null || device.isMainMemory ? 0 : Math.floor(device.totalBytes * shareOfGpu) };
  }

  /** The longest context that the model supports and that fits; fewer calls at once, rather than less than the usual context. */
  async chooseContext(model: EngineModel, supportedTokens: number): Promise<ContextChoice> {
    const counts = sequenceCounts(model, this.#options.settings.sequences);
    const usual = Math.min(supportedTokens, usualContextTokens);
    const memory = await this.memoryOf({ ...model, maxContextTokens: usual });
    const budget = this.budgetFor(memory);
    const query = { supportedTokens, budget, isMeasured: memory.estimatedBecause === null };
    let best: { contextTokens: number; sequences: number } | null = null;
    // Layers on the processor make every call slow: a longer context is not worth that.
    for (const isWhole of budget.vram > 0 ? [true, false] : [true])
      for (const sequences of counts) {
        if (best !== null && best.contextTokens >= usual) break;
        const contextTokens = await this.largestContext(model, { ...query, sequences, isWhole });
        if (contextTokens > (best?.contextTokens ?? 0)) best = { contextTokens, sequences };
      }
    const chosen = best ?? { contextTokens: usual, sequences: counts.at(-1) ?? 1 };
    const { need, estimatedBecause } = await this.#with(model, chosen);
    return {
      ...chosen,
      supportedTokens,
      limitedBy: chosen.contextTokens >= supportedTokens ? 'model' : 'memory',
      budget,
      needed: need[0]?.base ?? budget,
      fits: best !== null,
      estimatedBecause,
    };
  }

  /**
   * What models would take of which the first bytes are known, and which differ in the type of their weights only: with the usual
   * context and one call at a time, on whatever there is.
   */
  async memoryOfHead({ kind, files, supportedTokens }: ModelHead): Promise<HeadMemory> {
    const contextTokens = Math.min(supportedTokens, usualContextTokens);
    const folder = await mkdtemp(join(tmpdir(), 'fanfold-head-'));
    try {
      // llama.cpp lays out what the heads describe, and looks only whether the files are long enough.
      for (const { name, head, fileBytes } of files) {
        await writeFile(join(folder, name), head);
        await truncate(join(folder, name), fileBytes);
      }
      const ggufPath = join(folder, files[0]?.name ?? '');
      const memory = await this.memoryOf({ id: 'head', kind, ggufPath, maxContextTokens: contextTokens, sequences: 1 });
      const { need, measured, estimatedBecause } = memory;
      const budget = this.budgetFor(memory);
      const besideWeights = allOf(need[0]?.base ?? measured.weights) - allOf(measured.weights);
      return {
        contextTokens,
        budgetBytes: allOf(budget),
        needOf: (bytes) => Math.ceil(bytes * weightsOfFile + besideWeights),
        estimatedBecause,
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The longest context with which so many calls at once fit; 0: none. */
  async largestContext(model: EngineModel, query: ContextQuery): Promise<number> {
    const { sequences, supportedTokens, budget, isWhole, isMeasured } = query;
    const fits = async (contextTokens: number) => {
      const { need, estimatedBecause } = await this.#with(model, { contextTokens, sequences });
      if (isMeasured && estimatedBecause !== null) return false;
      return need.every(({ base }) => (isWhole ? fitsWhole : fitsInto)(base, budget));
    };
    if (await fits(supportedTokens)) return supportedTokens;
    const largest = async (most: number, step: number) => {
      let fitting = 0;
      let tooMany = Math.ceil(most / step);
      while (tooMany - fitting > 1) {
        const middle = Math.floor((fitting + tooMany) / 2);
        if (await fits(middle * step)) fitting = middle;
        else tooMany = middle;
      }
      return fitting * step;
    };
    const found = await largest(supportedTokens, contextStep);
    return found > 0 ? found : largest(Math.min(supportedTokens, contextStep), smallStep);
  }

  fits(needed: MemoryBytes, budget: MemoryBytes): boolean {
    return fitsInto(needed, budget);
  }

  /** How many of the last layers are on the GPU within a budget, the output counted as one. */
  async gpuLayersOf(model: EngineModel, { need: [most], layers, device }: ModelMemory, free: MemoryBytes) {
    if (device === null) return 0;
    if (most === undefined || fitsWhole(most.base, free)) return layers;
    const config = { ...configOf(model, this.#options.settings), sequences: most.sequences };
    return this.#meter.layersWithin(free, { config, layers });
  }

  /** `CPU`, or a backend with its devices and layers within a budget. */
  async runsOn(model: EngineModel, memory: ModelMemory, free: MemoryBytes): Promise<string> {
    const { device, layers } = memory;
    const { gpu: target = false } = this.#options.settings;
    if (device === null || target === false) return placementText(null, layers);
    const gpuLayers = await this.gpuLayersOf(model, memory, free);
    return placementText({ target, devices: device.names, gpuLayers }, layers);
  }

  /** Why the key-value cache of a model cannot be stored so; null: it can. */
  async refusalOf(model: EngineModel, kv: KvType): Promise<string | null> {
    const { estimatedBecause } = await this.memoryOf({ ...model, kv });
    if (estimatedBecause === null || kv === 'f16') return null;
    // What cannot be loaded in any form has another fault.
    const plain = await this.memoryOf({ ...model, kv: 'f16' });
    return plain.estimatedBecause === null ? estimatedBecause : null;
  }

  close(): Promise<void> {
    return this.#meter.close();
  }

  #with(
    model: EngineModel,
    { contextTokens: maxContextTokens, sequences }: { contextTokens: number; sequences: number },
  ) {
    return this.memoryOf({ ...model, maxContextTokens, sequences });
  }
}

function allOf({ ram, vram }: MemoryBytes): number {
  return ram + vram;
}

function machineBytes(): number {
  const container = process.constrainedMemory();
  return container > 0 ? Math.min(container, totalmem()) : totalmem();
}
