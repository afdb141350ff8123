import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { fault } from '#kernel';
import type { Authenticator } from './auth-hook.ts';
import { endBrokenRequest } from './socket-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take as long as it needs, while some of it keeps coming. */
    slowBody?: boolean;
  }
}

/** Behind its answer a body must come with so many bytes each second: nobody waits for it. */
const pace = { everyMs: 1_000, leastBytes: 4_096 };

type BodyTime = { limitMs: number; authenticator: Authenticator };

/**
 * Ends requests whose body takes too long to arrive. Node knows one limit for the whole server only; here a route may
 * take a slow body without that any other one does. Who has no credentials keeps no connection with a slow body: he is refused before
 * its end, also by routes that would look at his key together with the body.
 */
export function limitBodyTime(app: FastifyInstance, { limitMs, authenticator }: BodyTime): void {
  const patient = new WeakSet<IncomingMessage>();
  const unauthenticated = new WeakSet<IncomingMessage>();
  const isPatient = (request: IncomingMessage) => patient.has(request);
  const { server } = app;
  let arrived: Arrived[] = [];
  const watchLate = () => {
    const late = arrived.filter(({ request }) => !request.complete && !request.socket.destroyed);
    arrived = [];
    for (const each of late) {
      watch(each, { limitMs, isPatient });
      if (unauthenticated.has(each.request)) void refuseUnauthenticated(each.request, authenticator);
    }
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
    const { slowBody, access } = request.routeOptions.config;
    if (slowBody) patient.add(request.raw);
    if (access === 'admission') unauthenticated.add(request.raw);
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
    if (isPatient(request) && moves && !response.writableFinished) return;
    clearInterval(timer);
    if (response.headersSent) socket.destroy();
    else endBrokenRequest(socket, fault('request_timeout'));
  }, limitMs).unref();
  request.once('close', () => clearInterval(timer));
  const hurry = () => hurryRest(request);
  if (response.writableFinished) hurry();
  else response.once('finish', hurry);
}

/**
 * Reads on behind an answer while bytes come quickly: many clients read no answer before they have sent everything. One that is slow only
 * keeps the connection.
 */
function hurryRest(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  let seenBytes = socket.bytesRead;
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    if (socket.bytesRead - seenBytes < pace.leastBytes) socket.destroy();
    seenBytes = socket.bytesRead;
  }, pace.everyMs).unref();
  request.once('close', () => clearInterval(timer));
}

/** Breaks off the reading of a body that is still on its way from somebody whose credentials are worth nothing; the route answers why. */
async function refuseUnauthenticated(request: IncomingMessage, authenticator: Authenticator): Promise<void> {
  const problem: unknown = await authenticator(request.headers, request.method).then(
    (principal) => (principal ? null : fault('invalid_credentials')),
    (error: unknown) => error,
  );
  // Whoever reads the body listens; without a listener an error would end the process.
  if (problem !== null && !request.complete && request.listenerCount('error') > 0) request.emit('error', problem);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
