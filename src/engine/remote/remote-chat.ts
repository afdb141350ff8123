import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import { Fault, fault, parseExactJson } from '#kernel';
import { type ChoiceRun, generateChoices } from '../choices.ts';
import type {
  ChatPrompt,
  Delta,
  Finished,
  GenerationRequest,
  PreparedChat,
  ResponseFormat,
  Sampling,
} from '../port.ts';
import { cannotFillIn } from '../refusals.ts';
import { ChatAnswer, noUsage } from './chat-answer.ts';
import type { EngineDialect } from './dialect.ts';
import { RouteRefusal } from './route-runtime.ts';
import { type PreparedCall, type RemoteContext, sendCall } from './route-set.ts';
import type { ServingRoute } from './serving-route.ts';
import { countPrompt } from './token-count.ts';
import { discard, readText } from './upstream.ts';
import {
  fieldsOf,
  imagesOf,
  type JsonFields,
  messageForEngine,
  samplingFields,
  toolChoiceToWire,
  toolToWire,
} from './wire.ts';

/** A longer answer is streamed to us whoever asks: proxies between cut what is silent for a minute. */
const maxWholeTokens = 2_048;
/** For what a template puts around a message: a role, and marks that are tokens of their own. */
const bytesAroundMessage = 32;
/** What a template adds: a preamble for tools, a system prompt of its own. */
const templateTokens = 1_024;
/** Of common models, about: it only weighs calls against each other. */
const tokensOfImage = 1_000;

/** Counts the prompt where that is needed, at a route that may run it. */
export async function prepareChat(
  { routes, countPromptHere }: RemoteContext,
  prompt: ChatPrompt,
  signal: AbortSignal,
): Promise<PreparedChat> {
  const { target, scope = '', suffix } = prompt;
  if (suffix !== undefined) throw cannotFillIn();
  const bytes = bytesOf(prompt);
  const images = imagesOf(prompt.messages).length;
  const estimate = Math.ceil(bytes / 4) + images * tokensOfImage;
  // With a single route there is nothing to choose.
  const prefix = routes.of(target.baseModelId).length > 1 ? prefixOf(prompt) : '';
  const call = { ...target, prefix, tokens: estimate, scope, needsVision: images > 0 };
  const { route, result, tried } = await routes.prepareAtAny(call, async ({ route, dialect, upstream }) => {
    // What an image takes only its engine knows.
    if (images > 0 || surelyFits(prompt, bytes, route)) return null;
    return countPrompt(prompt, promptFields(dialect, prompt), {
      route,
      dialect,
      upstream,
      local: countPromptHere,
      signal,
    });
  });
  const handle = routes.store({ ...call, tokens: result ?? estimate, tried, input: { chat: prompt } });
  // Where nobody can count or needs to, the engine itself checks the length.
  return { handle, promptTokens: result ?? 0, maxContextTokens: route.maxContextTokens };
}

export function generateChat(
  context: RemoteContext,
  request: GenerationRequest,
  onDelta: (delta: Delta) => void,
): Promise<Finished> {
  const call = context.routes.take(request.handle);
  const run = ({ sampling, onDelta: deliver }: Omit<ChoiceRun, 'isLast'>) =>
    generateOne(context, call, { ...request, sampling }, deliver);
  if ((request.choices ?? 1) > 1) return generateChoices(request, onDelta, run);
  return run({ sampling: request.sampling, onDelta });
}

