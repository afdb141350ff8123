import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { doctor } from '#billing';
import { fault } from '#kernel';
import type { NewDeployment } from '#models';
import { listLiveJobsByBase } from '../jobs/jobs.store.ts';
import { AttemptFailure, maxInterruptions } from '../jobs/lifecycle.ts';
import { exitCodes } from '../runners/protocol.ts';
import { readEvent, type TrainerEvent } from '../runners/trainer-events.ts';
import { type Person, startTraining, type TrainingServer } from '../training.fixture.ts';
import { continueCounting, hasMoved } from './attempt-folder.ts';
import { createDeployments } from './deployments.ts';
import { claim, type WorkerDeps } from './lease.ts';
import { recordOutput } from './record-output.ts';
import { workerWith } from './worker.fixture.ts';
import { work } from './worker.ts';

let server: TrainingServer;
let ada: Person;
let datasetId: string;

before(async () => {
  // Nobody works on jobs, and nobody minds them, but these tests.
  server = await startTraining({ settings: { FANFOLD_ROLES: 'serve', FANFOLD_ENGINE_THREADS: '1' } });
  ada = await server.person();
  const examples = Array.from({ length: 10 }, (_, n) => ({
    text: { messages: ['user', 'assistant'].map((role) => ({ role, content: `${role} ${n}` })) },
    split: 'train',
  }));
  datasetId = await ada.dataset(examples);
});

after(() => server?.stop());

async function made(): Promise<string> {
  const asked = { base_model: 'fanfold-tiny-chat', dataset_id: datasetId };
  return (await ada.ok('POST', `${ada.project}/training-jobs`, asked)).id;
}

const read = (id: string) => ada.ok('GET', `${ada.project}/training-jobs/${id}`);

/** A worker that never shows life again. */
const claimAndDie = (holder: string) => claim(server.database, { holder, seconds: 0 });

test('a job outlives ten servers that die with it before it gets further, and is given up with the next, for free', async () => {
  const id = await made();
  for (let n = 0; n <= maxInterruptions; n++) {
    const claimed = await claimAndDie(`server ${n}`);
    assert.deepEqual([claimed?.job.id, claimed?.job.state, claimed?.job.interruptions], [id, 'preparing', n]);
  }
  assert.equal(await claimAndDie('one more'), null);
  const { state, error, credits } = await read(id);
  assert.deepEqual([state, error.code, credits], ['failed', 'worker_lost', '0.000000']);
  assert.deepEqual(await doctor(server.database), []);
});

test('a job whose server dies while it is canceled is canceled, and its log does not say that it goes on', async () => {
  const id = await made();
  await claimAndDie('the server');
  assert.equal((await ada.ok('POST', `${ada.project}/training-jobs/${id}/cancel`, {})).state, 'canceling');
  assert.equal(await claimAndDie('the next'), null);
  const { data } = await ada.ok('GET', `${ada.project}/training-jobs/${id}/logs?limit=100`);
  const told = data.map(({ message }: { message: string }) => message);
  assert.deepEqual(
    [(await read(id)).state, told.slice(-2)],
    ['canceled', ['The job is being canceled.', 'The job was canceled.']],
  );
});

/** What a trainer says: name, its clock, and what else. */
type Said = [event: string, activeMs: number, fields?: object];

/** Takes in what trainers say of a new job, and tells the active time that its owner pays for. */
async function paidFor(said: readonly Said[]): Promise<number> {
  const id = await made();
  const claimed = await claim(server.database, { holder: 'the worker', seconds: 3_600 });
  assert.equal(claimed?.job.id, id);
  const held = { jobId: id, attempt: 1, holder: 'the worker' };
  for (const [index, [event, active_ms, fields]] of said.entries()) {
    // as: each of them has its fields.
    await recordOutput(server.database, held, [{ event, seq: index + 1, t: 0, active_ms, ...fields } as TrainerEvent]);
  }
  const { active_ms } = await read(id);
  await ada.ok('POST', `${ada.project}/training-jobs/${id}/cancel`, {});
  return active_ms;
}

const progress = (step: number, activeMs: number): Said => [
  'progress',
  activeMs,
  { step, epoch: 1, loss: 1, lr: 0.1, grad_norm: 1, tokens: 1, tok_s: 1, eta_ms: 1, peak_mem_mb: 1 },
];
const started = (step: number, activeMs: number): Said => ['started', activeMs, { resumed_step: step }];
const checkpoint = (step: number, activeMs: number): Said => [
  'checkpoint',
  activeMs,
  { step, path: `ckpt-${step}`, bytes: 1, sha256: 'a'.repeat(64) },
];

