import { createHash } from 'node:crypto';
import type { ChatPrompt, Delta, Finished, Generation, PreparedChat } from '../port.ts';
import { workOf } from '../turns/admission.ts';
import { ChatAnswer, noUsage } from './chat-answer.ts';
import { chatBody } from './chat-request.ts';
import { readStream, readWhole } from './read-response.ts';
import type { RemoteParts } from './remote-parts.ts';
import type { RouteRuntime } from './route-runtime.ts';
import { reach } from './route-set.ts';
import { Elsewhere } from './routed-call.ts';
import { adapterFields, doubting, sendCall } from './send-call.ts';
import type { ServingRoute } from './serving-route.ts';
import { countPrompt } from './token-count.ts';

/** A longer answer is streamed to us whoever asks: proxies between cut what is silent for a minute. */
const maxWholeTokens = 2_048;

/** Gives a chat its place with a route. */
export function prepareChat(
  { routes, waiting, countPromptHere }: RemoteParts,
  prompt: ChatPrompt,
  signal: AbortSignal,
): Promise<PreparedChat> {
  waiting.forgetExpired();
  const { target, scope = '' } = prompt;
  const { baseModelId, adapter } = target;
  const bytes = bytesOf(prompt);
  const tokens = Math.ceil(bytes / 4);
  // With a single route there is nothing to choose.
  const prefix = routes.of(baseModelId).length > 1 ? prefixOf(prompt) : '';
  const work = workOf({ promptTokens: tokens, maxTokens: prompt.maxTokens ?? 0 }, routes.contextOf(baseModelId));
  return routes.place({ baseModelId, adapter, prefix, tokens, scope, work }, async (runtime, leave, isInLine) => {
    const { upstream, route, dialect } = runtime;
    const ready = adapter === null || isInLine ? null : await adapterFields(runtime, adapter, signal);
    if (ready instanceof Elsewhere) return ready;
    const counted = fitsSurely(prompt, bytes, route)
      ? null
      : await reach(runtime, () => countPrompt(prompt, { route, dialect, upstream, local: countPromptHere, signal }), {
          nothingRan: true,
        });
    if (counted instanceof Elsewhere) return counted;
    const handle = waiting.keep({
      runtime,
      leave,
      isInLine,
      baseModelId,
      adapter,
      prefix,
      tokens: counted ?? tokens,
      scope,
      work,
      what: { chat: prompt },
    });
    // Where nobody can count or needs to, the engine itself checks the length.
    return { handle, promptTokens: counted ?? 0, maxContextTokens: route.maxContextTokens };
  });
}

/** Runs a chat that has its place, there or where it can go instead. */
export async function generateChat(
  parts: RemoteParts,
  { handle, sampling, cacheScope, signal, whole }: Generation,
  onDelta: (delta: Delta) => void,
): Promise<Finished> {
  const { waiting, clock } = parts;
  const call = waiting.takeBack(handle);
  if (!('chat' in call.what)) throw new Error('A prompt of another kind. This is a bug.');
  const { chat } = call.what;
  const streams = whole !== true || sampling.maxTokens > maxWholeTokens;
  let sentMs: number | null = null;
  let answer: ChatAnswer | null = null;
  const cancelled = (): Finished => ({
    reason: 'cancelled',
    usage: answer?.usage ?? noUsage,
    // What was not sent yet cannot have run: the load of an adapter is not paid for.
    activeMs: sentMs === null ? 0 : clock.monotonicMs() - sentMs,
  });
  const request = ({ dialect, route }: RouteRuntime) => {
    sentMs = clock.monotonicMs();
    const engine = { dialect, model: route.upstreamModel };
    return { path: '/chat/completions', body: chatBody(engine, chat, { sampling, cacheScope, streams }) };
  };
  try {
    signal.throwIfAborted();
    // Without reasoning there is nothing to limit.
    const maxReasoningTokens = chat.reasoningEffort === 'none' ? null : (sampling.maxReasoningTokens ?? null);
    const sent = await sendCall(parts, call, { request, maxReasoningTokens, signal, param: 'messages' });
    const { tools, parallelToolCalls } = chat;
    const { answer: fields } = sent.runtime.dialect;
    answer = new ChatAnswer({ hasTools: tools.length > 0, parallelToolCalls, stop: sampling.stop, fields });
    try {
      await (streams ? readStream : readWhole)(sent.response.body, answer, { signal, onDelta });
      if (signal.aborted) return cancelled();
      const activeMs = clock.monotonicMs() - sent.sentMs;
      const { promptTokens, completionTokens } = answer.usage;
      parts.routes.line(call.baseModelId).ran(workOf({ promptTokens, maxTokens: completionTokens }), activeMs);
      sent.runtime.measured(activeMs, completionTokens);
      return { reason: answer.reason, usage: answer.usage, activeMs, stopText: answer.stopText };
    } catch (error) {
      throw doubting(sent.runtime, error);
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
      ? Buffer.byteLength(message.content) + roomAroundMessage
      : sizeAsJson(message),
  );
  return sizes.reduce((sum, size) => sum + size, tools.length === 0 ? 0 : sizeAsJson(tools));
}

/** Room for what a template puts around a message: a role, and marks that are tokens of their own. */
const roomAroundMessage = 32;

const sizeAsJson = (value: object) => Buffer.byteLength(JSON.stringify(value));

/** What a template adds: a preamble for tools, a system prompt of its own. */
const templateTokens = 1_024;

/** A token is at least one byte: most prompts need not be counted to know that they and their answer have room. */
function fitsSurely({ maxTokens }: ChatPrompt, bytes: number, { maxContextTokens }: ServingRoute): boolean {
  return maxTokens !== undefined && bytes + templateTokens + maxTokens <= maxContextTokens;
}

/** Chats that begin alike go to the same engine, which has that beginning in its cache. */
function prefixOf({ messages }: ChatPrompt): string {
  const beginning = messages.slice(0, 2).map(({ role, content }) => [role, content.slice(0, 4_000)]);
  return createHash('sha256').update(JSON.stringify(beginning)).digest('base64url').slice(0, 22);
}
