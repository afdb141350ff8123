export { type Batcher, type BatcherOptions, type BatchRun, createBatcher, onBatchRun } from './batch.ts';
export {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type QueryOptions,
  type Sql,
  type Transaction,
} from './database.ts';
export { type Embedded, type EmbeddedOptions, findEmbedded, startEmbedded } from './embedded.ts';
export { prepareDataFolder } from './folder.ts';
export { type HeldTransaction, holdTransaction } from './held-transaction.ts';
export { lockUntilCommit } from './locks.ts';
export { migrate } from './migrate.ts';
export { createMonths, type MonthlyTable, type Months, monthAfter, monthsBefore } from './months.ts';
export { constraintOf, isUnavailable, sqlState } from './sqlstate.ts';
export { timeText } from './time-text.ts';
