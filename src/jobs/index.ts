export { createJobs, type Jobs } from './jobs.ts';
export { countQueued, type QueueCounts } from './queue.store.ts';
export { defineTask, type TaskHandler, type TaskRun } from './task.ts';
