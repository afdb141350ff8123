import { number, type SettingsOf } from './setting.ts';

export type RetentionValues = {
  /** How long calls of projects with auto-save are kept. */
  autosaveRetentionDays: number;
  /** How long retrieval events are kept. */
  feedbackRetentionDays: number;
};

export const retentionSettings: SettingsOf<RetentionValues> = {
  autosaveRetentionDays: {
    env: 'FANFOLD_AUTOSAVE_RETENTION_DAYS',
    fallback: 30,
    expected: 'days, 1 to 3650',
    read: number(1, 3650),
  },
  feedbackRetentionDays: {
    env: 'FANFOLD_FEEDBACK_RETENTION_DAYS',
    fallback: 365,
    expected: 'days, 1 to 3650',
    read: number(1, 3650),
  },
};
