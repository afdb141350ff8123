import { openPlainConnections } from './http/plain-connections.ts';
import { openSecureConnections } from './http/secure-connections.ts';
import type { Answer } from './http/transport.ts';
import type { ServingRoute } from './serving-route.ts';

/** The connections to one remote engine. */
export type Upstream = {
  /** POSTs JSON to a path under the base URL, or to one of the server itself. Throws `TransportError`, or the signal's reason. */
  post: (path: string, body: unknown, signal: AbortSignal) => Promise<Answer>;
  get: (path: string, signal: AbortSignal) => Promise<Answer>;
  /** Ends whatever was sent and has no answer, or not all of it, as if its connection had been lost. */
  giveUp: (why: string) => void;
  close: () => Promise<void>;
};

/** Paths that begin with `//` are of the server, not under the base URL. */
export function openUpstream({ url, secret, capacity }: Pick<ServingRoute, 'url' | 'secret' | 'capacity'>): Upstream {
  const { origin, pathname, protocol } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  const pathOf = (path: string) => (path.startsWith('//') ? path.slice(1) : base + path);
  const open = protocol === 'https:' ? openSecureConnections : openPlainConnections;
  // One more than calls, for questions about health and tokens.
  const { send, giveUp, close } = open(origin, { most: capacity + 1, secret });
  return {
    post: (path, body, signal) => send({ method: 'POST', path: pathOf(path), body: JSON.stringify(body) }, signal),
    get: (path, signal) => send({ method: 'GET', path: pathOf(path), body: null }, signal),
    giveUp,
    close,
  };
}
