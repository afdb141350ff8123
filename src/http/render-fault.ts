import type { FastifyReply } from 'fastify';
import { Fault, type FaultName, fault, isStorageFull, systemCodeOf } from '#kernel';
import type { ErrorEnvelope } from './error-envelope.ts';

/** Fastify's own errors that are the caller's doing. */
const frameworkFaults: Record<string, FaultName> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
};

/**
 * What a thrown value means to the caller, whose body may have `mostBytes`. What nobody foresaw is `internal_error` and
 * tells nothing.
 */
export function faultOf(error: unknown, mostBytes?: number): Fault {
  if (error instanceof Fault) return error;
  const code = systemCodeOf(error);
  if (code === null) return fault('internal_error', { cause: error });
  const name = frameworkFaults[code];
  if (name === 'payload_too_large' && mostBytes !== undefined)
    return fault(name, { message: `The body is too large: at most ${mostBytes / 2 ** 20} MiB.`, cause: error });
  if (name) return fault(name, { cause: error });
  if (isStorageFull(error))
    return fault('service_unavailable', { message: 'The service has no room on its disk at present.', cause: error });
  // The request's own stream ended early; nobody reads the answer.
  if (code === 'ECONNRESET') return fault('invalid_request', { message: 'The body is incomplete.' });
  return fault('internal_error', { cause: error });
}

/** Header fields that belong to a fault, beside its body. */
export function faultHeaders(problem: Fault, envelope: ErrorEnvelope, requestId: string): Record<string, string> {
  const { row, options } = problem;
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8', ...options.headers };
  if (row.status === 401) headers['www-authenticate'] = 'Bearer';
  if (options.retryAfterSeconds !== undefined) headers['retry-after'] = String(clampRetry(options.retryAfterSeconds));
  return Object.assign(headers, envelope.headers(problem, requestId));
}

/** Clients ignore or shorten waits of a minute and more. */
function clampRetry(seconds: number): number {
  return Math.min(59, Math.max(1, Math.ceil(seconds)));
}

/** Answers with a fault, whatever stage the request has reached. */
export function sendFault(reply: FastifyReply, problem: Fault, envelope: ErrorEnvelope): FastifyReply {
  const { id } = reply.request;
  reply
    .code(envelope.status(problem))
    .header('x-request-id', id)
    .headers(faultHeaders(problem, envelope, id));
  return reply.send(envelope.render(problem, id));
}
