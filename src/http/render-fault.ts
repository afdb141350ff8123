import type { FastifyReply } from 'fastify';
import { Fault, type FaultName, fault, isOutOfRoom, systemCodeOf } from '#kernel';

/** `compat` is the envelope of the OpenAI family; `native` is a superset of it. */
export type WireShape = 'compat' | 'native';

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
  if (isOutOfRoom(error))
    return fault('service_unavailable', { message: 'The service has no room on its disk at present.', cause: error });
  // The request's own stream ended early; nobody reads the answer.
  if (code === 'ECONNRESET') return fault('invalid_request', { message: 'The body is incomplete.' });
  return fault('internal_error', { cause: error });
}

/** The body of an error answer. Stream error frames use it too. */
export function renderFault(problem: Fault, shape: WireShape, requestId: string): string {
  const { row, options, message } = problem;
  const param = options.param ?? null;
  const error =
    shape === 'compat'
      ? { message, type: row.type, param, code: row.code }
      : { code: row.code, message, type: row.type, param, request_id: requestId, details: options.details ?? null };
  return JSON.stringify(options.detail === undefined ? { error } : { error, detail: options.detail });
}

/** Headers that belong to a fault, beside its body. */
export function faultHeaders({ row, options }: Fault, shape: WireShape): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8', ...options.headers };
  if (row.status === 401) headers['www-authenticate'] = 'Bearer';
  if (options.retryAfterSeconds !== undefined) headers['retry-after'] = String(clampRetry(options.retryAfterSeconds));
  if (shape === 'compat' && row.shouldRetry !== null) headers['x-should-retry'] = String(row.shouldRetry);
  return headers;
}

/** Clients ignore or shorten waits of a minute and more. */
function clampRetry(seconds: number): number {
  return Math.min(59, Math.max(1, Math.ceil(seconds)));
}

/** Answers with a fault, whatever stage the request has reached. */
export function sendFault(reply: FastifyReply, problem: Fault, shape: WireShape): FastifyReply {
  const { id } = reply.request;
  reply.code(problem.row.status).header('x-request-id', id).headers(faultHeaders(problem, shape));
  return reply.send(renderFault(problem, shape, id));
}
