import { createJobs } from './jobs.ts';
import { defineTask } from './task.ts';

/** A process that begins the task and never ends it; the test kills it. */
const [url] = process.argv.slice(2);
if (url === undefined) throw new Error('The URL of the database is missing.');
const jobs = createJobs({ url });
jobs.handle(defineTask('test.slow'), async () => {
  process.stdout.write('begun\n');
  await new Promise(() => {});
});
await jobs.start();
process.stdout.write('ready\n');