async function generateOne(
  { clock, routes }: RemoteContext,
  call: PreparedCall,
  { sampling, cacheScope, signal, whole }: GenerationRequest,
  onDelta: (delta: Delta) => void,
): Promise<Finished> {
  if (!('chat' in call.input)) throw new Error('A prompt of another kind. This is a bug.');
  const { chat } = call.input;
  const streams = whole !== true || sampling.maxTokens > maxWholeTokens || sampling.logprobs !== undefined;
  let sentMs: number | null = null;
  let answer: ChatAnswer | null = null;
  // What was not sent yet cannot have run: the load of an adapter is not paid for.
  const activeMs = () => (sentMs === null ? 0 : clock.monotonicMs() - sentMs);
  const cancelled = (): Finished => ({
    reason: 'cancelled',
    usage: answer?.usage ?? noUsage,
    activeMs: activeMs(),
  });
  try {
    signal.throwIfAborted();
    return await routes.run(call, signal, async (runtime) => {
      const { dialect, route } = runtime;
      const response = await sendCall(runtime, call, {
        path: '/chat/completions',
        body: chatBody({ dialect, model: route.upstreamModel }, chat, { sampling, cacheScope, streams }),
        onSend: () => {
          sentMs = clock.monotonicMs();
        },
        // Without reasoning there is nothing to limit.
        maxReasoningTokens: chat.reasoningEffort === 'none' ? null : (sampling.maxReasoningTokens ?? null),
        signal,
        param: 'messages',
      });
      if (response instanceof RouteRefusal) return response;
      const { tools, parallelToolCalls } = chat;
      answer = new ChatAnswer({
        hasTools: tools.length > 0,
        parallelToolCalls,
        stop: sampling.stop,
        fields: dialect.answer,
        logprobs: sampling.logprobs !== undefined,
      });
      await (streams ? readStream : readWhole)(response.body, answer, { signal, onDelta });
      if (signal.aborted) return cancelled();
      const { reason, usage, stopText } = answer;
      runtime.measured(activeMs(), usage.completionTokens);
      return { reason, usage, activeMs: activeMs(), stopText };
    });
  } catch (error) {
    if (signal.aborted) return cancelled();
    throw error;
  }
}

/** The body of `POST /chat/completions`. */
export function chatBody(
  { dialect, model }: { dialect: EngineDialect; model: string },
  prompt: ChatPrompt,
  { sampling, cacheScope, streams }: { sampling: Sampling; cacheScope: string; streams: boolean },
): JsonFields {
  const { tools, toolChoice, parallelToolCalls } = prompt;
  return {
    model,
    ...promptFields(dialect, prompt),
    ...(streams ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...samplingFields(sampling, dialect.samplingNames),
    ...(tools.length === 0 ? {} : { tool_choice: toolChoiceToWire(toolChoice) }),
    ...(tools.length === 0 || parallelToolCalls ? {} : { parallel_tool_calls: false }),
    ...formatField(prompt.responseFormat),
    ...dialect.chatFields?.({ sampling, cacheScope }),
  };
}

/** What decides about the tokens of a prompt: also sent to count them. */
export function promptFields(dialect: EngineDialect, prompt: ChatPrompt): JsonFields {
  const { messages, tools, toolChoice, reasoningEffort } = prompt;
  const isForced = toolChoice.mode === 'required' || toolChoice.mode === 'named';
  return {
    messages: messages.map(messageForEngine),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => toolToWire(dialect.tool(tool, { isForced }))) }),
    ...(reasoningEffort === null ? {} : dialect.reasoningFields(reasoningEffort)),
  };
}

function formatField(format: ResponseFormat): JsonFields {
  if (format.type === 'text') return {};
  if (format.type === 'json_object') return { response_format: { type: 'json_object' } };
  const json_schema = { name: 'answer', schema: format.schema, strict: true };
  return { response_format: { type: 'json_schema', json_schema } };
}

type ReadOptions = { signal: AbortSignal; onDelta: (delta: Delta) => void };

/**
 * Reads a streamed answer to its end, or until the caller leaves. Text that arrives in one piece is one delta, as the tokens of one
 * step of our own engine are. Throws `generation_failed` where the answer is not whole.
 */
