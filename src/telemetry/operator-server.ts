import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the operator port answers; never part of the API, and never on its port. */
export type OperatorPages = {
  /** The metrics in the text format of Prometheus. */
  metrics: () => Promise<{ type: string; text: string }>;
  /** Rejects when this process cannot serve. */
  ready: () => Promise<void>;
};

export type OperatorServer = {
  port: number;
  close: () => Promise<void>;
};

/** Listens for the operator's own tools. Rejects with the error of `listen`. */
export async function startOperatorServer(
  pages: OperatorPages,
  { host, port }: { host: string; port: number },
): Promise<OperatorServer> {
  const server = createServer((request, response) => {
    void answer(pages, request).then(({ status, type, text }) => send(request, response, { status, type, text }));
  });
  await listen(server, host, port);
  // A server that listens on a port has an address with one.
  const { port: taken } = server.address() as AddressInfo;
  return {
    port: taken,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

type Page = { status: number; type: string; text: string };

const words = (status: number, text: string): Page => ({
  status,
  type: 'text/plain; charset=utf-8',
  text: `${text}\n`,
});

async function answer({ metrics, ready }: OperatorPages, { method, url = '/' }: IncomingMessage): Promise<Page> {
  if (method !== 'GET' && method !== 'HEAD') return words(405, 'Only GET is served here.');
  switch (url.split('?', 1)[0]) {
    case '/healthz':
      return words(200, 'ok');
    case '/readyz':
      return ready().then(
        () => words(200, 'ready'),
        () => words(503, 'not ready'),
      );
    case '/metrics':
      return metrics().then(
        (page) => ({ status: 200, ...page }),
        () => words(500, 'The metrics could not be read.'),
      );
    default:
      return words(404, 'Here are /metrics, /healthz and /readyz.');
  }
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, type, text }: Page): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(method === 'HEAD' ? undefined : text);
}
