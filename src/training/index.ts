export { listLiveJobsByBase } from './jobs/jobs.store.ts';
export { artifactKeys } from './publish/artifacts.ts';
export { openRunner, type RunnerValues } from './runners/open-runner.ts';
export { listServedJobs } from './served-files.store.ts';
export { timeOfTraining } from './settings/time-of-training.ts';
export { findStrayTrainingObjects, removeStrayTrainingObjects } from './stray-objects.ts';
export { createTraining, type Training, type TrainingOptions } from './training-room.ts';
