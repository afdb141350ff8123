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
  const isPatient = (request: IncomingMessage) => patient.has(request);
  const { server } = app;
  let arrived: Arrived[] = [];
  const watchLate = () => {
    const late = arrived.filter(({ request }) => !request.complete && !request.socket.destroyed);
    arrived = [];
    for (const each of late) watch(each, { limitMs, isPatient });
  };
  server.requestTimeout = 0;
  // In front of the router, which does not show every request to the hooks.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return;
    // Nearly every body comes together with its head, and is complete when this turn of the event loop ends, though not
    // before: a timer for each of them would be set and cleared in vain.
    if (arrived.push({ request, response }) === 1) setImmediate(watchLate);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.slowBody) patient.add(request.raw);
    done();
  });
}

type Arrived = { request: IncomingMessage; response: ServerResponse };
type Watching = { limitMs: number; isPatient: (request: IncomingMessage) => boolean };

function watch({ request, response }: Arrived, { limitMs, isPatient }: Watching): void {
  const { socket } = request;
  let seenBytes = 0;
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    // What waits to be read is our delay, not the caller's.
    const moves = socket.bytesRead > seenBytes || request.readableLength > 0;
    seenBytes = socket.bytesRead;
    if (isPatient(request) && moves) return;
    clearInterval(timer);
    if (response.headersSent) socket.destroy();
    else endBrokenRequest(socket, fault('request_timeout'));
  }, limitMs).unref();
  request.once('close', () => clearInterval(timer));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
