import { serveRequests } from '#processes';
import { type NativeModel, type OpenLibrary, openLibrary, openModel } from './binding.ts';
import { embeddingContext } from './embedding-runner.ts';
import type { MeasuredMemory, MeasureRequest, MemoryBytes } from './memory-protocol.ts';
import { stampOf } from './model-file.ts';
import { needsCheckpoints } from './prefix-cache.ts';
import type { ChildConfig } from './protocol.ts';
import { textContext } from './text-runner.ts';

type OpenModel = { model: NativeModel; isRepacked: boolean };

serveRequests(createMeasure());

function createMeasure(): (request: MeasureRequest) => Promise<MeasuredMemory> {
  let library: OpenLibrary | null = null;
  let open: ({ key: string } & OpenModel) | null = null;

  /** The one of the last request, where it is the same. */
  const modelOf = async ({ ggufPath: path, gpu = false, threads, gpuLayers }: ChildConfig): Promise<OpenModel> => {
    const key = JSON.stringify([await stampOf(path), gpu, gpuLayers]);
    if (open?.key === key) return open;
    await open?.model.dispose();
    open = null;
    library ??= await openLibrary({ gpu, maxThreads: threads, keepsInfo: true });
    const model = await openModel({ path, gpu, maxThreads: threads, gpuLayers, noAlloc: true, library });
    open = { key, model, isRepacked: await model.isRepacked() };
    return open;
  };

  return async ({ config, contexts }) => {
    const { model, isRepacked } = await modelOf(config);
    const { facts, device } = model;
    const measured: MemoryBytes[] = [];
    for (const { contextTokens: maxContextTokens, sequences } of contexts) {
      const sized = { ...config, maxContextTokens, sequences };
      const context = await model.createContext(
        config.kind === 'text' ? textContext(sized) : embeddingContext(facts, sized),
      );
      measured.push(bytesOf(context));
      await context.dispose();
    }
    return {
      weights: bytesOf(model.addon),
      contexts: measured,
      layers: facts.layers,
      needsCheckpoints: needsCheckpoints(facts.attention),
      isRepacked,
      device,
    };
  };
}

function bytesOf(owner: Pick<NativeModel['addon'], 'getMemoryBreakdown'>): MemoryBytes {
  const { cpuRam, gpuVram } = owner.getMemoryBreakdown();
  return { ram: cpuRam, vram: gpuVram };
}
