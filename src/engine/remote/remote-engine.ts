import { createHash } from 'node:crypto';
import { fault } from '#kernel';
import type { Adapter, ChatPrompt, Embedded, EmbeddingInputs, Engine, Finished, Generation, Target } from '../port.ts';
import { ChatAnswer } from './chat-answer.ts';
import { chatBody } from './chat-request.ts';
import { countPrompt, countTexts, type LocalCounter } from './count-tokens.ts';
import { embeddingCall, vectorsOf } from './embedding-request.ts';
import { readJson, readStream, readWhole } from './read-answer.ts';
import type { RouteRuntime } from './route-runtime.ts';
import { Elsewhere, RouteSet, type RouteSetOptions, reach } from './route-set.ts';
import type { ServingRoute } from './serving-route.ts';
import type { Answer } from './upstream.ts';
import { refusalOf } from './upstream-error.ts';

export type RemoteEngineOptions = RouteSetOptions & { countHere: LocalCounter };

/** Engines of other processes and machines, by the same port as our own. */
export type RemoteEngine = Engine & {
  /** Whether any route is set up for the model, and for adapters on it where one is asked for. */
  serves: (target: Target) => boolean;
};

type Waiting = {
  runtime: RouteRuntime;
  adapter: Adapter | null;
  leave: () => void;
  prefix: string;
  tokens: number;
  untilMs: number;
  what: { chat: ChatPrompt } | { inputs: EmbeddingInputs; tokens: number };
};

const keptMs = 60_000;
/** A longer answer is streamed to us whoever asks: proxies between cut what is silent for a minute. */
const mostWholeTokens = 2_048;
const unknownPace = { prefillMsPerToken: 0.5, decodeMsPerToken: 20 };

