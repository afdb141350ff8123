import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '#db';
import { fault } from '#kernel';
import type { TrainingJob } from '../jobs/job.ts';
import { createDeployments } from './deployments.ts';

// as: what a deployment reads of a job.
const job = {
  id: 'job_1',
  attempt: 1,
  accountId: 'acc_1',
  ownerSlug: 'ada',
  projectSlug: 'desk',
  deploy: { alias: 'helper', activate: true },
} as TrainingJob;

/** Whether a job is told to be done with its alias after this. */
async function isDoneAfter(problem: Error): Promise<boolean> {
  const written: string[] = [];
  const query = async (text: string) => {
    written.push(text);
    return text.includes('log_seq') ? [{ last: 1n }] : [];
  };
  // as: it asks for nothing else.
  const { deploy } = createDeployments({ query } as Partial<Database> as Database, () => () => Promise.reject(problem));
  await deploy(job);
  return written.some((text) => text.includes('deploy_at = null'));
}

test('a job whose alias others change or activate at that time stays due, and one that cannot have it gets the reason in its log', async () => {
  const warming = { details: { state: 'warming', allowed_from: ['inactive'] } };
  const passing = [
    fault('alias_taken'),
    fault('state_conflict', { details: { reason: 'changed_meanwhile' } }),
    fault('state_conflict', warming),
    fault('model_warming'),
    fault('service_unavailable'),
  ];
  for (const problem of passing) assert.equal(await isDoneAfter(problem), false, problem.message);
  for (const problem of [fault('state_conflict'), fault('kind_mismatch'), new Error('A bug.')])
    assert.equal(await isDoneAfter(problem), true, problem.message);
});
