import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { fault } from '#kernel';
import { endBrokenRequest } from './socket-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take as long as it needs, while some of it keeps coming. */
    slowBody?: boolean;
  }
}

/**
 * Ends requests whose body takes too long to arrive. Node knows one limit for the whole server only; here a route may
 * take a slow body without that any other one does.
 */
export function limitBodyTime(app: FastifyInstance, limitMs: number): void {
  const patient = new WeakSet<IncomingMessage>();
  const { server } = app;
  server.requestTimeout = 0;
  // In front of the router, which does not show every request to the hooks.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return;
    // Nearly every body comes together with its head, and is complete before the next tick.
    process.nextTick(() => {
      if (!request.complete) watch(request, { response, limitMs, isPatient: () => patient.has(request) });
    });
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.slowBody) patient.add(request.raw);
    done();
  });
}

type Watch = { response: ServerResponse; limitMs: number; isPatient: () => boolean };

function watch(request: IncomingMessage, { response, limitMs, isPatient }: Watch): void {
  const { socket } = request;
  let seenBytes = 0;
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    // What waits to be read is our delay, not the caller's.
    const moves = socket.bytesRead > seenBytes || request.readableLength > 0;
    seenBytes = socket.bytesRead;
    if (isPatient() && moves) return;
    clearInterval(timer);
    if (response.headersSent) socket.destroy();
    else endBrokenRequest(socket, fault('request_timeout'));
  }, limitMs).unref();
  request.once('close', () => clearInterval(timer));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
