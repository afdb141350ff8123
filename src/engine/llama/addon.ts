/**
 * The objects of llama.cpp's addon in node-llama-cpp, as far as the engine uses them. They are internals of that
 * package, so its version is pinned and `binding.test.ts` proves each member.
 */
export type Token = number;

/** Of all GPUs together. */
export type DeviceMemory = { names: string[]; freeBytes: number; totalBytes: number; isMainMemory: boolean };

/** Bytes in main memory, and in that of GPUs. */
export type MemoryBreakdown = { cpuRam: number; gpuVram: number };

export type NativeContext = {
  dispose(): Promise<void>;
  /** Key-value cache, states of recurrent layers and compute buffers. */
  getMemoryBreakdown(): MemoryBreakdown;
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
  /** Scores of some tokens, and the sum of all weights, of which the likeliest token's is 1. */
  sampleToken(
    batchIndex: number,
    sampler: NativeSampler,
    probabilities: false,
    confidence: false,
    logits: [tokens: Token[], highest: false, lowest: false, selected: boolean, top: 0],
    totalWeight: true,
  ): Promise<[token: Token, probabilities: undefined, confidence: undefined, logits: number[], weight: number]>;
  disposeSequence(sequenceId: number): void;
  /** false: these cells cannot be removed one by one (recurrent models). */
  removeTokenCellsFromSequence(sequenceId: number, startPosition: number, endPosition: number): boolean;
  /** The first position that every layer has a cell of; -1: there is none. */
  getSequenceKvCacheMinPosition(sequenceId: number): number;
  getSequenceKvCacheMaxPosition(sequenceId: number): number;
  /** Windows of layers are copied only with the next decoding, over whatever was put there since. */
  copySequenceStateFromOtherSequence(targetId: number, sourceId: number): Promise<number>;
  /**
   * Puts what windows and recurrent layers kept into a sequence whose other layers have cells up to `lastPosition` at
   * least, and removes those behind. false: it did not fit, and the sequence is in doubt.
   */
  restoreCheckpoint(checkpoint: NativeCheckpoint, lastPosition: number, sequenceId: number): Promise<boolean>;
  setLoras(loras: NativeAdapter[], scales: number[]): void;
  /** The pooled vector of sequence 0, or of the last output where the model has no pooling; of rankings the scores. */
  getEmbedding(inputTokens: number): Float64Array;
};

/** What windows and recurrent layers keep of a sequence at one point. */
export type NativeCheckpoint = {
  init(context: NativeContext, sequenceId: number): Promise<void>;
  dispose(): void;
  readonly size: number;
  readonly maxPos: number;
};

export type SamplerConfig = {
  temperature: number;
  topP?: number;
  topK?: number;
  minP?: number;
  seed: number;
  repeatPenalty?: number;
  repeatPenaltyTokens?: Uint32Array;
  repeatPenaltyMaxTokens?: number;
  repeatPenaltyPresencePenalty?: number;
  repeatPenaltyFrequencyPenalty?: number;
  tokenBiasKeys?: Uint32Array;
  tokenBiasValues?: Float32Array;
  grammarEvaluationState?: NativeGrammarState;
};
export type NativeSampler = { applyConfig(config: SamplerConfig): void; dispose(): void };
export type NativeGrammar = { isTextCompatible(text: string): boolean };
export type NativeGrammarState = { readonly native: unique symbol };
export type NativeAdapter = { dispose(): Promise<void> };

export type AddonModel = {
  init(): Promise<boolean>;
  dispose(): Promise<void>;
  /** The weights. */
  getMemoryBreakdown(): MemoryBreakdown;
  tokenize(text: string, specialTokens: boolean): Uint32Array;
  detokenize(tokens: Uint32Array, specialTokens: boolean): string;
  getTokenString(token: Token): string | undefined;
  getTokenAttributes(token: Token): number;
  isEogToken(token: Token): boolean;
  tokenBos(): Token;
  tokenEos(): Token;
  sepToken(): Token;
  /** Of models that fill in the middle; negative: there is none. */
  prefixToken(): Token;
  suffixToken(): Token;
  middleToken(): Token;
  shouldPrependBosToken(): boolean;
  shouldAppendEosToken(): boolean;
  getVocabularyType(): number;
  getEmbeddingVectorSize(): number;
  loadLora(adapter: NativeAdapter): Promise<void>;
};

export const tokenAttributes = {
  unknown: 1 << 0,
  normal: 1 << 2,
  control: 1 << 3,
  userDefined: 1 << 4,
  byte: 1 << 5,
  stripsLeft: 1 << 7,
  stripsRight: 1 << 8,
} as const;
export const vocabularyTypes = { sentencePiece: 1, bytePair: 2, wordPiece: 3, unigram: 4 } as const;

export type Addon = {
  AddonModel: new (
    path: string,
    options: {
      addonExports: Addon;
      /** Negative: all. */
      gpuLayers: number;
      useMmap: boolean;
      vocabOnly: boolean;
      /** Weights and contexts get no memory; their breakdowns say how much they would take. */
      noAlloc: boolean;
    },
  ) => AddonModel;
  AddonContext: new (
    model: AddonModel,
    options: {
      contextSize: number;
      batchSize: number;
      sequences: number;
      flashAttention: 'auto';
      threads: number;
      embeddings: boolean;
      kvCacheKeyType: number;
      kvCacheValueType: number;
      ranking: boolean;
    },
  ) => NativeContext & { init(): Promise<boolean> };
  AddonContextSequenceCheckpoint: new () => NativeCheckpoint;
  AddonSampler: (new (
    model: AddonModel,
  ) => NativeSampler) & {
    canBeNextTokenForGrammarEvaluationState(state: NativeGrammarState, token: Token): boolean;
    acceptGrammarEvaluationStateToken(state: NativeGrammarState, token: Token): void;
  };
  AddonGrammar: new (text: string, options: { addonExports: Addon; rootRuleName: string }) => NativeGrammar;
  AddonGrammarEvaluationState: new (model: AddonModel, grammar: NativeGrammar) => NativeGrammarState;
  /** Renders a chat template with these variables; errors of the template are thrown. */
  AddonJinjaRenderer: new (
    source: string,
  ) => { render(values: Record<string, unknown>): string };
  AddonModelLora: new (model: AddonModel, path: string) => NativeAdapter;
  /** All layers keep one state instead of cells, or some do; undefined: the architecture is unknown. */
  getIsArchRecurrent(architecture: string): boolean | undefined;
  getIsArchHybrid(architecture: string): boolean | undefined;
  systemInfo(): string;
  setLogger(logger: (level: number, message: string) => void): void;
  setLoggerLogLevel(level: number): void;
  loadBackends(folder?: string): void;
  /** undefined: no backend is loaded, not even that of the CPU. */
  getGpuType(): string | false | undefined;
  getGpuDeviceInfo(): { deviceNames: string[] };
  /** Of all GPUs together. `unifiedSize`: how much of it is main memory. */
  getGpuVramInfo(): { total: number; used: number; unifiedSize: number };
  init(): Promise<void>;
  dispose(): Promise<void>;
};
