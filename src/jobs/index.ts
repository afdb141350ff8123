export { createJobs, type Jobs, type JobsOptions } from './jobs.ts';
export { defineTask, type Task, type TaskHandler, type TaskRun } from './task.ts';
