import { after } from 'node:test';
import { Fault, systemClock } from '#kernel';
import { createRemoteEngine, type RemoteEngine, type RemoteEngineOptions } from './remote-engine.ts';
import type { ServingRoute } from './serving-route.ts';
import { type Behave, startUpstream, type UpstreamOptions } from './upstream.fixture.ts';

/** Engines whose answers a test writes itself, and what calls them; all end after the last test of the file. */
export function fileEngines() {
  const stops: (() => Promise<void>)[] = [];
  after(() => Promise.all(stops.map((stop) => stop())));

  async function upstream(behave: Behave, options?: UpstreamOptions) {
    const server = await startUpstream(behave, options);
    stops.push(server.stop);
    return server;
  }

  function engineWith(
    routes: readonly ServingRoute[],
    countHere: RemoteEngineOptions['countHere'] = async () => null,
  ): RemoteEngine {
    const engine = createRemoteEngine({ routes: () => routes, countHere, clock: systemClock, log: () => {} });
    stops.push(() => engine.close());
    return engine;
  }

  const engineOf = (...routes: ServingRoute[]) => engineWith(routes);
  return { upstream, engineOf, engineWith };
}

export const routeTo = (id: string, url: string, more: Partial<ServingRoute> = {}): ServingRoute => ({
  id,
  url,
  baseModelId: 'big',
  kind: 'text',
  api: 'openai',
  secret: null,
  upstreamModel: 'theirs',
  capacity: 4,
  weight: 1,
  draining: false,
  maxContextTokens: 100,
  dimensions: null,
  ...more,
});

export const signal = () => AbortSignal.timeout(180_000);

export const isFault = (name: string) => (error: unknown) => error instanceof Fault && error.fault === name;
