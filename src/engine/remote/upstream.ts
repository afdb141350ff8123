import type { IncomingHttpHeaders } from 'node:http';
import { openConnectionPool, type UpstreamRequest, type UpstreamResponse } from './connection-pool.ts';

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

export type UpstreamOptions = {
  /** As of a serving route. */
  url: string;
  secret: string | null;
  capacity: number;
  /** As of a dialect. */
  closesAfterStream: (headers: IncomingHttpHeaders) => boolean;
};

/** Paths that begin with `//` are of the server, not under the base URL. */
export function openUpstream({ url, secret, capacity, ...options }: UpstreamOptions): Upstream {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  const pathOf = (path: string) => (path.startsWith('//') ? path.slice(1) : base + path);
  // One more than calls, for health checks and token counts.
  const pool = openConnectionPool(origin, { maxConnections: capacity + 1, secret });
  /** Unknown before the first response. */
  let closes = true;

  const send = async (request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamResponse> => {
    const response = await pool.send(request, signal);
    closes = options.closesAfterStream(response.headers);
    return response;
  };
  return {
    post: (path, body, signal) => {
      const isStream = 'stream' in body && body.stream === true;
      return send(
        { method: 'POST', path: pathOf(path), body: JSON.stringify(body), closes: closes && isStream },
        signal,
      );
    },
    get: (path, signal) => send({ method: 'GET', path: pathOf(path), body: null }, signal),
    get received() {
      return pool.received;
    },
    failAll: pool.failAll,
    close: pool.close,
  };
}
