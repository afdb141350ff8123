export type { Attachment } from './call-batches.ts';
export { beginCalls, endCall, endCalls, voidCalls } from './calls.store.ts';
export { type Calls, type CallsTiming, createCalls, failedRequestMonths } from './calls.ts';
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
export { obeyIdempotencyKeys, once, replayHeaders } from './once.ts';
export type { CallFailure, CallTarget, OpenCall } from './open-call.ts';
export { fingerprintOf, hasIdempotencyKey, requireIdempotencyKey } from './open-call.ts';
export { requestsRoutes } from './requests.routes.ts';
export { listServers, type RunningServer } from './servers.store.ts';
