import { Fault } from '#kernel';
import type { Adapter, Engine, Target } from './port.ts';
import { handlePrefix } from './remote/prepared-calls.ts';
import type { RemoteEngine } from './remote/remote-engine.ts';

export type RoutedEngineParts = {
  own: Engine;
  remote: RemoteEngine;
  isInstalled: (baseModelId: string) => boolean;
  /** Sees to it that the file of an adapter is there while a call needs it. */
  attend: (adapter: Adapter) => Promise<void>;
};

/**
 * One engine out of two: models with serving routes run there, everything else in our own engine. A model that is installed here
 * as well runs here when none of its routes takes the call; with an adapter also when none of them is set up for adapters.
 */
export function createRoutedEngine({ own, remote, isInstalled, attend }: RoutedEngineParts): Engine {
  /** How calls that wait for a route would be prepared here. */
  const instead = new Map<string, () => Promise<{ handle: string }>>();
  const placeOf = (baseModelId: string) => (remote.serves({ baseModelId, adapter: null }) ? remote : own);

  const prepare = <Prepared extends { handle: string }>(
    target: Target,
    by: (engine: Engine) => Promise<Prepared>,
  ): Promise<Prepared> =>
    target.adapter ? attend(target.adapter).then(() => prepareNow(target, by)) : prepareNow(target, by);

  const prepareNow = <Prepared extends { handle: string }>(
    target: Target,
    by: (engine: Engine) => Promise<Prepared>,
  ): Promise<Prepared> => {
    if (!remote.serves(target)) return by(own);
    return isInstalled(target.baseModelId) ? prepareThereOrHere(by) : by(remote);
  };

  const prepareThereOrHere = async <Prepared extends { handle: string }>(
    by: (engine: Engine) => Promise<Prepared>,
  ): Promise<Prepared> => {
    try {
      const prepared = await by(remote);
      instead.set(prepared.handle, () => by(own));
      return prepared;
    } catch (error) {
      if (!isRefused(error)) throw error;
      return by(own);
    }
  };

  const run = <Result>(handle: string, by: (engine: Engine, handle: string) => Promise<Result>): Promise<Result> => {
    if (!handle.startsWith(handlePrefix)) return by(own, handle);
    const prepareHere = instead.get(handle);
    if (!prepareHere) return by(remote, handle);
    instead.delete(handle);
    return runThereOrHere(handle, { by, prepareHere });
  };

  const runThereOrHere = async <Result>(
    handle: string,
    how: { by: (engine: Engine, handle: string) => Promise<Result>; prepareHere: () => Promise<{ handle: string }> },
  ): Promise<Result> => {
    const { by, prepareHere } = how;
    try {
      return await by(remote, handle);
    } catch (error) {
      // No route has taken it, so nothing was said yet.
      if (!isRefused(error)) throw error;
      return by(own, (await prepareHere()).handle);
    }
  };

  return {
    prepareChat: (prompt, signal) => prepare(prompt.target, (engine) => engine.prepareChat(prompt, signal)),
    prepareEmbedding: (inputs, signal) => prepare(inputs.target, (engine) => engine.prepareEmbedding(inputs, signal)),
    generate: (generation, onDelta) =>
      run(generation.handle, (engine, handle) => engine.generate({ ...generation, handle }, onDelta)),
    embed: (request) => run(request.handle, (engine, handle) => engine.embed({ ...request, handle })),
    release: (handle) => {
      instead.delete(handle);
      (handle.startsWith(handlePrefix) ? remote : own).release(handle);
    },
    status: (id) => placeOf(id).status(id),
    pace: (id) => placeOf(id).pace(id),
    load: (id) => {
      if (!isInstalled(id)) return placeOf(id).load(id);
      const [here, there] = [own.load(id), remote.load(id)];
      return { running: here.running + there.running, waiting: here.waiting + there.waiting };
    },
    warm: (id) => placeOf(id).warm(id),
    close: async () => {
      await remote.close();
      await own.close();
    },
  };
}

/** No route has taken it; one that still reads its model has not either. */
function isRefused(error: unknown): boolean {
  return error instanceof Fault && (error.fault === 'capacity_unavailable' || error.fault === 'model_warming');
}
