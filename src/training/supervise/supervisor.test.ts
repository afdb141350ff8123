import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db';
import { exitCodes } from '../runners/protocol.ts';
import { type Person, startTraining, type TrainingServer } from '../training.fixture.ts';
import { createSupervisor } from './supervisor.ts';
import { workerWith } from './worker.fixture.ts';

let server: TrainingServer;
let ada: Person;
let datasetId: string;
let root: string;

before(async () => {
  // Nobody works on jobs but these tests.
  server = await startTraining({ settings: { FANFOLD_ROLES: 'serve', FANFOLD_ENGINE_THREADS: '1' } });
  ada = await server.person();
  const examples = Array.from({ length: 10 }, (_, n) => ({
    text: { messages: ['user', 'assistant'].map((role) => ({ role, content: `${role} ${n}` })) },
    split: 'train',
  }));
  datasetId = await ada.dataset(examples);
  root = await mkdtemp(join(tmpdir(), 'fanfold-supervised-'));
});

after(async () => {
  await server?.stop();
  await rm(root, { recursive: true, force: true });
});

async function made(): Promise<string> {
  const asked = { base_model: 'fanfold-tiny-chat', dataset_id: datasetId };
  return (await ada.ok('POST', `${ada.project}/training-jobs`, asked)).id;
}

const stateOf = async (id: string) => (await ada.ok('GET', `${ada.project}/training-jobs/${id}`)).state;

/** A supervisor with one slot whose trainer runs, and whose look for work waits for a database that does not answer. */
async function superviseInSilence(id: string) {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<AbortSignal>();
  const ended = Promise.withResolvers<void>();
  const begunJobs: string[] = [];
  const worker = workerWith({
    database: server.database,
    root,
    async *run({ jobId }, signal) {
      begunJobs.push(jobId);
      begun.resolve(signal);
      yield { event: 'started', seq: 1, t: 0, active_ms: 0, resumed_step: 0 } as const;
      await ended.promise;
      return { kind: 'exited', code: exitCodes.timeLimit } as const;
    },
  });
  // The supervisor's own look hangs once it has taken a job.
  const database: Database = {
    ...worker.database,
    async query(text, values, options) {
      if (begunJobs.length > 0 && options?.name === 'training.is_work_waiting') {
        asked.resolve();
        await answered.promise;
      }
      return worker.database.query(text, values, options);
    },
  };
  const supervisor = createSupervisor({ ...worker, database, instanceId: 'ins_1', slots: 1, pollMs: 20 });
  supervisor.start();
  const trainerSignal = await begun.promise;
  await asked.promise;
  while ((await stateOf(id)) !== 'running') await sleep(10);
  return { supervisor, trainerSignal, begunJobs, endTrainer: ended.resolve, answer: answered.resolve };
}

test('a server that ends tells its trainers at once, even while the database does not answer', async () => {
  const id = await made();
  const { supervisor, trainerSignal, endTrainer, answer } = await superviseInSilence(id);
  const stopped = supervisor.stop();
  assert.ok(trainerSignal.aborted);
  endTrainer();
  answer();
  await stopped;
  assert.equal(await stateOf(id), 'interrupted');
  await ada.ok('POST', `${ada.project}/training-jobs/${id}/cancel`, {});
});

test('a slot that becomes free while the server ends takes no further job', async () => {
  const [first, second] = [await made(), await made()];
  const { supervisor, begunJobs, endTrainer, answer } = await superviseInSilence(first);
  const stopped = supervisor.stop();
  endTrainer();
  while ((await stateOf(first)) === 'running') await sleep(10);
  // Whoever would take the next one has it by then.
  await sleep(200);
  answer();
  await stopped;
  assert.deepEqual([begunJobs, await stateOf(second)], [[first], 'queued']);
});
