export { type BatchRun, createBatcher, onBatchRun } from './batch.ts';
export { isUnresponsive } from './connection-probe.ts';
export { closeDataFolder, prepareDataFolder } from './data-folder.ts';
export { type Database, openDatabase, type Sql, type Transaction } from './database.ts';
export { driverUrl } from './driver-url.ts';
export { type EmbeddedServer, findEmbedded, shareEmbedded, startEmbedded } from './embedded.ts';
export { type HeldTransaction, holdTransaction } from './held-transaction.ts';
export { lockUntilCommit } from './locks.ts';
export { migrate } from './migrate.ts';
export { missingRights } from './missing-rights.ts';
export {
  createPartitionMaintenance,
  isClockAhead,
  monthsBefore,
  type PartitionedTable,
  type PartitionMaintenance,
} from './partitions.ts';
export { refuseLossyPooler } from './pooler-check.ts';
export { sessionOptions } from './session-settings.ts';
export { constraintOf, isDiskFull, isUnavailable, sqlState } from './sqlstate.ts';
export { timeText } from './time-text.ts';
