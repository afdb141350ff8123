import { messageOf } from '#kernel';
import { type GgufHeader, readGgufHeader } from '../gguf/header.ts';
import type { NativeRenderer } from '../text/template-renderer.ts';
import type {
  Addon,
  AddonModel,
  NativeAdapter,
  NativeCheckpoint,
  NativeContext,
  NativeGrammar,
  NativeGrammarState,
  NativeSampler,
  Token,
} from './addon.ts';
import { bytesOfGrammar, createCollector, loadLibrary, mostBytesOfGrammar, NativeGarbage } from './native-library.ts';
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
  attention: AttentionFacts;
};

type ContextOptions = {
  sequences: number;
  contextTokens: number;
  batchTokens: number;
  threads: number;
  embeddings: boolean;
};

/**
 * A loaded model: the only door to llama.cpp. The library's own contexts evaluate one sequence at a time and batch
 * them in arbitrary order; the engine drives the addon's objects underneath instead, whose batches it orders itself.
 */
export type NativeModel = {
  facts: ModelFacts;
  addon: AddonModel;
  systemInfo: string;
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

const poolings = ['none', 'mean', 'cls', 'last', 'rank'] as const;
/** llama.cpp rounds contexts up to this many cells; asking for whole multiples keeps every sequence's share exact. */
const cellMultiple = 256;
/** Of llama.cpp's complaints, the last ones tell the reason. */
const mostReasons = 5;

/**
 * Loads llama.cpp and a model. `gpu` 'auto' uses what the machine has; `vocabOnly` loads its tokens alone, which takes
 * little time and memory. Errors carry llama.cpp's own reason.
 */
export async function openModel(options: {
  path: string;
  gpu: 'auto' | false;
  maxThreads: number;
  vocabOnly?: boolean;
}): Promise<NativeModel> {
  const { explained, onError } = createExplainer();
  const library = await loadLibrary({ ...options, onError });
  const { addon } = library;
  const header = readGgufHeader(options.path);
  const garbage = new NativeGarbage(createCollector());
  const bytesOfState = new WeakMap<NativeGrammar, number>();
  const model = await explained(() => library.openModel(options.path, { vocabOnly: options.vocabOnly ?? false }));

  return {
    facts: factsOf(header, addon),
    addon: model,
    systemInfo: addon.systemInfo(),
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
      await library.dispose();
    },
  };
}

function createExplainer() {
  const reasons: string[] = [];
  return {
    onError: (message: string): void => {
      reasons.push(message);
      if (reasons.length > mostReasons) reasons.shift();
    },
    explained: async <T>(work: () => Promise<T>): Promise<T> => {
      reasons.length = 0;
      try {
        return await work();
      } catch (error) {
        // The log comes through a queue of its own; let it arrive.
        await new Promise((resolve) => setImmediate(resolve));
        const texts = [messageOf(error), ...reasons];
        throw new Error(texts.filter((text) => text !== '').join(': '), { cause: error });
      }
    },
  };
}

function factsOf({ values, arrayLengths }: GgufHeader, addon: Addon): ModelFacts {
  const architecture = String(values.get('general.architecture'));
  const textOf = (key: string) => {
    const value = values.get(key);
    return typeof value === 'string' ? value : null;
  };
  const pooling = values.get(`${architecture}.pooling_type`);
  const window = values.get(`${architecture}.attention.sliding_window`);
  return {
    chatTemplate: textOf('tokenizer.chat_template'),
    pooling: typeof pooling === 'number' ? (poolings[pooling] ?? null) : null,
    causal: values.get(`${architecture}.attention.causal`) !== false,
    vocabularySize: arrayLengths.get('tokenizer.ggml.tokens') ?? 0,
    preTokenizer: textOf('tokenizer.ggml.pre'),
    attention: {
      window: typeof window === 'number' && window > 0 ? window : null,
      isRecurrent: addon.getIsArchRecurrent(architecture) === true || addon.getIsArchHybrid(architecture) === true,
    },
  };
}
