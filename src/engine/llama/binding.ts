import { messageOf } from '#kernel';
import { type GgufHeader, readGgufHeader } from '../gguf/header.ts';
import { type GpuTarget, placementText } from '../gpu/backends.ts';
import type { KvType } from '../port.ts';
import type { NativeRenderer } from '../text/template-renderer.ts';
import type {
  Addon,
  AddonModel,
  DeviceMemory,
  NativeAdapter,
  NativeCheckpoint,
  NativeContext,
  NativeGrammar,
  NativeGrammarState,
  NativeSampler,
  Token,
} from './addon.ts';
import {
  bytesOfGrammar,
  createCollector,
  loadLibrary,
  loadModel,
  type ModelLoad,
  mostBytesOfGrammar,
  NativeGarbage,
} from './native-library.ts';
import type { AttentionFacts } from './prefix-cache.ts';

export type {
  NativeAdapter,
  NativeCheckpoint,
  NativeContext,
  NativeGrammar,
  NativeGrammarState,
  NativeSampler,
  SamplerConfig,
  Token,
} from './addon.ts';

type ModelFacts = {
  chatTemplate: string | null;
  /** null: the file names none; the last token's state is the embedding. */
  pooling: 'none' | 'mean' | 'cls' | 'last' | 'rank' | null;
  causal: boolean;
  vocabularySize: number;
  /** How a text is divided before its parts become tokens; null: the file does not say. */
  preTokenizer: string | null;
  /** How a reranker takes a query and a document. `addsSeparator` null: the file does not say. */
  rerank: {
    template: string | null;
    addsSeparator: boolean | null;
    /** llama.cpp gives a probability rather than a logit. */
    isScoreNormalised: boolean;
  };
  attention: AttentionFacts;
  /** Its output counts as one. */
  layers: number;
};

export type ContextOptions = {
  sequences: number;
  contextTokens: number;
  batchTokens: number;
  threads: number;
  embeddings: boolean;
  /** Left out: f16. */
  kv?: KvType | undefined;
  /** An output is a score. Many files of rerankers do not say so themselves. */
  ranking?: boolean;
};

/**
 * A loaded model: the only door to llama.cpp. The library's own contexts evaluate one sequence at a time and batch
 * them in arbitrary order; the engine drives the addon's objects underneath instead, whose batches it orders itself.
 */
export type NativeModel = {
  facts: ModelFacts;
  addon: AddonModel;
  systemInfo: string;
  /** `CUDA 13 (NVIDIA H100, 24 of 25 layers)`, or `CPU`. */
  runsOn: string;
  /** Of all GPUs together; null: it runs on the processor. */
  device: DeviceMemory | null;
  /** Some weights are stored in another order than in the file; known where the library `keepsInfo`. */
  isRepacked(): Promise<boolean>;
  createContext(options: ContextOptions): Promise<NativeContext>;
  createCheckpoint(): NativeCheckpoint;
  createSampler(): NativeSampler;
  createTemplateRenderer: NativeRenderer;
  /** Throws when the text is no grammar, or is too large for one. */
  createGrammar(gbnf: string): NativeGrammar;
  createGrammarState(grammar: NativeGrammar): NativeGrammarState;
  /** Goes on by a token; false where the token does not fit, and nothing changes. */
  advanceGrammar(state: NativeGrammarState, token: Token): boolean;
  loadAdapter(path: string): Promise<NativeAdapter>;
  dispose(): Promise<void>;
};

/** Numbers of ggml's types. */
const kvTypeIds: Record<KvType, number> = { f16: 1, q8_0: 8, q4_0: 2 };

const poolings = ['none', 'mean', 'cls', 'last', 'rank'] as const;
/** llama.cpp rounds contexts up to this many cells; asking for whole multiples keeps every sequence's share exact. */
const cellMultiple = 256;
/** Of llama.cpp's complaints, the last ones tell the reason. */
const mostReasons = 5;

/**
 * Loads llama.cpp and a model. `vocabOnly` loads its tokens alone, which takes
 * little time and memory. Errors carry llama.cpp's own reason.
 */
export async function openModel(
  options: ModelLoad & { path: string; gpu: GpuTarget | false; maxThreads: number; library?: OpenLibrary | undefined },
): Promise<NativeModel> {
  const library = options.library ?? (await openLibrary(options));
  const { addon, explained, namesBuffer } = library;
  const header = readGgufHeader(options.path);
  const garbage = new NativeGarbage(createCollector());
  const bytesOfState = new WeakMap<NativeGrammar, number>();
  const model = await explained(() => loadModel(addon, options.path, options));
  const facts = factsOf(header, addon);

  return {
    facts,
    addon: model,
    systemInfo: addon.systemInfo(),
    runsOn: runsOn(addon, options, facts),
    device: deviceOf(addon),
    isRepacked: () => namesBuffer(repackedBuffer),
    createContext: (options) =>
      explained(async () => {
        const perSequence = Math.ceil(options.contextTokens / cellMultiple) * cellMultiple;
        const context = new addon.AddonContext(model, {
          contextSize: perSequence * options.sequences,
          batchSize: options.batchTokens,
          sequences: options.sequences,
          flashAttention: 'auto',
          threads: options.threads,
          embeddings: options.embeddings,
          kvCacheKeyType: kvTypeIds[options.kv ?? 'f16'],
          kvCacheValueType: kvTypeIds[options.kv ?? 'f16'],
          ranking: options.ranking ?? false,
        });
        if (!(await context.init())) throw new Error('not enough memory for the context');
        return context;
      }),
    createCheckpoint: () => new addon.AddonContextSequenceCheckpoint(),
    createSampler: () => new addon.AddonSampler(model),
    createTemplateRenderer: (source) => {
      const renderer = new addon.AddonJinjaRenderer(source);
      return (values) => renderer.render(values);
    },
    createGrammar: (gbnf) => {
      const bytes = bytesOfGrammar(gbnf);
      if (bytes > mostBytesOfGrammar) throw new Error('The grammar is too large.');
      const grammar = new addon.AddonGrammar(gbnf, { addonExports: addon, rootRuleName: 'root' });
      garbage.made(gbnf.length);
      bytesOfState.set(grammar, bytes);
      return grammar;
    },
    createGrammarState: (grammar) => {
      const state = new addon.AddonGrammarEvaluationState(model, grammar);
      garbage.made(bytesOfState.get(grammar) ?? 0);
      return state;
    },
    advanceGrammar: (state, token) => {
      const fits = addon.AddonSampler.canBeNextTokenForGrammarEvaluationState(state, token);
      if (fits) addon.AddonSampler.acceptGrammarEvaluationStateToken(state, token);
      return fits;
    },
    loadAdapter: (path) =>
      explained(async () => {
        const adapter = new addon.AddonModelLora(model, path);
        await model.loadLora(adapter);
        return adapter;
      }),
    dispose: async () => {
      await model.dispose();
      if (options.library === undefined) await library.dispose();
    },
  };
}

