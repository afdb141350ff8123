export const jobStates = [
  'queued',
  'preparing',
  'running',
  'interrupted',
  'saving',
  'canceling',
  'succeeded',
  'failed',
  'canceled',
] as const;
export type JobState = (typeof jobStates)[number];

/** Final states. */
export const isOver = (state: JobState): boolean => state === 'succeeded' || state === 'failed' || state === 'canceled';

export const canCancel = (state: JobState): boolean => !isOver(state) && state !== 'canceling';