export function createRemoteEngine(options: RemoteEngineOptions): RemoteEngine {
  const { clock, countHere } = options;
  const routes = new RouteSet(options);
  const waiting = new Map<string, Waiting>();
  let last = 0;

  const forgetExpired = () => {
    const nowMs = clock.monotonicMs();
    for (const [handle, { untilMs, leave }] of waiting) {
      if (untilMs > nowMs) break;
      waiting.delete(handle);
      leave();
    }
  };
  const keep = (entry: Omit<Waiting, 'untilMs'>): string => {
    last += 1;
    const handle = `${handlePrefix}${last}`;
    waiting.set(handle, { ...entry, untilMs: clock.monotonicMs() + keptMs });
    return handle;
  };
  const takeBack = (handle: string): Waiting => {
    const entry = waiting.get(handle);
    waiting.delete(handle);
    if (entry) return entry;
    const message = 'The prompt waited too long for its run.';
    throw fault('capacity_unavailable', { message, retryAfterSeconds: 1 });
  };

  /** Sends a prepared call; where nothing can have run there, another route gets it. */
  const send = async (
    entry: Waiting,
    request: (route: ServingRoute) => { path: string; body: Record<string, unknown> },
    { signal, param }: { signal: AbortSignal; param: string },
  ): Promise<{ answer: Answer; runtime: RouteRuntime; leave: () => void; sentMs: number }> => {
    const { adapter } = entry;
    const attempt = async (
      runtime: RouteRuntime,
      leave: () => void,
      isRepeated = false,
    ): Promise<{ answer: Answer; runtime: RouteRuntime; leave: () => void; sentMs: number } | Elsewhere> => {
      const fields = adapter === null ? fieldsOfBase(runtime) : await adapterFields(runtime, adapter, signal);
      if (fields instanceof Elsewhere) return fields;
      const { path, body } = request(runtime.route);
      const told = fields === null ? body : { ...body, ...fields };
      const sentMs = clock.monotonicMs();
      const answer = await reach(runtime, () => runtime.upstream.post(path, told, signal));
      if (answer instanceof Elsewhere) return answer;
      if (answer.status === 200) {
        runtime.answered(entry.prefix);
        return { answer, runtime, leave, sentMs };
      }
      const refusal = await refusalOf(answer, { param, adapter });
      if (refusal.kind === 'final') throw refusal.error;
      if (refusal.kind === 'adapter_lost') {
        // It was started anew, or another server needed the room. Nothing has run there.
        if (adapter !== null) runtime.adapters?.lose(adapter.sha256);
        return isRepeated ? new Elsewhere(refusal.reason) : attempt(runtime, leave, true);
      }
      if (refusal.isDown) runtime.failed(refusal.reason);
      return new Elsewhere(refusal.reason, refusal);
    };
    const { runtime, leave, prefix, tokens } = entry;
    const first = await attempt(runtime, leave).catch((error: unknown) => {
      leave();
      throw error;
    });
    if (!(first instanceof Elsewhere)) return first;
    leave();
    return routes.place(
      {
        baseModelId: runtime.route.baseModelId,
        adapter,
        prefix,
        tokens,
        except: runtime,
        refused: first,
      },
      (next, leaveNext) => attempt(next, leaveNext),
    );
  };

  return {
    serves: ({ baseModelId, adapter }) => {
      const ofModel = routes.of(baseModelId);
      return adapter === null ? ofModel.length > 0 : ofModel.some(({ adapters }) => adapters !== null);
    },

    prepareChat(prompt, signal) {
      forgetExpired();
      const { baseModelId, adapter } = prompt.target;
      const bytes = bytesOf(prompt);
      const tokens = Math.ceil(bytes / 4);
      // With a single route there is nothing to choose.
      const prefix = routes.of(baseModelId).length > 1 ? prefixOf(prompt) : '';
      return routes.place({ baseModelId, adapter, prefix, tokens }, async (runtime, leave) => {
        const { upstream, route } = runtime;
        const ready = adapter === null ? null : await adapterFields(runtime, adapter, signal);
        if (ready instanceof Elsewhere) return ready;
        const counted = fitsSurely(prompt, bytes, route)
          ? null
          : await reach(runtime, () => countPrompt(prompt, { route, upstream, local: countHere, signal }), {
              nothingRan: true,
            });
        if (counted instanceof Elsewhere) return counted;
        const handle = keep({ runtime, adapter, leave, prefix, tokens: counted ?? tokens, what: { chat: prompt } });
        // Where nobody can count or needs to, the engine itself checks the length.
        return { handle, promptTokens: counted ?? 0, maxContextTokens: route.maxContextTokens };
      });
    },

    async generate({ handle, sampling, cacheScope, signal, whole }: Generation, onDelta): Promise<Finished> {
      const entry = takeBack(handle);
      if (!('chat' in entry.what)) throw new Error('A prompt of another kind. This is a bug.');
      const { chat } = entry.what;
      const startedMs = clock.monotonicMs();
      const streams = whole !== true || sampling.maxTokens > mostWholeTokens;
      const { parallelToolCalls } = chat;
      const text = new ChatAnswer({ hasTools: chat.tools.length > 0, parallelToolCalls, stop: sampling.stop });
      const cancelled = (sinceMs: number): Finished => ({
        reason: 'cancelled',
        usage: text.usage,
        activeMs: clock.monotonicMs() - sinceMs,
      });
      try {
        signal.throwIfAborted();
        const sent = await send(
          entry,
          (route) => ({ path: '/chat/completions', body: chatBody(route, chat, { sampling, cacheScope, streams }) }),
          { signal, param: 'messages' },
        );
        try {
          await (streams ? readStream : readWhole)(sent.answer, text, { signal, onDelta });
          if (signal.aborted) return cancelled(sent.sentMs);
          const activeMs = clock.monotonicMs() - sent.sentMs;
          sent.runtime.measured(activeMs, text.usage.completionTokens);
          return { reason: text.reason, usage: text.usage, activeMs };
        } finally {
          sent.leave();
        }
      } catch (error) {
        if (signal.aborted) return cancelled(startedMs);
        throw error;
      } finally {
        entry.leave();
      }
    },

    prepareEmbedding(inputs, signal) {
      forgetExpired();
      const { baseModelId, adapter } = inputs.target;
      const tokens = Math.ceil(inputs.texts.join('').length / 4);
      return routes.place({ baseModelId, adapter, prefix: '', tokens }, async (runtime, leave) => {
        const { upstream, route } = runtime;
        const ready = adapter === null ? null : await adapterFields(runtime, adapter, signal);
        if (ready instanceof Elsewhere) return ready;
        const asked = { route, upstream, local: countHere, signal };
        const counts = await reach(runtime, () => countTexts(inputs.texts, asked), { nothingRan: true });
        if (counts instanceof Elsewhere) return counts;
        if (counts === null) {
          throw fault('generation_failed', {
            message: 'The tokens of this input cannot be counted.',
            internal: `Neither the route ${route.id} nor an installed file of ${baseModelId} counts tokens.`,
          });
        }
        const most = inputs.truncate ? inputs.maxInputTokens : Number.POSITIVE_INFINITY;
        const counted = counts.map((count) => ({ tokens: Math.min(count, most), truncated: count > most }));
        const sum = counted.reduce((total, each) => total + each.tokens, 0);
        const handle = keep({ runtime, adapter, leave, prefix: '', tokens: sum, what: { inputs, tokens: sum } });
        return { handle, inputs: counted, dimensions: route.dimensions ?? 0 };
      });
    },

    async embed({ handle, signal }): Promise<Embedded> {
      const entry = takeBack(handle);
      if (!('inputs' in entry.what)) throw new Error('A prompt of another kind. This is a bug.');
      const { inputs, tokens } = entry.what;
      try {
        signal.throwIfAborted();
        const sent = await send(entry, (route) => embeddingCall(route, inputs), { signal, param: 'input' });
        try {
          const vectors = vectorsOf(await readJson(sent.answer, signal), inputs.texts.length);
          return { vectors, promptTokens: tokens, activeMs: clock.monotonicMs() - sent.sentMs };
        } finally {
          sent.leave();
        }
      } finally {
        entry.leave();
      }
    },

    release(handle) {
      waiting.get(handle)?.leave();
      waiting.delete(handle);
    },

    status(baseModelId) {
      const states = routes.of(baseModelId).map(({ status }) => status);
      const up = states.find(({ isUp, answeredAtMs }) => isUp && answeredAtMs !== null);
      if (up) return { status: 'ready', etaMs: null, loadedAtMs: up.answeredAtMs, error: null };
      const isNew = states.some(({ answeredAtMs, isUp }) => isUp && answeredAtMs === null);
      const error = states.map((state) => state.error).find((each) => each !== null) ?? null;
      return { status: isNew ? 'loading' : 'failed', etaMs: null, loadedAtMs: null, error: isNew ? null : error };
    },
    pace(baseModelId) {
      const measured = routes.of(baseModelId).flatMap(({ decodeMsPerToken }) => decodeMsPerToken ?? []);
      if (measured.length === 0) return unknownPace;
      const decodeMsPerToken = Math.max(...measured);
      return { prefillMsPerToken: Math.min(decodeMsPerToken / 10, 0.5), decodeMsPerToken, measured: true };
    },
    load: (baseModelId) => ({ running: routes.of(baseModelId).reduce((sum, { calls }) => sum + calls, 0), waiting: 0 }),
    warm: () => {},
    async close() {
      await routes.close();
    },
  };
}

/** What a call with an adapter says; it is loaded first. */
async function adapterFields(
  runtime: RouteRuntime,
  adapter: Adapter,
  signal: AbortSignal,
): Promise<Record<string, unknown> | Elsewhere> {
  const { adapters } = runtime;
  if (adapters === null) return new Elsewhere('The route serves no adapters.');
  return reach(runtime, () => adapters.fieldsOf(adapter, signal), { nothingRan: true });
}

const fieldsOfBase = ({ adapters }: RouteRuntime) => adapters?.fieldsOfBase ?? null;

/** Handles of this engine begin with it, and those of our own engine do not. */
export const handlePrefix = 'remote-';

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