test('steps that are done again are paid for once, however often they are', async () => {
  const once = [started(0, 0), checkpoint(5, 500), progress(7, 700)];
  assert.equal(await paidFor(once), 700);
  // Back to the checkpoint: 200 ms are undone, and done again by 900.
  const twice = [...once, started(5, 700), progress(7, 900)];
  assert.equal(await paidFor(twice), 700);
  assert.equal(await paidFor([...twice, progress(8, 1_000)]), 800);
  // And once more, when the clock of the trainer has run on to 900.
  const thrice = [...twice, started(5, 900), progress(7, 1_100)];
  assert.equal(await paidFor(thrice), 700);
  assert.equal(await paidFor([...thrice, checkpoint(8, 1_200), progress(9, 1_300)]), 900);
  // A checkpoint behind which time was undone counts without it.
  const later = [...thrice, checkpoint(8, 1_200), progress(9, 1_300), started(8, 1_300), progress(9, 1_400)];
  assert.equal(await paidFor(later), 900);
});

test('a retry that goes on from an earlier attempt and loses its trainer pays for what it did itself, once', async () => {
  assert.equal(await paidFor([started(5, 0), progress(8, 300), started(5, 300), progress(8, 600)]), 300);
});

test('a base model is in use for as long as a job of it is not over', async () => {
  const uses = async () => (await listLiveJobsByBase(server.database, 'fanfold-tiny-chat')).map(({ id }) => id);
  const before = await uses();
  const id = await made();
  assert.deepEqual(await uses(), [...before, id]);
  await ada.ok('POST', `${ada.project}/training-jobs/${id}/cancel`, {});
  assert.deepEqual(await uses(), before);
});

test('what a trainer says is taken in, whatever characters are in it', async () => {
  const id = await made();
  const claimed = await claim(server.database, { holder: 'the worker', seconds: 3_600 });
  assert.equal(claimed?.job.id, id);
  const held = { jobId: id, attempt: 1, holder: 'the worker' };
  const [nul, half, cut] = ['a\0b', 'a\ud83db', `${'x'.repeat(3_999)}\u{1f600}`];
  const said = [
    { event: 'hello', protocol: 1, device: nul, versions: { [nul]: half, torch: nul } },
    { event: 'started' },
    { event: 'eval', step: 1, phase: half, [nul]: 1, [half]: 2 },
    ...[nul, half, cut].map((message) => ({ event: 'warning', code: message, message })),
    { event: 'failed', error: { code: cut, message: cut, hint: nul } },
  ];
  for (const [index, fields] of said.entries()) {
    const event = readEvent(`@evt ${JSON.stringify({ ...fields, seq: index + 1, t: 0, active_ms: 0 })}`);
    assert.ok(event, JSON.stringify(fields));
    await recordOutput(server.database, held, [event]);
  }
  const { data } = await ada.ok('GET', `${ada.project}/training-jobs/${id}/logs?limit=100&level=warn`);
  const messages = data.map(({ message }: { message: string }) => message);
  assert.deepEqual(messages.slice(0, 2), ['ab', 'a\ufffdb']);
  assert.deepEqual(
    messages.slice(2),
    [0, 1].map(() => `${'x'.repeat(3_999)}\ufffd`),
  );
  await ada.ok('POST', `${ada.project}/training-jobs/${id}/cancel`, {});
});

test('a job of a dataset with a long name has a name of its own, also where an emoji would be cut in two', async () => {
  const name = `${'x'.repeat(79)}\u{1f600}`;
  await ada.ok('PATCH', `${ada.project}/datasets/${datasetId}`, { name });
  const id = await made();
  assert.equal((await read(id)).name, name);
  await ada.ok('POST', `${ada.project}/training-jobs/${id}/cancel`, {});
});

/** A worker whose trainer is done when it hears of the cancellation, and whose result is not taken for this reason. */
function workerThat({ publish }: Pick<WorkerDeps, 'publish'>, root: string): WorkerDeps {
  const heard = Promise.withResolvers<void>();
  return workerWith({
    database: server.database,
    root,
    publish,
    async *run() {
      yield { event: 'started', seq: 1, t: 0, active_ms: 0, resumed_step: 0 } as const;
      await heard.promise;
      return { kind: 'exited', code: exitCodes.done } as const;
    },
    cancel: async () => heard.resolve(),
  });
}

