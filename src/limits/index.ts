export { type CallLimits, hasLimits, type LimitedSubject } from './call-limits.ts';
export { createLimiter, type Limiter } from './limiter.ts';
export { limitsRoutes } from './limits.routes.ts';
export { changeLimitsBody, limitsSchema, limitsToWire, readLimitsChange } from './limits.schema.ts';
export type { LimitAddress } from './limits.store.ts';
export {
  type AccountLimitsView,
  changeLimits,
  type LimitsView,
  limitedSubjectsOf,
  readAccountLimits,
  readLimits,
  refuseLimitedKey,
  setLimits,
  viewLimits,
} from './limits.ts';
export { changeStorageLimit, refuseFullStorage, takeStorage } from './storage.ts';
