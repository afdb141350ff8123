export { type Billing, type BillingOptions, type BillingTiming, createBilling } from './billing.ts';
export { countCallsByAccount } from './call-counts.store.ts';
export type { Charge } from './charge.ts';
export { salesOf } from './checkout/sales.ts';
export { type CreditsSummary, readCredits } from './credits/credits.ts';
export { type Credits, type CreditsOptions, createCredits } from './credits/room.ts';
export { countLeftHolds } from './doctor.store.ts';
export { doctor, type Finding } from './doctor.ts';
export { balanceOf, grant } from './grants.ts';
export type { HoldAnswer, HoldRequest } from './holds.store.ts';
export type { Balance, Grant } from './ledger.store.ts';
export { ledgerMonths } from './months/ledger-months.ts';
export { boundOf, type CostPace, type CostQuestion, chargeWithin } from './rates.ts';
export {
  type AttemptName,
  placeTrainingHold,
  releaseTrainingHold,
  settleTraining,
  type TrainingCharge,
} from './training-money.store.ts';
export type { LedgerType, UsageFilter } from './usage/filter.ts';
export { createUsageSums, type UsageSums } from './usage/summing.ts';
export { type GroupBy, sumUsage, sumUsageBy, type UsageGroup, type UsageTotals } from './usage/totals.store.ts';
export { type Spending, spendingTypes, summarizeSpending } from './usage/usage.ts';
export { chargeWork, type WorkCharge } from './work-charges.store.ts';
