import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createEndOfTurn, Fault, fault } from '#kernel';
import { isJsonContentType } from './header-guard.ts';
import { defaultBounds, type JsonBounds, parseJsonBody } from './json-guard.ts';

/**
 * What became of a body. Routes with access `admission` find this in `request.body` and raise the fault in their own order
 * (key and project come before the body); all others get the plain value, or have failed already.
 */
export type ParsedBody = { ok: true; value: unknown } | { ok: false; fault: Fault };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bounds of the body, where a route takes more than most. */
    json?: Partial<JsonBounds>;
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
