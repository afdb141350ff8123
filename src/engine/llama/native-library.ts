import { createRequire } from 'node:module';
import path from 'node:path';
import { messageOf } from '#kernel';
import type { Addon, AddonModel } from './addon.ts';

/** llama.cpp, loaded, and its way to open a model file. */
export type NativeLibrary = {
  addon: Addon;
  /** Rejects where the file is no model or does not fit. `vocabOnly`: its tokens alone, without weights. */
  openModel: (file: string, options: { vocabOnly: boolean }) => Promise<AddonModel>;
  dispose: () => Promise<void>;
};

export type LibraryOptions = {
  gpu: 'auto' | false;
  maxThreads: number;
  /** llama.cpp's own words for what went wrong. */
  onError: (message: string) => void;
};

/** Packages of node-llama-cpp with an addon for the CPU alone. */
const cpuPackages = new Map([
  ['linux x64', 'linux-x64'],
  ['linux arm64', 'linux-arm64'],
]);
const errorLevel = 2;

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

async function directly(name: string, { onError }: LibraryOptions): Promise<NativeLibrary> {
  const entry: { getBinsDir(): { binsDir: string } } = await import(`@node-llama-cpp/${name}`);
  const folder = path.join(entry.getBinsDir().binsDir, name);
  // A native module has no types of its own: `binding.test.ts` proves these.
  const addon = createRequire(import.meta.url)(path.join(folder, 'llama-addon.node')) as Addon;
  addon.setLogger((_level, message) => onError(message.trim()));
  addon.setLoggerLogLevel(errorLevel);
  addon.loadBackends();
  if (addon.getGpuType() === undefined) addon.loadBackends(folder);
  await addon.init();
  return {
    addon,
    openModel: async (file, { vocabOnly }) => {
      const model = new addon.AddonModel(file, { addonExports: addon, gpuLayers: 0, useMmap: true, vocabOnly });
      if (!(await model.init())) throw new Error('llama.cpp cannot load this file');
      return model;
    },
    dispose: () => addon.dispose(),
  };
}

async function throughPackage({ gpu, maxThreads, onError }: LibraryOptions): Promise<NativeLibrary> {
  const { getLlama, LlamaLogLevel } = await import('node-llama-cpp');
  const llama = await getLlama({
    gpu,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => onError(message.trim()),
    maxThreads,
  });
  return {
    // Internals of the pinned version, here and below: `binding.test.ts` proves their shape.
    addon: (llama as unknown as { _bindings: Addon })._bindings,
    openModel: async (file, { vocabOnly }) => {
      const layers = llama.gpu === false ? { gpuLayers: 0 } : {};
      const model = await llama.loadModel({ modelPath: file, vocabOnly, ...layers });
      return (model as unknown as { _model: AddonModel })._model;
    },
    dispose: () => llama.dispose(),
  };
}
