import type { Engine, Pace, RuntimeStatus, Target } from '../port.ts';
import { generateChat, prepareChat } from './remote-chat.ts';
import { embedInputs, prepareEmbedding } from './remote-embedding.ts';
import type { RemoteParts } from './remote-parts.ts';
import { unknownPace } from './route-line.ts';
import { RouteSet, type RouteSetOptions } from './route-set.ts';
import type { LocalCounter, LocalPromptCounter } from './token-count.ts';
import { WaitingCalls } from './waiting-calls.ts';

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
  const waiting = new WaitingCalls(clock);
  const parts: RemoteParts = { routes, waiting, clock, countHere, countPromptHere };
  return {
    serves: ({ baseModelId, adapter }) => {
      const ofModel = routes.of(baseModelId);
      return adapter === null ? ofModel.length > 0 : ofModel.some(({ adapters }) => adapters !== null);
    },
    prepareChat: (prompt, signal) => prepareChat(parts, prompt, signal),
    generate: (generation, onDelta) => generateChat(parts, generation, onDelta),
    prepareEmbedding: (inputs, signal) => prepareEmbedding(parts, inputs, signal),
    embed: (request) => embedInputs(parts, request),
    release: (handle) => waiting.release(handle),
    status: (baseModelId) => statusOf(routes, baseModelId),
    pace: (baseModelId) => paceOf(routes, baseModelId),
    load: (baseModelId) => routes.line(baseModelId).load(),
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
