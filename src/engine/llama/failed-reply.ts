import { messageOf } from '#kernel';
import { NoMemoryForAdapters } from './adapters.ts';
import type { ChildFault, FromChild } from './protocol.ts';

type Failed = Extract<FromChild, { type: 'failed' }>;

/** Other models may be unloaded until then, and this one be loaded anew with more memory. */
const memoryRetrySeconds = 30;

/** The reply to a request that an error has ended. */
export function failedBy(id: number, error: unknown): Failed {
  if (error instanceof NoMemoryForAdapters) return refused(id, error.message, memoryRetrySeconds);
  const message = messageOf(error);
  return reply(id, 'generation_failed', message, null);
}

/** The reply to a request for which there is no capacity. */
export function refused(id: number, message: string, retryAfterSeconds: number): Failed {
  return reply(id, 'capacity_unavailable', message, retryAfterSeconds);
}

function reply(id: number, fault: ChildFault, message: string, retryAfterSeconds: number | null): Failed {
  return { type: 'failed', id, fault, message, param: null, retryAfterSeconds };
}
