import { openConnectionPool, type UpstreamRequest, type UpstreamResponse } from './connection-pool.ts';
import type { ServingRoute } from './serving-route.ts';

/** The HTTP client of one remote engine. Requests throw `TransportError`, or the signal's reason. */
export type Upstream = {
  /** POSTs JSON to a path under the base URL, or to one of the server itself. */
  post: (path: string, body: object, signal: AbortSignal) => Promise<UpstreamResponse>;
  get: (path: string, signal: AbortSignal) => Promise<UpstreamResponse>;
  /** Pieces of responses that have arrived so far. */
  readonly received: number;
  /** Fails all requests in flight as if their connections had been lost. */
  failAll: (reason: string) => void;
  close: () => Promise<void>;
};

type UpstreamOptions = Pick<ServingRoute, 'url' | 'api' | 'secret' | 'capacity'>;

/** Paths that begin with `//` are of the server, not under the base URL. */
export function openUpstream({ url, api, secret, capacity }: UpstreamOptions): Upstream {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  const pathOf = (path: string) => (path.startsWith('//') ? path.slice(1) : base + path);
  // One more than calls, for health checks and token counts.
  const pool = openConnectionPool(origin, { maxConnections: capacity + 1, secret });
  /** Unknown before the first response. */
  let keepsAfterStreams = false;

  const send = async (request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamResponse> => {
    const response = await pool.send(request, signal);
    keepsAfterStreams = api !== 'llama-server' && !closesAfterStreams(response.headers);
    return response;
  };
  return {
    post: (path, body, signal) => {
      const closes = !keepsAfterStreams && isStreamed(body);
      return send({ method: 'POST', path: pathOf(path), body: JSON.stringify(body), closes }, signal);
    },
    get: (path, signal) => send({ method: 'GET', path: pathOf(path), body: null }, signal),
    get received() {
      return pool.received;
    },
    failAll: pool.failAll,
    close: pool.close,
  };
}

/**
 * llama.cpp's server announces keep-alive for a stream's connection and closes it right after the stream. A request sent meanwhile would
 * be lost, and nobody could tell whether it had run.
 */
function closesAfterStreams({ server }: UpstreamResponse['headers']): boolean {
  return server?.includes('llama.cpp') === true;
}

const isStreamed = (body: object) => 'stream' in body && body.stream === true;
