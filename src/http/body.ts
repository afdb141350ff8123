import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createEndOfTurn, Fault, fault } from '#kernel';
import type { Authenticator } from './auth-hook.ts';
import { defaultBounds, type JsonBounds, parseJsonBody } from './json-guard.ts';
import { isJsonContentType } from './request-head.ts';
import { endBrokenRequest } from './socket-errors.ts';

/**
 * What became of a body. Routes with access `admission` find this in `request.body` and raise the fault in their own order
 * (key and project come before the body); all others get the plain value, or have failed already.
 */
export type ParsedBody = { ok: true; value: unknown } | { ok: false; fault: Fault };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bounds of the body, where a route takes more than most. */
    json?: Partial<JsonBounds>;
    /** The body may take as long as it needs, while some of it keeps coming. */
    slowBody?: boolean;
  }
}

/**
 * JSON is the only content type; everything else is refused with 415, unless there is no body that could have a type.
 *
 * Requests that were readable in one turn of the event loop go on together at its end: begun as each is read, calls cost a tenth
 * more of the processor, because between two of them the code of reading displaces theirs.
 */
export function acceptJson(app: FastifyInstance): void {
  const endOfTurn = createEndOfTurn();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (!isJsonContentType(request.headers['content-type'] ?? '')) throw fault('unsupported_media_type');
      await endOfTurn();
      return parse(bytes, request.routeOptions.config.json);
    },
  );
  app.addContentTypeParser('*', ({ headers }, body, done) => {
    if (hasNoBody(headers)) done(null);
    else if (headers['content-length'] === undefined) expectNothing(body, done);
    else done(fault('unsupported_media_type'));
  });
}

/** Of a body in chunks nobody knows before its end that it is empty. */
function expectNothing(body: Readable, done: (error: Error | null) => void): void {
  const settle = (error: Error | null) => {
    body.off('data', refuse).off('end', accept).off('error', breakOff);
    body.on('error', () => {});
    done(error);
  };
  const refuse = () => settle(fault('unsupported_media_type'));
  const accept = () => settle(null);
  const breakOff = (cause: Error) => settle(fault('invalid_request', { cause }));
  body.on('data', refuse).on('end', accept).on('error', breakOff);
}

/** Some clients name a type for the body that they do not send: `curl -X PATCH -d ''` does. */
function hasNoBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

/** The body of a request to a route with access `admission`. */
export function compatBody(request: FastifyRequest): ParsedBody {
  return request.body instanceof Parsed || request.body instanceof Unreadable ? request.body : absent();
}

/** Puts the plain value in place for every other route; no body and an empty body are both `{}`. */
export function unwrapNativeBody(request: FastifyRequest): void {
  const { body } = request;
  if (body instanceof Parsed) request.body = body.value;
  else if (!(body instanceof Unreadable) || body.isAbsent) request.body = {};
  else throw body.fault;
}

/**
 * Reads on what nobody waits for and forgets it, while it comes quickly: many clients read no answer before they have sent everything,
 * and the answer is lost when the connection closes on what they still send.
 */
export function takeRest(request: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection');
  request.raw.resume();
}

function parse(bytes: Buffer, bounds: Partial<JsonBounds> = {}): ParsedBody {
  if (bytes.length === 0) return absent();
  try {
    return new Parsed(parseJsonBody(bytes, { ...defaultBounds, ...bounds }));
  } catch (error) {
    if (error instanceof Fault) return new Unreadable(error, false);
    throw error;
  }
}

function absent(): ParsedBody {
  return new Unreadable(fault('invalid_request', { message: 'The request has no body.' }), true);
}

/** Classes, so that a body which merely looks like a result is never taken for one. */
class Parsed {
  readonly ok = true;
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

class Unreadable {
  readonly ok = false;
  readonly fault: Fault;
  readonly isAbsent: boolean;
  constructor(problem: Fault, isAbsent: boolean) {
    this.fault = problem;
    this.isAbsent = isAbsent;
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
