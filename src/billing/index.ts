export { type Billing, type BillingOptions, type BillingTiming, createBilling } from './billing.ts';
export { countCallsByAccount } from './call-counts.store.ts';
export type { Charge } from './charge.ts';
export { doctor, type Finding } from './doctor.ts';
export { balanceOf, grant } from './grants.ts';
export type { HoldAnswer, HoldRequest } from './holds.store.ts';
export type { BillingLog } from './instance-care.ts';
export type { Balance, Grant } from './ledger.store.ts';
export { boundOf, type CostPace, type CostQuestion, chargeWithin } from './rates.ts';
