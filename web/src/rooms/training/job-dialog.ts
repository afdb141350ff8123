import type { Job, JobPath } from './training-queries.ts';

export type JobDialogProps = { path: JobPath; job: Job; isOpen: boolean; onClose: () => void };
