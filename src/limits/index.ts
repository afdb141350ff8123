export {
  type CallLimits,
  type CheckedSubject,
  hasLimits,
  type LimitedSubject,
  type LimitUsage,
  limitHeaders,
  refusalOf,
} from './call-limits.ts';
export { accountLimitsAnswer } from './limits.contract.ts';
export { limitsRoutes } from './limits.routes.ts';
export {
  accountLimitsToWire,
  changeLimitsBody,
  limitsSchema,
  limitsToWire,
  readLimitsChange,
} from './limits.schema.ts';
export type { LimitAddress } from './limits.store.ts';
export {
  type AccountLimitsView,
  changeLimits,
  type LimitsWithUsage,
  limitedSubjectsOf,
  readAccountLimits,
  readLimits,
  refuseLimitedKey,
  setLimits,
  viewLimits,
} from './limits.ts';
export { changeStorageLimit, refuseFullStorage, takeStorage } from './storage.ts';
