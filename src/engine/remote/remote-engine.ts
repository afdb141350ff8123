import type { Engine, Pace, RuntimeStatus, Target } from '../port.ts';
import { PreparedCalls } from './prepared-calls.ts';
import { generateChat, prepareChat } from './remote-chat.ts';
import { embedInputs, prepareEmbedding } from './remote-embedding.ts';
import { unknownPace } from './route-queue.ts';
import { RouteSet, type RouteSetOptions } from './route-set.ts';
import type { RemoteContext } from './send-call.ts';
import type { LocalCounter, LocalPromptCounter } from './token-count.ts';

export type RemoteEngineOptions = RouteSetOptions & {
  countHere: LocalCounter;
  /** Left out: nobody counts prompts here. */
  countPromptHere?: LocalPromptCounter;
};

/** Engines of other processes and machines, by the same port as our own. */
export type RemoteEngine = Engine & {
  /** Whether any route is set up for the model, and for adapters on it where one is asked for. */
  serves: (target: Target) => boolean;
};

export function createRemoteEngine(options: RemoteEngineOptions): RemoteEngine {
  const { clock, countHere, countPromptHere = async () => null } = options;
  const routes = new RouteSet(options);
  const prepared = new PreparedCalls(clock);
  const context: RemoteContext = { routes, prepared, clock, countHere, countPromptHere };
  return {
    serves: ({ baseModelId, adapter }) => {
      const ofModel = routes.of(baseModelId);
      return adapter === null ? ofModel.length > 0 : ofModel.some(({ adapters }) => adapters !== null);
    },
    prepareChat: (prompt, signal) => prepareChat(context, prompt, signal),
    generate: (generation, onDelta) => generateChat(context, generation, onDelta),
    prepareEmbedding: (inputs, signal) => prepareEmbedding(context, inputs, signal),
    embed: (request) => embedInputs(context, request),
    release: (handle) => prepared.release(handle),
    status: (baseModelId) => statusOf(routes, baseModelId),
    pace: (baseModelId) => paceOf(routes, baseModelId),
    load: (baseModelId) => routes.queue(baseModelId).load(),
    warm: () => {},
    close: () => routes.close(),
  };
}

function statusOf(routes: RouteSet, baseModelId: string): RuntimeStatus {
  const states = routes.of(baseModelId).map(({ status }) => status);
  const up = states.find(({ isUp, answeredAtMs }) => isUp && answeredAtMs !== null);
  if (up) return { status: 'ready', etaMs: null, loadedAtMs: up.answeredAtMs, error: null };
  const isNew = states.some(({ answeredAtMs, isUp }) => isUp && answeredAtMs === null);
  const error = states.map((state) => state.error).find((each) => each !== null) ?? null;
  return { status: isNew ? 'loading' : 'failed', etaMs: null, loadedAtMs: null, error: isNew ? null : error };
}

function paceOf(routes: RouteSet, baseModelId: string): Pace {
  const measured = routes.of(baseModelId).flatMap(({ decodeMsPerToken }) => decodeMsPerToken ?? []);
  if (measured.length === 0) return unknownPace;
  const decodeMsPerToken = Math.max(...measured);
  return { prefillMsPerToken: Math.min(decodeMsPerToken / 10, 0.5), decodeMsPerToken, measured: true };
}
