import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that the engine got. */
export type Got = {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** The other end of its connection. */
  port?: number | undefined;
};
export type Behave = (got: Got, response: ServerResponse) => void | Promise<void>;

export type UpstreamOptions = {
  models?: () => Chunk[];
  isSilent?: () => boolean;
  /** Of what it shows to whoever connects; without it, it speaks no TLS. */
  tls?: { key: string; cert: string };
};

/** An engine on loopback whose answers a test writes itself: for what no real engine does when it is asked to. */
export async function startUpstream(
  behave: Behave,
  { models = (): Chunk[] => [], isSilent = (): boolean => false, tls }: UpstreamOptions = {},
) {
  const got: Got[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    if (request.method === 'GET') {
      if (isSilent()) return;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: models() }));
      return;
    }
    const body: Record<string, unknown> = JSON.parse((await text(request)) || '{}');
    const entry = { path, headers: request.headers, body, port: request.socket.remotePort };
    got.push(entry);
    await behave(entry, response);
  };
  const server = tls ? createSecureServer(tls, answer) : createServer(answer);
  // Connections go when those who called let them go.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: it listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    got,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/v1`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type Chunk = Record<string, unknown>;

/** Sends chunks as an engine does; without `[DONE]` when they are all that ever comes. */
export function stream(response: ServerResponse, chunks: readonly Chunk[], { done = true } = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  if (done) response.end('data: [DONE]\n\n');
}

export const delta = (fields: Chunk): Chunk => ({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
export const finish = (reason: string): Chunk => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
export const usage = (fields: Chunk): Chunk => ({ choices: [], usage: fields });
