import { byteUnit, number, type SettingsOf } from './setting.ts';

export type RetentionValues = {
  /** How long calls of projects with auto-save are kept. */
  autosaveRetentionDays: number;
  /** How long responses are stored that were asked for so; 0: none is. */
  responsesRetentionDays: number;
  /** What an account may have stored of them, about. */
  maxResponsesBytes: number;
  /** How long retrieval events are kept. */
  feedbackRetentionDays: number;
  /** Whole months before this one that stay in the ledger, and in the feed; null: all. */
  ledgerMonths: number | null;
  activityMonths: number | null;
};

export const retentionSettings: SettingsOf<RetentionValues> = {
  autosaveRetentionDays: {
    env: 'FANFOLD_AUTOSAVE_RETENTION_DAYS',
    fallback: 30,
    expected: 'days, 1 to 3650',
    read: number(1, 3650),
  },
  responsesRetentionDays: {
    env: 'FANFOLD_RESPONSES_RETENTION_DAYS',
    fallback: 30,
    expected: 'days, 0 to 3650',
    read: number(0, 3650),
  },
  maxResponsesBytes: {
    env: 'FANFOLD_MAX_RESPONSES_MIB',
    fallback: 256 * byteUnit,
    expected: 'MiB, 16 to 1000000',
    read: number(16, 1_000_000, byteUnit),
  },
  feedbackRetentionDays: {
    env: 'FANFOLD_FEEDBACK_RETENTION_DAYS',
    fallback: 365,
    expected: 'days, 1 to 3650',
    read: number(1, 3650),
  },
  ledgerMonths: {
    env: 'FANFOLD_LEDGER_MONTHS',
    fallback: null,
    expected: 'a number of months, 3 to 1200',
    read: number(3, 1200),
  },
  activityMonths: {
    env: 'FANFOLD_ACTIVITY_MONTHS',
    fallback: null,
    expected: 'a number of months, 1 to 1200',
    read: number(1, 1200),
  },
};
