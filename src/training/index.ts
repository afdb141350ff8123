export { listLiveJobsByBase } from './jobs/jobs.store.ts';
export { findOrphanTrainingObjects, removeOrphanTrainingObjects } from './orphan-objects.ts';
export { artifactKeys } from './publish/artifacts.ts';
export { openRunner, type RunnerValues } from './runners/open-runner.ts';
export { listServedJobs } from './serve/served-jobs.store.ts';
export { estimateTrainingTime } from './settings/estimate.ts';
export { createTraining, type Training, type TrainingOptions } from './training-room.ts';
