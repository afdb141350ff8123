import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export type DrainOptions = {
  /** Time that running calls have to finish by themselves, ms. */
  graceMs: number;
  /** Time that calls have to end after they were told to stop, ms. */
  stopMs?: number;
};

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Stops serving: no new connections, new requests on open ones get 503, running calls finish. After `graceMs` the
     * signals of `watchCaller` abort with `shutdown`, and after `stopMs` more the rest is cut off. Resolves when
     * every connection is closed and work that outlived its caller is over.
     */
    drain: (options: DrainOptions) => Promise<void>;
  }
}

const idleSweepMs = 50;

/**
 * Returns what closes the connections on which nothing was ever asked. Browsers and clients open some ahead; to Node they are
 * busy, because a request may be on its way.
 */
export function watchUnused(server: Server): () => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
}

export async function drainServer(
  app: FastifyInstance,
  { graceMs, stopMs = 2_000 }: DrainOptions,
  closeUnused: () => void,
): Promise<void> {
  const { server } = app;
  // A connection whose last answer was promised keep-alive stays open, idle; Node closes idle ones only once.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    closeUnused();
  }, idleSweepMs);
  const stop = setTimeout(() => app.callers.loseAll('shutdown'), graceMs);
  const timedOut = Promise.withResolvers<void>();
  const cut = setTimeout(() => {
    server.closeAllConnections();
    timedOut.resolve();
  }, graceMs + stopMs);
  try {
    await app.close();
    await Promise.race([app.callers.outlived(), timedOut.promise]);
  } finally {
    clearInterval(sweep);
    clearTimeout(stop);
    clearTimeout(cut);
  }
}
