import type { Job, JobPath } from './training-queries.ts';

/** What every dialog about a job is given. */
export type JobDialogProps = { path: JobPath; job: Job; isOpen: boolean; onClose: () => void };
