import { Fault, type FaultName } from '#kernel';
import type { MessageError } from './messages.store.ts';

/** After these the same request may well succeed. Not `ambiguous_transport`: it may have been served and paid. */
const passing: ReadonlySet<FaultName> = new Set([
  'model_warming',
  'capacity_unavailable',
  'service_unavailable',
  'generation_failed',
  'rate_limited',
]);

export function errorOf(problem: unknown): MessageError {
  if (!(problem instanceof Fault))
    return { code: 'internal_error', message: 'Something went wrong here.', retryable: false, retry_after_s: null };
  return {
    code: problem.row.code,
    message: problem.message,
    retryable: passing.has(problem.fault),
    retry_after_s: problem.options.retryAfterSeconds ?? null,
  };
}

/** The error of an answer whose process ended before the answer was complete. */
export const lost: MessageError = {
  code: 'generation_failed',
  message: 'The server stopped while it answered. What had arrived by then is kept; nothing was charged.',
  retryable: true,
  retry_after_s: null,
};
