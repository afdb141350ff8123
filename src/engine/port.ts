/**
 * The engine contract: what the rest of the program may ask of a model, embedded or remote. The engine knows
 * nothing of tenants, prices or HTTP; it throws faults (`model_warming`, `capacity_unavailable`, `generation_failed`,
 * `model_not_installed`, `ambiguous_transport`) and nothing else on purpose.
 */

/** A GGUF LoRA file; its content hash is its identity. */
export type Adapter = { sha256: string; path: string };

/** What a call runs on. */
export type Target = { baseModelId: string; adapter: Adapter | null };

export type ToolDefinition = {
  name: string;
  description: string | null;
  parameters: Record<string, unknown> | null;
  /** As the caller sent it. true: no call of the tool has arguments that miss its schema, also where the model chooses to call. */
  strict?: boolean;
};
export type ToolCall = { id: string; name: string; arguments: string };
/** An image, as base64. `param`: the field that it came in, for errors. */
export type ChatImage = { mediaType: string; base64: string; detail?: 'auto' | 'low' | 'high'; param: string };
export type UserPart = { type: 'text'; text: string } | { type: 'image'; image: ChatImage };
export type ChatMessage =
  /** `parts`: of a message with images, in their order; `content` has a placeholder for each image. */
  | { role: 'system' | 'user'; content: string; parts?: UserPart[] }
  | { role: 'assistant'; content: string; reasoning: string | null; toolCalls: ToolCall[] }
  | { role: 'tool'; content: string; toolCallId: string };

export type ToolChoice = { mode: 'auto' | 'none' | 'required' } | { mode: 'named'; name: string };
export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | { type: 'json_schema'; schema: Record<string, unknown> };
/** null: nothing is sent and the model's own default applies. */
export type ReasoningEffort = 'none' | 'low' | 'high' | null;

export type ChatPrompt = {
  target: Target;
  messages: ChatMessage[];
  /** The answer goes between the text of the only message and this, without the chat template; left out: it is an answer in a chat. */
  suffix?: string;
  tools: ToolDefinition[];
  toolChoice: ToolChoice;
  /** false: stop after the first tool call. */
  parallelToolCalls: boolean;
  responseFormat: ResponseFormat;
  reasoningEffort: ReasoningEffort;
  /** false: the tokens end behind the last message, where no answer begins; for counting only. */
  addsGenerationPrompt?: boolean;
  /** The effort is a wish: a model without control of its reasoning goes without. Else it refuses `low` and `high`. */
  effortIsHint?: boolean;
  /** How many tokens it may generate. With it, a prompt that is far too short for the context need not be counted. */
  maxTokens?: number;
  /** Whose call it is (an account): where many wait for a model, scopes take turns. */
  scope?: string;
};

/** A tokenised prompt that waits in the engine for `generate`, `embed` or `release`; forgotten after 60 s. */
export type PreparedChat = {
  handle: string;
  /** 0: nobody could count them, or had to. With a prompt that has no `maxTokens` they are counted wherever that is possible. */
  promptTokens: number;
  maxContextTokens: number;
};
export type PreparedEmbedding = {
  handle: string;
  inputs: { tokens: number; truncated: boolean }[];
  dimensions: number;
};

export type EmbeddingInputs = {
  target: Target;
  /** Final texts; a query instruction is already in front. */
  texts: string[];
  /** Of a reranker: the texts are documents, and each gives one score for this query in place of a vector. */
  query?: string;
  /** Longest input in tokens, end token included; of a reranker query and document together. */
  maxInputTokens: number;
  /** Of a reranker: longer documents are cut to so many tokens; left out: they are not. */
  maxDocumentTokens?: number;
  /** true: longer inputs (of a reranker, documents) are cut at their end to `maxInputTokens`; false: `tokens` reports their full length. */
  truncate: boolean;
  /** Most tokens of all of them together; left out: any number. Much more than that is refused before all of it is counted. */
  requestTokens?: number;
  /** As of a chat. */
  scope?: string;
};

/** A text, or a conversation as a chat call would run it. */
export type TokenizeInput = {
  baseModelId: string;
  scope: string;
  input:
    | { prompt: ChatPrompt }
    /** `addSpecialTokens`: with those that the model wants around a text. */
    | { text: string; addSpecialTokens: boolean };
};
export type DetokenizeInput = { baseModelId: string; scope: string; tokens: readonly number[] };

/** `bytes`: of its text, which need not be whole characters. */
export type TokenProbability = { token: string; logprob: number; bytes: number[] };
/** A token of an answer, and the likeliest ones at its place. Of the model itself, before any setting of sampling. */
export type TokenLogprob = TokenProbability & { top: TokenProbability[] };

export type LogitBias = { token: number; bias: number };