/** llama.cpp names the buffers of the weights in its log alone. */
const repackedBuffer = /\b(?:CPU_(?!Mapped)\w+|AMX) model buffer size/;

export type OpenLibrary = {
  addon: Addon;
  /** Errors of the work carry llama.cpp's own reason. */
  explained: <T>(work: () => Promise<T>) => Promise<T>;
  /** What was logged since the last work of `explained` began has such a line. */
  namesBuffer: (line: RegExp) => Promise<boolean>;
  dispose: () => Promise<void>;
};

/** Once in a process that opens several models: the addon keeps its first logger only. */
export async function openLibrary(options: {
  gpu: GpuTarget | false;
  maxThreads: number;
  keepsInfo?: boolean;
}): Promise<OpenLibrary> {
  const { explained, onError, onInfo, infos } = createExplainer();
  const { gpu, maxThreads, keepsInfo = false } = options;
  const { addon, dispose } = await loadLibrary({ gpu, maxThreads, onError, ...(keepsInfo ? { onInfo } : {}) });
  const namesBuffer = async (line: RegExp) => {
    await logArrived();
    return infos.some((info) => line.test(info));
  };
  return { addon, explained, namesBuffer, dispose };
}

/** The log comes through a queue of its own. */
function logArrived(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function createExplainer() {
  const reasons: string[] = [];
  const infos: string[] = [];
  return {
    infos,
    onInfo: (message: string): void => void infos.push(message),
    onError: (message: string): void => {
      reasons.push(message);
      if (reasons.length > mostReasons) reasons.shift();
    },
    explained: async <T>(work: () => Promise<T>): Promise<T> => {
      reasons.length = 0;
      infos.length = 0;
      try {
        return await work();
      } catch (error) {
        await logArrived();
        const texts = [messageOf(error), ...reasons];
        throw new Error(texts.filter((text) => text !== '').join(': '), { cause: error });
      }
    },
  };
}

function deviceOf(addon: Addon): DeviceMemory | null {
  if (typeof addon.getGpuType() !== 'string') return null;
  const { total, used, unifiedSize } = addon.getGpuVramInfo();
  const names = addon.getGpuDeviceInfo().deviceNames;
  return { names, freeBytes: total - used, totalBytes: total, isMainMemory: unifiedSize >= total };
}

function runsOn(addon: Addon, { gpu, gpuLayers }: ModelLoad & { gpu: GpuTarget | false }, { layers }: ModelFacts) {
  if (gpu === false) return placementText(null, layers);
  const devices = addon.getGpuDeviceInfo().deviceNames;
  return placementText({ target: gpu, devices, gpuLayers: gpuLayers ?? layers }, layers);
}

/** Architectures whose scores go through a softmax (`build_pooling` of llama.cpp). */
const scoresWithSoftmax: ReadonlySet<string> = new Set(['qwen3', 'qwen3vl']);

function factsOf({ values, arrayLengths }: GgufHeader, addon: Addon): ModelFacts {
  const architecture = String(values.get('general.architecture'));
  const textOf = (key: string) => {
    const value = values.get(key);
    return typeof value === 'string' ? value : null;
  };
  const pooling = values.get(`${architecture}.pooling_type`);
  const addsSeparator = values.get('tokenizer.ggml.add_sep_token');
  const window = values.get(`${architecture}.attention.sliding_window`);
  const blocks = values.get(`${architecture}.block_count`);
  return {
    chatTemplate: textOf('tokenizer.chat_template'),
    pooling: typeof pooling === 'number' ? (poolings[pooling] ?? null) : null,
    causal: values.get(`${architecture}.attention.causal`) !== false,
    vocabularySize: arrayLengths.get('tokenizer.ggml.tokens') ?? 0,
    preTokenizer: textOf('tokenizer.ggml.pre'),
    rerank: {
      template: textOf('tokenizer.chat_template.rerank'),
      addsSeparator: typeof addsSeparator === 'boolean' ? addsSeparator : null,
      isScoreNormalised: scoresWithSoftmax.has(architecture),
    },
    attention: {
      window: typeof window === 'number' && window > 0 ? window : null,
      isRecurrent: addon.getIsArchRecurrent(architecture) === true || addon.getIsArchHybrid(architecture) === true,
    },
    layers: typeof blocks === 'number' ? blocks + 1 : 1,
  };
}
