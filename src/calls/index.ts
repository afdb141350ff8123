export type { Attachment } from './call-batches.ts';
export { beginCalls, endCall, endCalls, voidCalls } from './calls.store.ts';
export { type Calls, type CallsTiming, createCalls, requestMonths } from './calls.ts';
export type { Charge } from './charge.ts';
export {
  billingUnitMs,
  billingUnits,
  boundOf,
  type CostPace,
  chargeOf,
  chargeWithin,
  priceOfUnits,
  tooFewCredits,
} from './charge.ts';
export { removeAnswersOf } from './deleted-projects.ts';
export { fingerprintOf, requireIdempotencyKey } from './idempotency-key.ts';
export { obeyIdempotencyKeys, once, replayHeaders } from './once.ts';
export type { CallFailure, CallTarget, OpenCall } from './open-call.ts';
export { hasIdempotencyKey } from './open-call.ts';
export { requestsRoutes } from './requests.routes.ts';
export { listServers, type RunningServer } from './servers.store.ts';
