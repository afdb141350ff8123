import { createHash } from 'node:crypto';
import type { ChatPrompt, Delta, Finished, Generation, PreparedChat } from '../port.ts';
import { workOf } from '../turns/admission.ts';
import { ChatAnswer, noUsage } from './chat-answer.ts';
import { chatBody } from './chat-request.ts';
import { RouteRefusal } from './prepared-calls.ts';
import { readStream, readWhole } from './read-response.ts';
import type { RouteRuntime } from './route-runtime.ts';
import { callRoute } from './route-set.ts';
import { loadAdapter, noteFailure, type RemoteContext, sendCall } from './send-call.ts';
import type { ServingRoute } from './serving-route.ts';
import { countPrompt } from './token-count.ts';

/** A longer answer is streamed to us whoever asks: proxies between cut what is silent for a minute. */
const maxWholeTokens = 2_048;

/** Gives a chat a slot with a route, or a place in the queue. */
export function prepareChat(
  { routes, prepared, countPromptHere }: RemoteContext,
  prompt: ChatPrompt,
  signal: AbortSignal,
): Promise<PreparedChat> {
  prepared.releaseExpired();
  const { target, scope = '' } = prompt;
  const { baseModelId, adapter } = target;
  const bytes = bytesOf(prompt);
  const tokens = Math.ceil(bytes / 4);
  // With a single route there is nothing to choose.
  const prefix = routes.of(baseModelId).length > 1 ? prefixOf(prompt) : '';
  const work = workOf({ promptTokens: tokens, maxTokens: prompt.maxTokens ?? 0 }, routes.contextOf(baseModelId));
  const call = { baseModelId, adapter, prefix, tokens, scope, work };
  return routes.assign(call, async (slot) => {
    const { upstream, route, dialect } = slot.runtime;
    const loaded = adapter === null || slot.isQueued ? null : await loadAdapter(slot.runtime, adapter, signal);
    if (loaded instanceof RouteRefusal) return loaded;
    const options = { route, dialect, upstream, local: countPromptHere, signal };
    const counted = surelyFits(prompt, bytes, route)
      ? null
      : await callRoute(slot.runtime, () => countPrompt(prompt, options), { nothingRan: true });
    if (counted instanceof RouteRefusal) return counted;
    const handle = prepared.add({ ...call, ...slot, tokens: counted ?? tokens, input: { chat: prompt } });
    // Where nobody can count or needs to, the engine itself checks the length.
    return { handle, promptTokens: counted ?? 0, maxContextTokens: route.maxContextTokens };
  });
}

/** Runs a chat that is prepared, there or where it can go instead. */
export async function generateChat(
  context: RemoteContext,
  { handle, sampling, cacheScope, signal, whole }: Generation,
  onDelta: (delta: Delta) => void,
): Promise<Finished> {
  const { clock, routes } = context;
  const call = context.prepared.take(handle);
  if (!('chat' in call.input)) throw new Error('A prompt of another kind. This is a bug.');
  const { chat } = call.input;
  const streams = whole !== true || sampling.maxTokens > maxWholeTokens;
  let sentMs: number | null = null;
  let answer: ChatAnswer | null = null;
  const cancelled = (): Finished => ({
    reason: 'cancelled',
    usage: answer?.usage ?? noUsage,
    // What was not sent yet cannot have run: the load of an adapter is not paid for.
    activeMs: sentMs === null ? 0 : clock.monotonicMs() - sentMs,
  });
  const build = ({ dialect, route }: RouteRuntime) => {
    sentMs = clock.monotonicMs();
    const engine = { dialect, model: route.upstreamModel };
    return { path: '/chat/completions', body: chatBody(engine, chat, { sampling, cacheScope, streams }) };
  };
  try {
    signal.throwIfAborted();
    // Without reasoning there is nothing to limit.
    const maxReasoningTokens = chat.reasoningEffort === 'none' ? null : (sampling.maxReasoningTokens ?? null);
    const sent = await sendCall(context, call, { build, maxReasoningTokens, signal, param: 'messages' });
    const { tools, parallelToolCalls } = chat;
    const { answer: fields } = sent.runtime.dialect;
    answer = new ChatAnswer({ hasTools: tools.length > 0, parallelToolCalls, stop: sampling.stop, fields });
    try {
      await (streams ? readStream : readWhole)(sent.response.body, answer, { signal, onDelta });
      if (signal.aborted) return cancelled();
      const activeMs = clock.monotonicMs() - sent.sentMs;
      const { promptTokens, completionTokens } = answer.usage;
      routes.queue(call.baseModelId).recordRun(workOf({ promptTokens, maxTokens: completionTokens }), activeMs);
      sent.runtime.measured(activeMs, completionTokens);
      return { reason: answer.reason, usage: answer.usage, activeMs, stopText: answer.stopText };
    } catch (error) {
      throw noteFailure(sent.runtime, error);
    } finally {
      sent.leave();
    }
  } catch (error) {
    if (signal.aborted) return cancelled();
    throw error;
  } finally {
    call.leave();
  }
}

function bytesOf({ messages, tools }: ChatPrompt): number {
  const sizes = messages.map((message) =>
    message.role === 'user' || message.role === 'system'
      ? Buffer.byteLength(message.content) + bytesAroundMessage
      : sizeAsJson(message),
  );
  return sizes.reduce((sum, size) => sum + size, tools.length === 0 ? 0 : sizeAsJson(tools));
}

/** For what a template puts around a message: a role, and marks that are tokens of their own. */
const bytesAroundMessage = 32;

const sizeAsJson = (value: object) => Buffer.byteLength(JSON.stringify(value));

/** What a template adds: a preamble for tools, a system prompt of its own. */
const templateTokens = 1_024;

/** A token is at least one byte: most prompts need not be counted to know that they and their answer have room. */
function surelyFits({ maxTokens }: ChatPrompt, bytes: number, { maxContextTokens }: ServingRoute): boolean {
  return maxTokens !== undefined && bytes + templateTokens + maxTokens <= maxContextTokens;
}

/** Chats that begin alike go to the same engine, which has that beginning in its cache. */
function prefixOf({ messages }: ChatPrompt): string {
  const beginning = messages.slice(0, 2).map(({ role, content }) => [role, content.slice(0, 4_000)]);
  return createHash('sha256').update(JSON.stringify(beginning)).digest('base64url').slice(0, 22);
}
