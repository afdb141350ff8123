import type { Heard } from './answer-body.ts';
import { openPlainConnections } from './http/plain-connections.ts';
import { openSecureConnections } from './http/secure-connections.ts';
import type { Answer, Request } from './http/transport.ts';
import type { ServingRoute } from './serving-route.ts';

/** The connections to one remote engine. */
export type Upstream = {
  /** POSTs JSON to a path under the base URL, or to one of the server itself. Throws `TransportError`, or the signal's reason. */
  post: (path: string, body: object, signal: AbortSignal) => Promise<Answer>;
  get: (path: string, signal: AbortSignal) => Promise<Answer>;
  /** Grows whenever something of any answer has come. */
  heard: Readonly<Heard>;
  /** Ends whatever was sent and has no answer, or not all of it, as if its connection had been lost. */
  giveUp: (why: string) => void;
  close: () => Promise<void>;
};

type Place = Pick<ServingRoute, 'url' | 'api' | 'secret' | 'capacity'>;

/** Paths that begin with `//` are of the server, not under the base URL. */
export function openUpstream({ url, api, secret, capacity }: Place): Upstream {
  const { origin, pathname, protocol } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  const pathOf = (path: string) => (path.startsWith('//') ? path.slice(1) : base + path);
  const open = protocol === 'https:' ? openSecureConnections : openPlainConnections;
  // One more than calls, for questions about health and tokens.
  const { send, giveUp, close } = open(origin, { most: capacity + 1, secret });
  /** Nobody knows before the first answer. */
  let keepsAfterStreams = false;
  const heard: Heard = { times: 0 };
  const ask = async (request: Request, signal: AbortSignal): Promise<Answer> => {
    const answer = await send(request, signal);
    heard.times += 1;
    answer.body.countIn(heard);
    keepsAfterStreams = api !== 'llama-server' && !closesAfterStreams(answer.headers);
    return answer;
  };
  return {
    post: (path, body, signal) => {
      const isLast = !keepsAfterStreams && isStreamed(body);
      return ask({ method: 'POST', path: pathOf(path), body: JSON.stringify(body), isLast }, signal);
    },
    get: (path, signal) => ask({ method: 'GET', path: pathOf(path), body: null }, signal),
    heard,
    giveUp,
    close,
  };
}

/**
 * llama.cpp's server says of a stream's connection that it stays, and closes it right after the stream. A request that met this would be
 * lost, and nobody could tell whether it had run.
 */
function closesAfterStreams({ server }: Answer['headers']): boolean {
  return server?.includes('llama.cpp') === true;
}

const isStreamed = (body: object) => 'stream' in body && body.stream === true;
