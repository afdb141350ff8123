export type { KeptAnswer } from './idempotency.store.ts';
export { createIdempotency, type Idempotency, type Reservation } from './idempotency.ts';
export { obeyIdempotencyKeys, once, replayHeaders } from './once.ts';
export { fingerprintOf, hasIdempotencyKey, requireIdempotencyKey } from './request-identity.ts';
