import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { exitCodes } from '../runners/protocol.ts';
import type { TrainerEvent } from '../runners/trainer-events.ts';
import { type Person, startTraining, type TrainingServer } from '../training.fixture.ts';
import { attemptFolder } from './attempt-folder.ts';
import { claim, type WorkerDeps } from './lease.ts';
import { recordOutput } from './record-output.ts';
import { workerWith } from './worker.fixture.ts';
import { work } from './worker.ts';

let server: TrainingServer;
let ada: Person;
let root: string;

before(async () => {
  // Nobody works on jobs but these tests.
  server = await startTraining({ settings: { FANFOLD_ROLES: 'serve', FANFOLD_ENGINE_THREADS: '1' } });
  ada = await server.person();
  root = await mkdtemp(join(tmpdir(), 'fanfold-heard-'));
});

after(async () => {
  await server?.stop();
  await rm(root, { recursive: true });
});

/** A worker that finds a trainer which has ended with this code, and has said everything to another one. */
const workerThatFinds = (code: number, parts: Partial<WorkerDeps> = {}) =>
  workerWith({
    database: server.database,
    root,
    ...parts,
    // biome-ignore lint/correctness/useYield: it says nothing.
    async *run() {
      return { kind: 'exited', code } as const;
    },
  });

type Said = { code: string; message: string };

/** The error of a job, and whether it was paid for, whose trainer has said this to a server that died then. */
async function errorOf(said: readonly Said[], worker: WorkerDeps) {
  const examples = Array.from({ length: 10 }, (_, n) => ({
    text: { messages: ['user', 'assistant'].map((role) => ({ role, content: `${role} ${n}` })) },
    split: 'train',
  }));
  const asked = { base_model: 'fanfold-tiny-chat', dataset_id: await ada.dataset(examples) };
  const { id } = await ada.ok('POST', `${ada.project}/training-jobs`, asked);
  const claimed = await claim(server.database, { holder: 'the worker', seconds: 3_600 });
  assert.ok(claimed);
  assert.equal(claimed.job.id, id);
  const held = { jobId: id, attempt: 1, holder: 'the worker' };
  const events = [
    { event: 'started', resumed_step: 0 },
    ...said.map((error) => ({ event: 'failed', error: { ...error, hint: null, retryable: true } })),
  ].map((fields, index) => ({ ...fields, seq: index + 1, t: 0, active_ms: 100 }));
  // as: each of them has its fields.
  await recordOutput(server.database, held, events as TrainerEvent[]);
  const out = join(attemptFolder(root, held), 'out');
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'events.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  await work(worker, claimed, new AbortController().signal);
  const { error, credits } = await ada.ok('GET', `${ada.project}/training-jobs/${id}`);
  return [error.code, error.message, Number(credits) > 0];
}

test('a failure that a trainer told a server which died then is told by the next, and costs what it would have', async () => {
  const timeUp = { code: 'time_limit', message: 'The limit of 100 ms is used up.' };
  assert.deepEqual(await errorOf([timeUp], workerThatFinds(exitCodes.timeLimit)), ['time_limit', timeUp.message, true]);
  const unsaid = 'The trainer ended without saying why.';
  assert.deepEqual(await errorOf([], workerThatFinds(exitCodes.timeLimit)), ['time_limit', unsaid, true]);
  const gone = { code: 'worker_lost', message: 'The program that started the training is gone.' };
  assert.deepEqual(await errorOf([gone], workerThatFinds(exitCodes.diskFull)), [
    'artifact_write_failed',
    unsaid,
    false,
  ]);
});

test('a full disk is told by its name, whoever met it, and costs nothing', async () => {
  const full = Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' });
  const told = ['artifact_write_failed', 'The disk of the server is full.', false];
  const makeSnapshot = () => Promise.reject(full);
  assert.deepEqual(await errorOf([], workerThatFinds(exitCodes.done, { makeSnapshot })), told);
});
