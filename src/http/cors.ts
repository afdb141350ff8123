import type { FastifyReply, FastifyRequest } from 'fastify';

const exposed = [
  'x-request-id, request-id, x-should-retry, retry-after, link, www-authenticate, etag, x-fnf-ignored-fields',
  'idempotent-replay, x-fnf-request-id, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
].join(', ');
const preflightSeconds = '600';
const headerList = /^[A-Za-z0-9\-, ]{1,2000}$/;

/**
 * Lets the listed origins read answers in a browser. Off without a list. Credentials travel in `Authorization`, never
 * in cookies of another origin, so `access-control-allow-credentials` is not sent.
 */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: ReadonlySet<string>): void {
  reply.header('vary', 'origin');
  const { origin } = request.headers;
  if (origin === undefined || !origins.has(origin)) return;
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed);
}

/** At a path that is not served any of them is refused. */
export const anyMethod: readonly string[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** A browser asks for a page of a listed origin: without consent the page would see a network error instead of the refusal. */
export function isPreflight({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const isAsked = headers['access-control-request-method'] !== undefined;
  return method === 'OPTIONS' && isAsked && reply.hasHeader('access-control-allow-origin');
}

/** Answers `OPTIONS` of a known path, and every preflight. */
export function answerOptions(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]): void {
  const requested = request.headers['access-control-request-headers'];
  if (reply.hasHeader('access-control-allow-origin')) {
    reply.header('access-control-allow-methods', methods.join(', ')).header('access-control-max-age', preflightSeconds);
    if (requested && headerList.test(requested)) reply.header('access-control-allow-headers', requested);
  }
  reply.code(204).header('allow', methods.join(', ')).send();
}
