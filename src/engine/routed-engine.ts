import { Fault } from '#kernel';
import type { Engine, Target } from './port.ts';
import { handlePrefix, type RemoteEngine } from './remote/remote-engine.ts';

/**
 * One engine out of two: models with serving routes run there, everything else in our own engine. A model that is installed here
 * as well runs here when none of its routes takes the call, and always with an adapter.
 */
export function createRoutedEngine(parts: {
  own: Engine;
  remote: RemoteEngine;
  isInstalled: (baseModelId: string) => boolean;
}): Engine {
  const { own, remote, isInstalled } = parts;
  const isRemote = ({ baseModelId, adapter }: Target) => adapter === null && remote.serves(baseModelId);
  const engineOf = (handle: string) => (handle.startsWith(handlePrefix) ? remote : own);
  const placeOf = (baseModelId: string) => (remote.serves(baseModelId) ? remote : own);

  const prepare = async <Prepared>(target: Target, by: (engine: Engine) => Promise<Prepared>): Promise<Prepared> => {
    if (!isRemote(target)) return by(own);
    try {
      return await by(remote);
    } catch (error) {
      const isFull = error instanceof Fault && error.fault === 'capacity_unavailable';
      if (!isFull || !isInstalled(target.baseModelId)) throw error;
      return by(own);
    }
  };

  return {
    prepareChat: (prompt, signal) => prepare(prompt.target, (engine) => engine.prepareChat(prompt, signal)),
    prepareEmbedding: (inputs, signal) => prepare(inputs.target, (engine) => engine.prepareEmbedding(inputs, signal)),
    generate: (generation, onDelta) => engineOf(generation.handle).generate(generation, onDelta),
    embed: (request) => engineOf(request.handle).embed(request),
    release: (handle) => engineOf(handle).release(handle),
    status: (id) => placeOf(id).status(id),
    pace: (id) => placeOf(id).pace(id),
    load: (id) => placeOf(id).load(id),
    warm: (id) => placeOf(id).warm(id),
    close: async () => {
      await remote.close();
      await own.close();
    },
  };
}
