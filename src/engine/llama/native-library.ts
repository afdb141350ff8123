import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { messageOf } from '#kernel';
import { type GpuBackend, type GpuTarget, gpuBackends, type PackageFolder } from '../gpu/backends.ts';
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
  gpu: GpuTarget | false;
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
const require = createRequire(import.meta.url);

/** Of node-llama-cpp, whose packages all have the same one. */
export function addonVersion(): string {
  const file = new URL('../package.json', import.meta.resolve('node-llama-cpp'));
  // as: every package has one.
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/**
 * node-llama-cpp's own entry takes 80 MB and most of a second: it loads chat code that is not used here, and tries each
 * binary out in a process of its own first, which an engine child is already. So on Linux its prebuilt addons are loaded
 * directly. On other systems, or where that for the CPU fails, the library chooses.
 */
export async function loadLibrary(options: LibraryOptions): Promise<NativeLibrary> {
  if (options.gpu !== false) return loadOnGpu(options, options.gpu.backend);
  const name = cpuPackages.get(`${process.platform} ${process.arch}`);
  if (name === undefined) return throughPackage(options);
  try {
    const files = { package: name, folder: name };
    return await directly({ addon: files, backends: [files] }, options);
  } catch (error) {
    options.onError(messageOf(error));
    return throughPackage(options);
  }
}

/** Rejects where llama.cpp finds no device to run models on. */
async function loadOnGpu(options: LibraryOptions, backend: GpuBackend): Promise<NativeLibrary> {
  const { files, label } = gpuBackends[backend];
  const library = await (files === null ? throughPackage(options) : directly(files, options));
  const { addon } = library;
  // Vulkan has a type without having a device.
  if (typeof addon.getGpuType() === 'string' && addon.getGpuDeviceInfo().deviceNames.length > 0) return library;
  const reason = files === null ? null : linkErrorOf(await folderOf(files.backends[0]), backend);
  await library.dispose();
  throw new Error(reason ?? `${label} finds no GPU.`);
}

type Files = { addon: PackageFolder; backends: readonly PackageFolder[] };

async function directly({ addon: place, backends }: Files, options: LibraryOptions): Promise<NativeLibrary> {
  const folders = await Promise.all(backends.map(folderOf));
  // A native module has no types of its own: `binding.test.ts` proves these.
  const addon = require(path.join(await folderOf(place), 'llama-addon.node')) as Addon;
  addon.setLogger((level, message) => log(options, level <= errorLevel, message));
  addon.setLoggerLogLevel(options.onInfo ? infoLevel : errorLevel);
  addon.loadBackends();
  if (addon.getGpuType() === undefined) for (const folder of folders) addon.loadBackends(folder);
  await addon.init();
  return { addon, dispose: () => addon.dispose() };
}

async function folderOf(place: PackageFolder): Promise<string> {
  const name = `@node-llama-cpp/${place.package}`;
  try {
    const entry: { getBinsDir(): { binsDir: string } } = await import(name);
    return path.join(entry.getBinsDir().binsDir, place.folder);
  } catch (error) {
    const help = 'npm install adds it, unless optional packages are left out; an image needs --build-arg GPU=keep';
    throw new Error(`The package ${name} is not installed. ${help}.`, { cause: error });
  }
}

/** llama.cpp is silent about a library that cannot be linked; null: it can. */
function linkErrorOf(folder: string, backend: GpuBackend): string | null {
  const file = path.join(folder, `libggml-${backend.replace('-ext', '')}.so`);
  if (!existsSync(file)) return `${file} is missing.`;
  try {
    process.dlopen({ exports: {} }, file);
  } catch (error) {
    const message = messageOf(error);
    // It is no module of Node, which shows only after it was linked.
    return message.includes('Module did not self-register') ? null : message;
  }
  return null;
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
    gpu: options.gpu === false ? false : 'metal',
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
