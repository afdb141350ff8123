import { createRequire } from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { messageOf } from '#kernel';
import type { Addon, AddonModel } from './addon.ts';

export type NativeLibrary = {
  addon: Addon;
  dispose: () => Promise<void>;
};

export type ModelLoad = {
  /** Its tokens alone, without weights. */
  vocabOnly?: boolean | undefined;
  /** No memory is taken: only what weights and contexts would take can be known. */
  noAlloc?: boolean | undefined;
  /** The last layers, the output counted as one, are on the GPU; left out: all, where there is a GPU. */
  gpuLayers?: number | undefined;
  /** Weights stay in the mapped file; left out: they do. */
  mapsFile?: boolean | undefined;
};

export type LibraryOptions = {
  gpu: 'auto' | false;
  maxThreads: number;
  onError: (message: string) => void;
  /** What llama.cpp says of its work. */
  onInfo?: (message: string) => void;
};

/** Packages of node-llama-cpp with an addon for the CPU alone. */
const cpuPackages = new Map([
  ['linux x64', 'linux-x64'],
  ['linux arm64', 'linux-arm64'],
]);
const errorLevel = 2;
const infoLevel = 4;
const allLayers = -1;

/**
 * node-llama-cpp's own entry takes 80 MB and most of a second: it loads chat code that is not used here, and tries each
 * binary out in a process of its own first, which an engine child is already. So on Linux its prebuilt addon for the CPU
 * is loaded directly. With a GPU, on other systems, or where that fails, the library chooses.
 */
export async function loadLibrary(options: LibraryOptions): Promise<NativeLibrary> {
  const name = cpuPackages.get(`${process.platform} ${process.arch}`);
  if (options.gpu !== false || name === undefined) return throughPackage(options);
  try {
    return await directly(name, options);
  } catch (error) {
    options.onError(messageOf(error));
    return throughPackage(options);
  }
}

async function directly(name: string, options: LibraryOptions): Promise<NativeLibrary> {
  const entry: { getBinsDir(): { binsDir: string } } = await import(`@node-llama-cpp/${name}`);
  const folder = path.join(entry.getBinsDir().binsDir, name);
  // A native module has no types of its own: `binding.test.ts` proves these.
  const addon = createRequire(import.meta.url)(path.join(folder, 'llama-addon.node')) as Addon;
  addon.setLogger((level, message) => log(options, level <= errorLevel, message));
  addon.setLoggerLogLevel(options.onInfo ? infoLevel : errorLevel);
  addon.loadBackends();
  if (addon.getGpuType() === undefined) addon.loadBackends(folder);
  await addon.init();
  return { addon, dispose: () => addon.dispose() };
}

function log({ onError, onInfo }: LibraryOptions, isError: boolean, message: string): void {
  if (isError) onError(message.trim());
  else onInfo?.(message.trim());
}

/** Rejects where the file is no model or does not fit. */
export async function loadModel(addon: Addon, file: string, load: ModelLoad): Promise<AddonModel> {
  const { vocabOnly = false, noAlloc = false, gpuLayers = allLayers, mapsFile = true } = load;
  const layers = addon.getGpuType() === false ? 0 : gpuLayers;
  const options = { addonExports: addon, gpuLayers: layers, useMmap: mapsFile, vocabOnly, noAlloc };
  const model = new addon.AddonModel(file, options);
  if (!(await model.init())) throw new Error('llama.cpp cannot load this file');
  return model;
}

async function throughPackage(options: LibraryOptions): Promise<NativeLibrary> {
  const { getLlama, LlamaLogLevel } = await import('node-llama-cpp');
  const llama = await getLlama({
    gpu: options.gpu,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: options.onInfo ? LlamaLogLevel.info : LlamaLogLevel.error,
    logger: (level, message) => log(options, level === LlamaLogLevel.error || level === LlamaLogLevel.fatal, message),
    maxThreads: options.maxThreads,
  });
  return {
    // Internals of the pinned version: `binding.test.ts` proves their shape.
    addon: (llama as unknown as { _bindings: Addon })._bindings,
    dispose: () => llama.dispose(),
  };
}

const mostBytes = 64 * 2 ** 20;
/** Of each character of a grammar, and of each time that something in it may be repeated: llama.cpp makes a rule of that. */
const bytesOfCharacter = 8;
const bytesOfTime = 80;
/** llama.cpp reads so much in some tens of milliseconds, once for a grammar and once for each state, in the thread that begins the steps. */
export const mostBytesOfGrammar = 8 * 2 ** 20;
/** llama.cpp drops bounds above this. */
const mostTimes = 2000;

/**
 * Objects of the addon that cannot be disposed of give their memory back only when V8 collects them. V8 sees a few bytes of each
 * and may let hundreds of MB wait; so what they keep is counted here, and too much of it brings a collection on.
 */
export class NativeGarbage {
  readonly #collect: () => void;
  #bytes = 0;

  constructor(collect: () => void) {
    this.#collect = collect;
  }

  made(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < mostBytes) return;
    this.#bytes = 0;
    this.#collect();
  }
}

export function bytesOfGrammar(gbnf: string): number {
  let times = 0;
  for (const [, least = '', most = ''] of gbnf.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    times += Math.min(Math.max(Number(least), Number(most)), mostTimes);
  return gbnf.length * bytesOfCharacter + times * bytesOfTime;
}

/** Runs a full garbage collection, which takes some milliseconds. V8 exposes the function only with this flag. */
export function createCollector(): () => void {
  let collect: (() => void) | null = null;
  return () => {
    if (collect === null) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc') as () => void;
    }
    collect();
  };
}
