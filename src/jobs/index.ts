export { createJobs, type Jobs } from './jobs.ts';
export { defineTask, type TaskHandler, type TaskRun } from './task.ts';
