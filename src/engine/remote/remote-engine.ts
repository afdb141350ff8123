import { Fault } from '#kernel';
import type { Adapter, Engine, RuntimeStatus, Target, Throughput } from '../port.ts';
import { generateChat, prepareChat } from './remote-chat.ts';
import { embedInputs, prepareEmbedding } from './remote-embedding.ts';
import { detokenizeRemotely, tokenizeRemotely } from './remote-tokens.ts';
import { handlePrefix, type RemoteContext, RouteSet, type RouteSetOptions } from './route-set.ts';
import type { LocalCounter, LocalPromptCounter } from './token-count.ts';
import { imagesOf } from './wire.ts';

export type RemoteEngineOptions = RouteSetOptions & {
  countHere: LocalCounter;
  countPromptHere?: LocalPromptCounter;
};

/** Engines of other processes and machines, by the same port as our own. */
export type RemoteEngine = Engine & {
  /** Whether any route is set up for the model, and for adapters on it where the target has one. */
  serves: (target: Target) => boolean;
};

const unknownThroughput: Throughput = { prefillMsPerToken: 0.5, decodeMsPerToken: 20 };

export function createRemoteEngine(options: RemoteEngineOptions): RemoteEngine {
  const { clock, countHere, countPromptHere = async () => null } = options;
  const routes = new RouteSet(options);
  const context: RemoteContext = { routes, clock, countHere, countPromptHere };
  return {
    serves: ({ baseModelId, adapter }) => {
      const ofModel = routes.of(baseModelId);
      return adapter === null ? ofModel.length > 0 : ofModel.some(({ adapters }) => adapters !== null);
    },
    prepareChat: (prompt, signal) => prepareChat(context, prompt, signal),
    generate: (generation, onDelta) => generateChat(context, generation, onDelta),
    prepareEmbedding: (inputs, signal) => prepareEmbedding(context, inputs, signal),
    embed: (request) => embedInputs(context, request),
    tokenize: (input, signal) => tokenizeRemotely(context, input, signal),
    detokenize: (input, signal) => detokenizeRemotely(context, input, signal),
    release: (handle) => routes.release(handle),
    status: (baseModelId) => statusOf(routes, baseModelId),
    throughput: (baseModelId) => throughputOf(routes, baseModelId),
    load: (baseModelId) => routes.load(baseModelId),
    warm: () => {},
    close: () => routes.close(),
  };
}

function statusOf(routes: RouteSet, baseModelId: string): RuntimeStatus {
  const states = routes.of(baseModelId).map(({ status }) => status);
  const up = states.find(({ isUp, answeredAtMs }) => isUp && answeredAtMs !== null);
  if (up) return { status: 'ready', etaMs: null, loadedAtMs: up.answeredAtMs, error: null, runsOn: null };
  const isNew = states.some(({ answeredAtMs, isUp }) => isUp && answeredAtMs === null);
  const error = states.map((state) => state.error).find((each) => each !== null) ?? null;
  return {
    status: isNew ? 'loading' : 'failed',
    etaMs: null,
    loadedAtMs: null,
    error: isNew ? null : error,
    runsOn: null,
  };
}

function throughputOf(routes: RouteSet, baseModelId: string): Throughput {
  const measured = routes.of(baseModelId).flatMap(({ decodeMsPerToken }) => decodeMsPerToken ?? []);
  if (measured.length === 0) return unknownThroughput;
  const decodeMsPerToken = Math.max(...measured);
  return { prefillMsPerToken: Math.min(decodeMsPerToken / 10, 0.5), decodeMsPerToken, measured: true };
}

export type RoutedEngineParts = {
  own: Engine;
  remote: RemoteEngine;
  isInstalled: (baseModelId: string) => boolean;
  /** Sees to it that the file of an adapter is there while a call needs it. */
  provideAdapter: (adapter: Adapter) => Promise<void>;
};

/**
 * One engine out of two: models with serving routes run there, everything else in our own engine. A model that is installed here
 * as well runs here when none of its routes takes the call; with an adapter also when none of them is set up for adapters.
 */
export function createRoutedEngine({ own, remote, isInstalled, provideAdapter }: RoutedEngineParts): Engine {
  /** How calls that wait for a route would be prepared here. */
  const prepareHere = new Map<string, () => Promise<{ handle: string }>>();
  const engineOf = (baseModelId: string) => (remote.serves({ baseModelId, adapter: null }) ? remote : own);

  const tokeniserOf = (baseModelId: string) => (isInstalled(baseModelId) ? own : engineOf(baseModelId));

  const prepare = async <Prepared extends { handle: string }>(
    target: Target,
    by: (engine: Engine) => Promise<Prepared>,
    { onlyThere = false, prefersHere = false } = {},
  ): Promise<Prepared> => {
    if (target.adapter) await provideAdapter(target.adapter);
    if (!remote.serves(target) || (prefersHere && isInstalled(target.baseModelId))) return by(own);
    if (onlyThere || !isInstalled(target.baseModelId)) return by(remote);
    try {
      const prepared = await by(remote);
      prepareHere.set(prepared.handle, () => by(own));
      return prepared;
    } catch (error) {
      if (!isRefused(error)) throw error;
      return by(own);
    }
  };

  const run = async <Result>(
    handle: string,
    by: (engine: Engine, handle: string) => Promise<Result>,
  ): Promise<Result> => {
    if (!handle.startsWith(handlePrefix)) return by(own, handle);
    const instead = prepareHere.get(handle);
    prepareHere.delete(handle);
    try {
      return await by(remote, handle);
    } catch (error) {
      // No route has taken it, so there was no answer yet.
      if (!instead || !isRefused(error)) throw error;
      return by(own, (await instead()).handle);
    }
  };

  return {
    prepareChat: (prompt, signal) =>
      prepare(prompt.target, (engine) => engine.prepareChat(prompt, signal), {
        // Our own engine reads no images.
        onlyThere: imagesOf(prompt.messages).length > 0,
        // Routes do not fill in the middle.
        prefersHere: prompt.suffix !== undefined,
      }),
    prepareEmbedding: (inputs, signal) => prepare(inputs.target, (engine) => engine.prepareEmbedding(inputs, signal)),
    generate: (generation, onDelta) =>
      run(generation.handle, (engine, handle) => engine.generate({ ...generation, handle }, onDelta)),
    embed: (request) => run(request.handle, (engine, handle) => engine.embed({ ...request, handle })),
    // With the model's own file nobody else need be asked.
    tokenize: (input, signal) => tokeniserOf(input.baseModelId).tokenize(input, signal),
    detokenize: (input, signal) => tokeniserOf(input.baseModelId).detokenize(input, signal),
    release: (handle) => {
      prepareHere.delete(handle);
      (handle.startsWith(handlePrefix) ? remote : own).release(handle);
    },
    status: (id) => engineOf(id).status(id),
    throughput: (id) => engineOf(id).throughput(id),
    load: (id) => {
      if (!isInstalled(id)) return engineOf(id).load(id);
      const [here, there] = [own.load(id), remote.load(id)];
      return { running: here.running + there.running, waiting: here.waiting + there.waiting };
    },
    warm: (id) => engineOf(id).warm(id),
    close: async () => {
      await remote.close();
      await own.close();
    },
  };
}

const refusals: ReadonlySet<string> = new Set(['capacity_unavailable', 'model_warming', 'model_not_installed']);

/** No route has taken it; one that still reads its model has not either. */
function isRefused(error: unknown): boolean {
  return error instanceof Fault && refusals.has(error.fault);
}