export type Sampling = {
  /** Counts reasoning too. Infinity: as many as the context has room for. */
  maxTokens: number;
  /**
   * Reasoning ends, by force, before it takes more tokens, its tags among them; the answer follows within `maxTokens`. With less than
   * the tags take, reasoning ends as soon as it has begun. null or left out: no bound. Of remote engines some keep to it, about.
   */
  maxReasoningTokens?: number | null;
  /** 0 is greedy. */
  temperature: number;
  /** 0 is the most likely token only. */
  topP: number;
  /** Only so many of the most likely tokens are drawn from, at least 1; null or left out: any number. */
  topK?: number | null;
  /** Tokens less likely than this share of the likeliest one's probability are not drawn; 0 or left out: no such bound. */
  minP?: number;
  /** Divides the scores of tokens of the prompt and of the answer; 1 or left out: none. With it, the other two penalties count the prompt too. */
  repetitionPenalty?: number;
  /** Added to the scores of these tokens of the model. */
  logitBias?: readonly LogitBias[];
  /** Content comes with the log probabilities of its tokens, and so many of the likeliest at each place; left out: it does not. */
  logprobs?: number;
  presencePenalty: number;
  frequencyPenalty: number;
  seed: number | null;
  /** Matched on the answer only, never on reasoning; the stop text is not returned. */
  stop: string[];
};

export type GenerationRequest = {
  handle: string;
  sampling: Sampling;
  /** Prompts share cached prefixes only within one scope (an account). */
  cacheScope: string;
  /** Abort ends the generation within one step; `generate` then resolves with reason `cancelled`. */
  signal: AbortSignal;
  /** So many answers to the prompt, one behind the other; left out: one. Each has a seed of its own, counted from that of `sampling`. */
  choices?: number;
  /** Nobody looks at the answer before its end: its deltas may come all at once, and not at all when it is cancelled. */
  whole?: boolean;
};

/** `choice`: which of several answers it belongs to; left out: the first. */
export type Delta = { choice?: number } & (
  | { type: 'reasoning'; text: string }
  /** `logprobs`: of the tokens that begin in the text; a token may be one delta earlier or later than its text. */
  | { type: 'content'; text: string; logprobs?: TokenLogprob[] }
  /** A complete call; `arguments` is valid JSON text. */
  | { type: 'tool_call'; index: number; name: string; arguments: string }
);

export type Usage = { promptTokens: number; completionTokens: number; reasoningTokens: number; cachedTokens: number };
export type Finished = {
  reason: 'stop' | 'length' | 'tool_calls' | 'cancelled';
  usage: Usage;
  /** This request's share of the engine's steps, ms (may be fractional). */
  activeMs: number;
  /**
   * Which of `sampling.stop` ended the answer, also behind tool calls; null or left out: none did, or a remote engine does not
   * say which.
   */
  stopText?: string | null;
  /** How each of several answers ended; `reason` is then that of the first, and `usage` counts the prompt once. */
  choices?: Pick<Finished, 'reason' | 'stopText'>[];
};
export type Embedded = { vectors: Float32Array[]; promptTokens: number; activeMs: number };

export type RuntimeStatus = {
  status: 'cold' | 'loading' | 'ready' | 'failed';
  etaMs: number | null;
  /** When it became ready, Unix time; null while it is not. */
  loadedAtMs: number | null;
  error: string | null;
  /** `CPU`, or a backend with its devices and layers; null while it is not ready, and of remote engines. */
  runsOn: string | null;
};
/** Throughput of a model, for cost bounds and retry hints; unless it was `measured`, a guess from its size. */
export type Throughput = { prefillMsPerToken: number; decodeMsPerToken: number; measured?: boolean };

/** Calls that have a place with a model: those that it works on, and those in its queue. */
export type Load = { running: number; waiting: number };

export type Engine = {
  /** Renders the chat template and tokenises; loads the model when needed (waits a bounded time, then `model_warming`). */
  prepareChat: (prompt: ChatPrompt, signal: AbortSignal) => Promise<PreparedChat>;
  /** Streams deltas in order. Rejects with a fault before the first delta, or with `generation_failed` after it. */
  generate: (generation: GenerationRequest, onDelta: (delta: Delta) => void) => Promise<Finished>;
  prepareEmbedding: (inputs: EmbeddingInputs, signal: AbortSignal) => Promise<PreparedEmbedding>;
  /** Unit-length vectors in input order; of a reranker, one score each, which is higher for what fits the query better. */
  embed: (request: { handle: string; signal: AbortSignal }) => Promise<Embedded>;
  /** The tokens that the model sees. Needs no place with the model, and does not load it. */
  tokenize: (input: TokenizeInput, signal: AbortSignal) => Promise<number[]>;
  /** The text of tokens, that of control tokens included. Throws `invalid_request` for one that the model does not have. */
  detokenize: (input: DetokenizeInput, signal: AbortSignal) => Promise<string>;
  /** Forgets a prepared prompt that will not run. */
  release: (handle: string) => void;
  status: (baseModelId: string) => RuntimeStatus;
  throughput: (baseModelId: string) => Throughput;
  load: (baseModelId: string) => Load;
  /** Starts loading in the background. */
  warm: (baseModelId: string) => void;
  close: () => Promise<void>;
};

/** How the key-value cache stores its numbers: 16, 8.5 or 4.5 bits each. */
export const kvTypes = ['f16', 'q8_0', 'q4_0'] as const;
export type KvType = (typeof kvTypes)[number];
export type EngineModelKind = 'text' | 'embedding' | 'reranker';

/** An installed model as the engine sees it. */
export type EngineModel = {
  id: string;
  kind: EngineModelKind;
  ggufPath: string;
  maxContextTokens: number;
  /** Calls at once. null or left out: as many as the engine is set to, and fewer where there is no memory for them. */
  sequences?: number | null;
  /** Left out: f16. */
  kv?: KvType;
};
