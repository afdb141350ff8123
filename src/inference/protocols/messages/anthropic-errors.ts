import type { ErrorEnvelope } from '#http';
import type { Fault, FaultRow } from '#kernel';

/** Types that say more than their family. */
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  424: 'api_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** Seconds to wait where nobody knows better. */
const overloadedSeconds = 10;

function typeOf({ status }: FaultRow): string {
  return types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** There is no field for the place of a mistake: the message begins with it. */
function messageOf({ row, message, options: { param } }: Fault): string {
  const isPlaced = param === undefined || row.code !== 'invalid_request' || message.startsWith(param);
  return isPlaced ? message : `${param}: ${message}`;
}

/** Anthropic has neither 422 nor 503: what is wrong in a body is 400, and who has no capacity is overloaded. */
function statusOf({ row: { status } }: Pick<Fault, 'row'>): number {
  return status === 422 ? 400 : status === 503 ? 529 : status;
}

/** Clients try again after 429 and 529, once `retry-after` is over: none is told not to. null: they decide. */
function retryAdvice({ status, shouldRetry }: FaultRow): boolean | null {
  const isForNow = status === 429 || status === 503;
  return isForNow && shouldRetry === false ? null : shouldRetry;
}

/** Of Anthropic's interface. */
export const anthropicErrors: ErrorEnvelope = {
  name: 'AnthropicError',
  paths: /^\/(?:api\/projects\/[^/]+\/[^/]+\/anthropic|anthropic|v1\/messages)(?:\/|$)/,
  status: statusOf,
  render: (problem, requestId) =>
    JSON.stringify({
      type: 'error',
      error: { type: typeOf(problem.row), message: messageOf(problem) },
      request_id: requestId,
    }),
  headers: ({ row, options }) => ({
    ...(retryAdvice(row) === null ? {} : { 'x-should-retry': String(retryAdvice(row)) }),
    ...(row.status === 503 && options.retryAfterSeconds === undefined
      ? { 'retry-after': String(overloadedSeconds) }
      : {}),
  }),
  everyAnswer: (requestId) => ({ 'request-id': requestId }),
  schema: {
    type: 'object',
    required: ['type', 'error', 'request_id'],
    properties: {
      type: { type: 'string', const: 'error', description: 'Kind of object.' },
      error: {
        type: 'object',
        required: ['type', 'message'],
        properties: {
          type: { type: 'string', description: 'Family of the error.' },
          message: { type: 'string', description: 'What went wrong, for people.' },
        },
      },
      request_id: { type: 'string', description: 'Id of the request.' },
    },
  },
  narrowed: (rows) => ({
    properties: { error: { properties: { type: { enum: [...new Set(rows.map(typeOf))] } } } },
  }),
  advisesRetries: true,
};
