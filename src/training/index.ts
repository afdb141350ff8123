export { listLiveJobsByBase } from './jobs/jobs.store.ts';
export { openRunner, type RunnerValues } from './runners/open-runner.ts';
export { findStrayTrainingObjects, removeStrayTrainingObjects } from './stray-objects.ts';
export { createTraining, type Training, type TrainingOptions } from './training-room.ts';
