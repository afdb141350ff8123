import { getLlama, LlamaLogLevel } from 'node-llama-cpp';

/**
 * The only door to llama.cpp. The library's own contexts evaluate one sequence at a time and batch them in arbitrary order; the
 * engine drives the addon's objects underneath instead, whose batches it can order itself. They are internals of
 * node-llama-cpp, so its version is pinned and `binding.test.ts` proves each member used here.
 */
export type Token = number;

export type NativeContext = {
  dispose(): Promise<void>;
  /** Empties the batch and makes room for `size` tokens. */
  initBatch(size: number): void;
  /** `logitIndexes`: ascending places in `tokens` that need an output; returns their places in the batch, for `sampleToken`. */
  addToBatch(sequenceId: number, firstPosition: number, tokens: Uint32Array, logitIndexes: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  sampleToken(batchIndex: number, sampler: NativeSampler): Promise<Token>;
  sampleToken(
    batchIndex: number,
    sampler: NativeSampler,
    probabilities: false,
    confidence: false,
    logits: true,
  ): Promise<[token: Token, probabilities: undefined, confidence: undefined, logits: number[]]>;
  /** Empties the cells of a sequence. */
  disposeSequence(sequenceId: number): void;
  /** false: these cells cannot be removed one by one (recurrent models). */
  removeTokenCellsFromSequence(sequenceId: number, startPosition: number, endPosition: number): boolean;
  getSequenceKvCacheMaxPosition(sequenceId: number): number;
  copySequenceStateFromOtherSequence(targetId: number, sourceId: number): Promise<number>;
  setLoras(loras: NativeAdapter[], scales: number[]): void;
  /** The pooled vector of sequence 0, or of the last output where the model has no pooling. */
  getEmbedding(inputTokens: number): Float64Array;
};

export type SamplerConfig = {
  temperature: number;
  topP?: number;
  seed: number;
  repeatPenalty?: number;
  repeatPenaltyTokens?: Uint32Array;
  repeatPenaltyMaxTokens?: number;
  repeatPenaltyPresencePenalty?: number;
  repeatPenaltyFrequencyPenalty?: number;
  grammarEvaluationState?: NativeGrammarState;
};
export type NativeSampler = { applyConfig(config: SamplerConfig): void; dispose(): void };
export type NativeGrammar = { isTextCompatible(text: string): boolean };
export type NativeGrammarState = { readonly native: unique symbol };
export type NativeAdapter = { dispose(): Promise<void> };

type AddonModel = {
  tokenize(text: string, specialTokens: boolean): Uint32Array;
  detokenize(tokens: Uint32Array, specialTokens: boolean): string;
  getTokenString(token: Token): string | undefined;
  getTokenAttributes(token: Token): number;
  isEogToken(token: Token): boolean;
  tokenBos(): Token;
  tokenEos(): Token;
  sepToken(): Token;
  shouldPrependBosToken(): boolean;
  shouldAppendEosToken(): boolean;
  getVocabularyType(): number;
  getEmbeddingVectorSize(): number;
  getTrainContextSize(): number;
  loadLora(adapter: NativeAdapter): Promise<void>;
};

type AddonContextOptions = {
  contextSize: number;
  batchSize: number;
  sequences: number;
  flashAttention: 'auto';
  threads: number;
  embeddings: boolean;
};

type Addon = {
  AddonContext: new (model: AddonModel, options: AddonContextOptions) => NativeContext & { init(): Promise<boolean> };
  AddonSampler: new (model: AddonModel) => NativeSampler;
  AddonGrammar: new (text: string, options: { addonExports: Addon; rootRuleName: string }) => NativeGrammar;
  AddonGrammarEvaluationState: new (model: AddonModel, grammar: NativeGrammar) => NativeGrammarState;
  AddonModelLora: new (model: AddonModel, path: string) => NativeAdapter;
  systemInfo(): string;
};

/** What the file says about itself, as far as the engine needs it. */
export type ModelFacts = {
  chatTemplate: string | null;
  /** null: the file names none; the last token's state is the embedding. */
  pooling: 'none' | 'mean' | 'cls' | 'last' | 'rank' | null;
  causal: boolean;
  tokens: readonly string[];
  tokenTypes: readonly number[];
};

export type ContextOptions = {
  sequences: number;
  /** Per sequence. */
  contextTokens: number;
  batchTokens: number;
  threads: number;
  embeddings: boolean;
};

export type NativeModel = {
  facts: ModelFacts;
  addon: AddonModel;
  systemInfo: string;
  createContext(options: ContextOptions): Promise<NativeContext>;
  createSampler(): NativeSampler;
  /** Throws when the text is no grammar. */
  createGrammar(gbnf: string): NativeGrammar;
  createGrammarState(grammar: NativeGrammar): NativeGrammarState;
  loadAdapter(path: string): Promise<NativeAdapter>;
  /** Its contexts must have been disposed of. */
  dispose(): Promise<void>;
};

const poolings = ['none', 'mean', 'cls', 'last', 'rank'] as const;
/** llama.cpp rounds contexts up to this many cells; asking for whole multiples keeps every sequence's share exact. */
const cellMultiple = 256;

/** Loads llama.cpp and a model. `gpu` 'auto' uses what the machine has. Throws with llama.cpp's own reason in the message. */
export async function openModel(options: {
  path: string;
  gpu: 'auto' | false;
  maxThreads: number;
}): Promise<NativeModel> {
  const reasons: string[] = [];
  const llama = await getLlama({
    gpu: options.gpu,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => {
      reasons.push(message.trim());
      if (reasons.length > 5) reasons.shift();
    },
    maxThreads: options.maxThreads,
  });
  const because = (error: unknown): Error => {
    const said = [error instanceof Error ? error.message : String(error), ...reasons.splice(0)].filter(Boolean);
    return new Error(said.join(': '), { cause: error });
  };
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    reasons.length = 0;
    try {
      return await work();
    } catch (error) {
      throw because(error);
    }
  };

  const model = await explained(() =>
    llama.loadModel({ modelPath: options.path, ...(llama.gpu === false ? { gpuLayers: 0 } : {}) }),
  );
  // Internals of the pinned version: `binding.test.ts` proves their shape.
  const addon = (llama as unknown as { _bindings: Addon })._bindings;
  const native = (model as unknown as { _model: AddonModel })._model;

  return {
    facts: factsOf(model.fileInfo.metadata, model.fileInfo.architectureMetadata),
    addon: native,
    systemInfo: addon.systemInfo(),
    createContext: (wanted) =>
      explained(async () => {
        const perSequence = Math.ceil(wanted.contextTokens / cellMultiple) * cellMultiple;
        const context = new addon.AddonContext(native, {
          contextSize: perSequence * wanted.sequences,
          batchSize: wanted.batchTokens,
          sequences: wanted.sequences,
          flashAttention: 'auto',
          threads: wanted.threads,
          embeddings: wanted.embeddings,
        });
        if (!(await context.init())) throw new Error('no room for the context');
        return context;
      }),
    createSampler: () => new addon.AddonSampler(native),
    createGrammar: (gbnf) => new addon.AddonGrammar(gbnf, { addonExports: addon, rootRuleName: 'root' }),
    createGrammarState: (grammar) => new addon.AddonGrammarEvaluationState(native, grammar),
    loadAdapter: (path) =>
      explained(async () => {
        const adapter = new addon.AddonModelLora(native, path);
        await native.loadLora(adapter);
        return adapter;
      }),
    dispose: async () => {
      await model.dispose();
      await llama.dispose();
    },
  };
}

/** The library's parsed header: nested objects by the parts of the keys, values unchecked. */
function factsOf(metadata: unknown, architecture: unknown): ModelFacts {
  const at = (root: unknown, ...path: string[]): unknown =>
    path.reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && key in value ? Reflect.get(value, key) : undefined,
      root,
    );
  const template = at(metadata, 'tokenizer', 'chat_template');
  const pooling = at(architecture, 'pooling_type');
  const tokens = at(metadata, 'tokenizer', 'ggml', 'tokens');
  const types = at(metadata, 'tokenizer', 'ggml', 'token_type');
  return {
    chatTemplate: typeof template === 'string' ? template : null,
    pooling: typeof pooling === 'number' ? (poolings[pooling] ?? null) : null,
    causal: at(architecture, 'attention', 'causal') !== false,
    tokens: Array.isArray(tokens) ? tokens : [],
    tokenTypes: Array.isArray(types) ? types : [],
  };
}
