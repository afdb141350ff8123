import type { ChatPrompt, EmbeddingInputs, ReasoningEffort, Sampling, ToolDefinition } from '../port.ts';
import type { RouteAdapters, RouteAdaptersOptions } from './adapters/route-adapters.ts';
import { discard, readText, type Upstream } from './upstream.ts';
import type { SamplingNames } from './wire.ts';
import { countOf, fieldsOf, type JsonFields, jsonIn } from './wire.ts';

/**
 * What differs between engines that speak OpenAI's routes. A dialect is one module in `dialects/`, registered in `dialects/index.ts`.
 * Paths are under the route's base URL, or of the server itself where they begin with `//`.
 */
export type EngineDialect = {
  healthPath: string;
  /** The engine announces keep-alive for the connection of a stream and closes it nevertheless. A pattern: where its `Server` header fits. */
  closesAfterStream: boolean | RegExp;

  /** Settings beyond OpenAI's, as the engine names them; null: it has none of them, and a call with one is refused. */
  samplingNames: SamplingNames | null;
  /** Further fields of a chat; null: there are none. */
  chatFields: ((chat: { sampling: Sampling; cacheScope: string }) => JsonFields) | null;
  reasoningFields: (effort: Exclude<ReasoningEffort, null>) => JsonFields;
  /** Fields that end reasoning after so many tokens; null: the engine has no such limit. */
  reasoningLimit: {
    fields: (maxTokens: number) => JsonFields;
    /** Some refuse it unless they were started for it, and a stream only in its body: a short call finds out first. */
    mustProbe: boolean;
  } | null;
  /** The tool as it is sent. `isForced`: the model must call one. */
  tool: (tool: ToolDefinition, options: { isForced: boolean }) => ToolDefinition;

  /** Counts a prompt as the engine would run it; null: it has no route for that. The result is null where it does not know. */
  countPrompt:
    | ((request: TokenizeRequest & { prompt: ChatPrompt; fields: JsonFields }) => Promise<number | null>)
    | null;
  /** Counts texts, of which a request takes at most `batchSize`. */
  countTexts: {
    batchSize: number;
    count: (request: TokenizeRequest & { texts: string[] }) => Promise<number[] | null>;
  } | null;

  /** Tokens of texts and conversations, and texts of tokens; null: the engine has no routes for them. */
  tokens: {
    ofText: (request: TokenizeRequest & { text: string; addSpecialTokens: boolean }) => Promise<number[] | null>;
    ofChat: (request: TokenizeRequest & { prompt: ChatPrompt; fields: JsonFields }) => Promise<number[] | null>;
    textOf: (request: TokenizeRequest & { tokens: readonly number[] }) => Promise<string | null>;
  } | null;

  embeddingRequest: (model: string, inputs: EmbeddingInputs) => { path: string; body: JsonFields };
  /** Scores the texts for the query; null: the engine has no route for that. */
  rerankRequest: ((model: string, inputs: RerankInputs) => { path: string; body: JsonFields }) | null;
  /** Whether it truncates inputs that are too long where that is requested; others refuse them. */
  truncatesInputs: boolean;

  /** LoRA adapters; null: there is no way to choose one for each call. */
  adapters: {
    open: (options: RouteAdaptersOptions) => RouteAdapters;
    /** false: an embedding would be made by the base model without a word. */
    serveEmbeddings: boolean;
    /** Recognises the refusal of a call whose adapter is not loaded; null: there is none. */
    isNotLoaded: RegExp | null;
  } | null;

  answer: AnswerFields;
  errors: ErrorPatterns;
};

export type RerankInputs = Pick<EmbeddingInputs, 'texts' | 'maxInputTokens' | 'truncate'> & { query: string };

export type AnswerFields = {
  /** Of a delta or message: what the model thought. The first that has a text counts. */
  reasoning: readonly string[];
  stopText: readonly string[];
};

export type ErrorPatterns = {
  contextExceeded: RegExp;
  modelMissing: RegExp;
  modelLoading: RegExp;
};

export type TokenizeRequest = { upstream: Upstream; model: string; signal: AbortSignal };

/** The JSON that an engine answers; null where it has no such route, or somebody between answers a page. */
export async function postForJson(
  { upstream, signal }: Pick<TokenizeRequest, 'upstream' | 'signal'>,
  path: string,
  body: object,
): Promise<unknown> {
  const response = await upstream.post(path, body, signal);
  if (response.status !== 200) {
    discard(response.body);
    return null;
  }
  return jsonIn(await readText(response.body)) ?? null;
}

/** The count that a tokenise route answers, or the number of tokens that it lists; null for anything else. */
export function tokenCountIn(response: unknown): number | null {
  const { count, tokens } = fieldsOf(response);
  return countOf(count) ?? (Array.isArray(tokens) ? tokens.length : null);
}

/** The tokens that a tokenise route answers; null for anything else. */
export function tokensIn(response: unknown): number[] | null {
  const { tokens } = fieldsOf(response);
  if (!Array.isArray(tokens)) return null;
  const known = tokens.flatMap((token: unknown) => countOf(token) ?? []);
  return known.length === tokens.length ? known : null;
}

/** Engines that render the chat template themselves turn reasoning off with a variable of it (as Qwen3's card has it). */
export function templateReasoning(effort: Exclude<ReasoningEffort, null>): JsonFields {
  if (effort === 'none') return { chat_template_kwargs: { enable_thinking: false } };
  return { reasoning_effort: effort, chat_template_kwargs: { enable_thinking: true } };
}
