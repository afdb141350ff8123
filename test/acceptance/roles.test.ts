import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#test/free-port.ts';
import {
  type Person,
  scriptedTrainer,
  startTraining,
  type TrainingServer,
} from '../../src/training/training.fixture.ts';
import { importClient } from '../import/import-client.ts';

/** A server that takes work in and leaves it, and beside it, on the same data, a process that only works. */
const main = path.join(import.meta.dirname, '../../src/main.ts');
let dataDir: string;
let trainer: Awaited<ReturnType<typeof scriptedTrainer>>;
let server: TrainingServer;
let person: Person;
let worker: ChildProcess | null = null;

before(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-roles-'));
  trainer = await scriptedTrainer();
  const settings = { FANFOLD_ROLES: 'serve', FANFOLD_TRAINING_PYTHON: trainer.program, FANFOLD_TRAINING_SLOTS: '4' };
  server = await startTraining({ settings, dataDir });
  person = await server.person();
});

after(async () => {
  worker?.kill('SIGKILL');
  await server?.stop();
  await trainer?.remove();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

function start(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [main, 'serve', ...args], {
    env: { ...process.env, FANFOLD_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output.text += chunk.toString();
    });
  return { child, output };
}

const status = async (url: string) => (await fetch(url).catch(() => null))?.status ?? null;

async function untilReady(operator: string, output: { text: string }): Promise<void> {
  const deadline = performance.now() + 180_000;
  while ((await status(`${operator}/readyz`)) !== 200) {
    assert.ok(performance.now() < deadline, output.text);
    await sleep(100);
  }
}

const jobsInHand = () => server.database.query('select name from fanfold_jobs.job where started_on is not null');

const examples = Array.from({ length: 12 }, (_, n) => ({
  text: {
    messages: [
      { role: 'user', content: `Say ${n}` },
      { role: 'assistant', content: `It is ${n}.` },
    ],
  },
}));

test('a server without the role of a worker takes work in and leaves it; a process that only works does it', async () => {
  const { ok, dataset, until, project, key, slug } = person;
  const imports = importClient({ origin: server.app.origin, key, project: `${slug}/chat` });
  const file = Buffer.from(examples.map(({ text }) => JSON.stringify(text)).join('\n'));
  const { id } = await imports.create({ name: 'said.jsonl', size: file.length });
  const { body: uploaded } = await imports.put(id, file);
  const datasetId = await dataset(examples);
  const wanted = { base_model: 'fanfold-tiny-chat', dataset_id: datasetId, hyperparameters: { max_steps: 2 } };
  const { id: jobId } = await ok('POST', `${project}/training-jobs`, wanted);
  await sleep(1_500);
  assert.equal((await imports.read(id)).state, uploaded.state);
  assert.equal((await ok('GET', `${project}/training-jobs/${jobId}`)).state, 'queued');
  assert.deepEqual(await jobsInHand(), []);

  const [port, operatorPort] = [await freePort(), await freePort()];
  const operator = `http://127.0.0.1:${operatorPort}`;
  const { child, output } = start(['--roles', 'worker'], {
    DATABASE_URL: server.url,
    PORT: String(port),
    FANFOLD_OPERATOR_PORT: String(operatorPort),
    FANFOLD_TRAINING_PYTHON: trainer.program,
  });
  worker = child;
  await untilReady(operator, output);
  assert.equal(await status(`${operator}/healthz`), 200);
  assert.equal(await status(`http://127.0.0.1:${port}/healthz`), null, 'it listens to its operator only');
  assert.equal((await imports.until(id, 'ready', 'failed')).state, 'ready');
  assert.equal((await until(jobId, 'succeeded', 'failed')).state, 'succeeded');

  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null], output.text);
});

test('a worker without a database to share, and a role that there is not, are refused in one line', async () => {
  for (const [args, message] of [
    [['--roles', 'worker'], /^A worker works for servers: set DATABASE_URL/],
    [['--roles', 'serve,engine'], /^--roles must be serve, worker or both/],
  ] as const) {
    const { child, output } = start(args, { DATABASE_URL: '' });
    assert.deepEqual(await once(child, 'close'), [1, null]);
    assert.match(output.text, message);
    assert.equal(output.text.trim().split('\n').length, 1);
  }
});
