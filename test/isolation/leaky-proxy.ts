import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { World } from './world.ts';

export type Sent = { method: string; path: string; headers: Record<string, string>; body: string };
export type Given = { status: number; headers: Record<string, string>; body: string };

/** Spoils what goes through it: gets a question and a way to ask it, and answers as it likes. */
export type Leak = (sent: Sent, ask: (sent: Sent) => Promise<Given>, world: World) => Promise<Given>;

/** The world behind a proxy with a leak, for as long as `work` takes: to see that the matrix notices. */
export async function withLeak<T>(world: World, leak: Leak, work: (leaky: World) => Promise<T>): Promise<T> {
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request;
    const sent = { method, path, headers: passedOn(headers), body: await readText(request) };
    const { status, headers: answered, body } = await leak(sent, (asked) => forward(world, asked), world);
    response.writeHead(status, answered).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: it listens on a port.
  const { port } = server.address() as AddressInfo;
  try {
    return await work({ ...world, app: { ...world.app, origin: `http://127.0.0.1:${port}` } });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function forward(world: World, { method, path, headers, body }: Sent): Promise<Given> {
  const response = await fetch(world.app.origin + path, {
    method,
    headers,
    ...(body === '' ? {} : { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(180_000),
  });
  const { 'content-length': _length, connection: _connection, ...kept } = Object.fromEntries(response.headers);
  return { status: response.status, headers: kept, body: await response.text() };
}

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['authorization', 'cookie', 'content-type', 'x-fnf-csrf'];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}
