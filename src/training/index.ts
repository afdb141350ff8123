export { type InstallationJob, listInstallationJobs } from './jobs/installation-jobs.store.ts';
export { artifactKeys } from './jobs/job.ts';
export { listLiveJobsByBase } from './jobs/jobs.store.ts';
export { findOrphanTrainingObjects, removeOrphanTrainingObjects } from './orphan-objects.ts';
export { openRunner, type RunnerValues } from './runners/open-runner.ts';
export { pythonFolder } from './runners/trainer-program.ts';
export { listServedJobs } from './serve/served-jobs.store.ts';
export { estimateTrainingTime } from './settings/estimate.ts';
export { createTraining, type Training, type TrainingOptions } from './training-room.ts';