test('a job that is canceled when its trainer is done ends with what becomes of its result, at once', async () => {
  const root = await mkdtemp(join(tmpdir(), 'fanfold-canceled-'));
  const end = async (problem: Error) => {
    const id = await made();
    const claimed = await claim(server.database, { holder: 'the worker', seconds: 3_600 });
    assert.equal(claimed?.job.id, id);
    const working = work(
      workerThat({ publish: () => Promise.reject(problem) }, root),
      claimed,
      new AbortController().signal,
    );
    while ((await read(id)).state !== 'running') await sleep(10);
    await ada.ok('POST', `${ada.project}/training-jobs/${id}/cancel`, {});
    await working;
    return read(id);
  };
  try {
    const failed = await end(new AttemptFailure('artifact_write_failed', 'No room.'));
    assert.deepEqual([failed.state, failed.error?.code], ['failed', 'artifact_write_failed']);
    const waiting = await end(fault('service_unavailable'));
    assert.equal(waiting.state, 'interrupted');
    const told = await server.database.query('select from activity where type = $1 and subject_id = $2', [
      ...['training.interrupted', waiting.id],
    ]);
    assert.equal(told.length, 0, 'the feed is not told every few seconds that the store is away');
    await ada.ok('POST', `${ada.project}/training-jobs/${waiting.id}/cancel`, {});
  } finally {
    await rm(root, { recursive: true });
  }
});

test('a trainer cannot claim more time than its job was worked on', async () => {
  const paidMs = await paidFor([started(0, 0), progress(1, 3_600_000)]);
  assert.ok(paidMs > 0 && paidMs < 600_000);
});

test('an attempt that ran on another machine counts on there, also where its next worker dies before it has said so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-moved-'));
  try {
    await mkdir(join(folder, 'out'));
    assert.equal(await hasMoved(folder, { seq: 0 }), false);
    assert.equal(await hasMoved(folder, { seq: 9 }), true);
    await continueCounting(folder, { seq: 9, activeMs: 700.4 });
    assert.equal(await hasMoved(folder, { seq: 9 }), false);
    const told = await readFile(join(folder, 'out', 'events.jsonl'), 'utf8');
    assert.deepEqual(JSON.parse(told), { event: 'moved', seq: 9, t: 0, active_ms: 700 });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a job whose server died before it put it behind its alias is put there by another, once, and what still loads stays due', async () => {
  const [digest, result] = ['b'.repeat(64), '{}'];
  const succeeded = async (alias: string, wait: string) => {
    const id = await made();
    await server.database.query(
      `update training_jobs set state = 'succeeded', finished_at = now(), adapter_sha256 = $2, archive_sha256 = $2,
         archive_bytes = 1, result = $3, deploy = $4, deploy_at = now() + $5::interval where id = $1`,
      [id, digest, result, JSON.stringify({ alias, activate: true }), wait],
    );
    return id;
  };
  const due = await succeeded('mine', '-1 second');
  const early = await succeeded('soon', '1 hour');
  const refused = await succeeded('refused', '-1 second');
  const slow = await succeeded('slow', '-1 second');
  const deployed: NewDeployment[] = [];
  const { deployDue } = createDeployments(server.database, () => async (deployment) => {
    if (deployment.alias === 'refused') throw new Error('The name is taken.');
    if (deployment.alias === 'slow') throw fault('model_warming');
    deployed.push(deployment);
  });
  await Promise.all([deployDue(), deployDue()]);
  await deployDue();
  assert.deepEqual(
    deployed.map(({ jobId, alias, activate, projectSlug }) => ({ jobId, alias, activate, projectSlug })),
    [{ jobId: due, alias: 'mine', activate: true, projectSlug: 'chat' }],
  );
  const waiting = await server.database.query('select id from training_jobs where deploy_at is not null order by id');
  assert.deepEqual(waiting, [{ id: early }, { id: slow }]);
  const { data } = await ada.ok('GET', `${ada.project}/training-jobs/${refused}/logs?limit=100`);
  assert.equal(
    data.at(-1).message,
    'The job has succeeded, but it could not be put behind "refused": The name is taken.',
  );
});
