export { openRunner, type RunnerValues } from './runners/open-runner.ts';
export type { Runner } from './runners/runner.ts';
export type { CallQuestion, ServedJobs } from './serve/trained-models.ts';
export { findStrayTrainingObjects, removeStrayTrainingObjects } from './stray-objects.ts';
export { createTraining, type Training, type TrainingOptions, type TrainingTiming } from './training-room.ts';