export async function readStream(body: Readable, answer: ChatAnswer, { signal, onDelta }: ReadOptions): Promise<void> {
  const decoder = new TextDecoder();
  let deltas: Delta[] = [];
  let isDone = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      const text = data.trim();
      if (text === '[DONE]') isDone = true;
      // Some engines send empty events to keep a connection busy.
      else if (text !== '' && !isDone) deltas.push(...deltasIn(text, answer));
    },
  });
  /** Some engines answer with one JSON object what they cannot stream, errors too. */
  let json: string | null = null;
  let isBeginning = true;
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      const text = decoder.decode(piece, { stream: true });
      if (isBeginning && /^\s*\{/.test(text)) json = '';
      isBeginning &&= text.trim() === '';
      try {
        if (json === null) parser.feed(text);
        else json += text;
      } finally {
        for (const delta of joined(deltas)) onDelta(delta);
        deltas = [];
      }
      if (isDone) break;
    }
    if (json !== null) for (const delta of deltasIn(json.trim(), answer)) onDelta(delta);
    if (!answer.isComplete) throw new Error('The stream ended before the answer did.');
    for (const delta of answer.end()) onDelta(delta);
  } catch (error) {
    throwUnlessAborted(error, signal);
  } finally {
    discard(body);
  }
}

async function readWhole(body: Readable, answer: ChatAnswer, { signal, onDelta }: ReadOptions): Promise<void> {
  try {
    for (const delta of deltasIn(await readText(body), answer)) onDelta(delta);
    if (!answer.isComplete) throw new Error('The answer does not say why it ended.');
    for (const delta of answer.end()) onDelta(delta);
  } catch (error) {
    throwUnlessAborted(error, signal);
  }
}

/** Arguments of a call that are an object keep their digits and the order of their keys. */
const hasObject = /"(?:arguments|parameters|input)"\s*:\s*\{/;

function deltasIn(text: string, answer: ChatAnswer): Delta[] {
  const chunk: unknown = hasObject.test(text) ? parseExactJson(text) : JSON.parse(text);
  const { error } = fieldsOf(chunk);
  // Some engines write `"error": null`.
  if (error !== undefined && error !== null) throw new Error(`It sent ${JSON.stringify(chunk).slice(0, 300)}`);
  return answer.push(chunk);
}

function joined(deltas: readonly Delta[]): Delta[] {
  const all: Delta[] = [];
  for (const delta of deltas) {
    const last = all.at(-1);
    if (last && 'text' in last && 'text' in delta && last.type === delta.type) last.text += delta.text;
    else all.push({ ...delta });
  }
  return all;
}

function throwUnlessAborted(error: unknown, { aborted }: AbortSignal): void {
  if (aborted) return;
  if (error instanceof Fault) throw error;
  const internal = error instanceof Error ? error.message : String(error);
  throw fault('generation_failed', { internal, cause: error });
}

function bytesOf({ messages, tools }: ChatPrompt): number {
  const sizes = messages.map((message) =>
    message.role === 'user' || message.role === 'system'
      ? Buffer.byteLength(message.content) + bytesAroundMessage
      : sizeAsJson(message),
  );
  return sizes.reduce((sum, size) => sum + size, tools.length === 0 ? 0 : sizeAsJson(tools));
}

const sizeAsJson = (value: object) => Buffer.byteLength(JSON.stringify(value));

/** A token is at least one byte: most prompts need not be counted to know that they and their answer have room. */
function surelyFits({ maxTokens }: ChatPrompt, bytes: number, { maxContextTokens }: ServingRoute): boolean {
  return maxTokens !== undefined && bytes + templateTokens + maxTokens <= maxContextTokens;
}

/** Chats that begin alike go to the same engine, which has that beginning in its cache. */
function prefixOf({ messages }: ChatPrompt): string {
  const beginning = messages.slice(0, 2).map(({ role, content }) => [role, content.slice(0, 4_000)]);
  return createHash('sha256').update(JSON.stringify(beginning)).digest('base64url').slice(0, 22);
}
