import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { doctor } from '#billing';
import { OperatorError } from '#kernel';
import { createTestDatabase } from '#test/database.ts';
import { pythonProgram } from '#test/python.ts';
import { startServerProcess } from '#test/server-process.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { seedTenant } from '#test/tenants.ts';
import { becomePerson } from '../training.fixture.ts';
import { RayClient } from './ray-client.ts';
import { installRay, type RayCluster, startRay } from './ray-cluster.fixture.ts';
import { createRayRunner, type RayRunnerOptions } from './ray-runner.ts';
import { eventsOf, follow, openAttempts, protocolTrainer, runnerSuite } from './runner.fixture.ts';

type LogLine = { seq: number; message: string };

const { bin, ...missing } = await installRay();

if (bin === null) {
  test('Ray could not be installed, so its runner is NOT TESTED', { skip: JSON.stringify(missing) }, () => {});
} else {
  let cluster: RayCluster;
  let attempts: Awaited<ReturnType<typeof openAttempts>>;
  let shared: string;
  let packageFolder: string;

  before(async () => {
    attempts = await openAttempts();
    shared = join(attempts.root, 'shared');
    packageFolder = join(attempts.root, 'package');
    await mkdir(shared);
    await mkdir(packageFolder);
    await copyFile(protocolTrainer, join(packageFolder, 'speak.py'));
    cluster = await startRay(bin);
  });
  after(async () => {
    await cluster?.stop();
    await attempts.remove();
  });

  const options = (): RayRunnerOptions => ({
    url: cluster.url,
    token: cluster.token,
    shared: { here: shared, there: shared },
    python: cluster.python,
    cpus: 0.1,
    gpus: 0,
    pendingMs: 180_000,
    killAfterMs: 60_000,
    unreachableMs: 120_000,
    packageFolder,
    entrypoint: `${cluster.python} speak.py`,
  });
  const open = (change: Partial<RayRunnerOptions> = {}) => createRayRunner({ ...options(), ...change });

  runnerSuite('ray', () => ({ open, attempts }));

  test('an attempt that finds no capacity is given up, and a wrong token is reported to the operator', async () => {
    const crowded = await follow(open({ cpus: 99, pendingMs: 300 }), await attempts.attempt());
    assert.equal(crowded.outcome.kind, 'lost');
    assert.match(JSON.stringify(crowded.outcome), /no capacity for attempt 1/);
    await assert.rejects(follow(open({ token: 'another' }), await attempts.attempt()), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /FANFOLD_RAY_TOKEN/);
      return true;
    });
    const nowhere = await follow(open({ url: 'http://127.0.0.1:9', unreachableMs: 300 }), await attempts.attempt());
    assert.match(JSON.stringify(nowhere.outcome), /"lost".*cannot be reached/);
  });

  test('what an attempt wrote is where it was brought: a server that comes too late takes it for lost, and does not go on with nothing', async () => {
    const run = await attempts.attempt();
    const done = { kind: 'exited', code: 0 };
    assert.deepEqual((await follow(open(), run)).outcome, done);
    const specFolder = join(attempts.root, 'another-server', run.jobId);
    await mkdir(specFolder, { recursive: true });
    const late = await follow(open(), { ...run, specFolder });
    assert.deepEqual(late.outcome, { kind: 'lost', reason: 'What the trainer wrote went to a server that is gone.' });
    assert.deepEqual((await follow(open(), run)).outcome, done);
  });

  test('a job runs on the cluster, goes on there when its server is killed, and is served by the next one', async (t) => {
    const db = await createTestDatabase();
    const dataDir = join(attempts.root, 'data');
    const settings = {
      FANFOLD_TRAINING_RUNNER: 'ray',
      FANFOLD_RAY_URL: cluster.url,
      FANFOLD_RAY_TOKEN: cluster.token,
      FANFOLD_RAY_FOLDER: shared,
      FANFOLD_RAY_CPUS: '1',
      FANFOLD_TRAINING_PYTHON: await pythonProgram('python'),
      FANFOLD_TRAINING_LEASE_SECONDS: '3',
      FANFOLD_ENGINE_THREADS: '1',
    };
    const start = () => startServerProcess(db.url, { settings, dataDir, watched: false });
    const tenant = await seedTenant(db.database, openShippedModels());
    let server = await start();
    t.after(async () => {
      server.kill();
      await db.drop();
    });
    let ada = becomePerson(server, tenant, 'embedding');
    const datasetId = await ada.dataset(
      Array.from({ length: 12 }, (_, n) => ({
        embedding: {
          query: `which lamp is ${n}`,
          positives: [{ text: `lamp ${n}` }],
          negatives: [{ text: `cup ${n}` }],
        },
        split: 'train',
      })),
    );
    const asked = { base_model: 'fanfold-tiny-embed', dataset_id: datasetId, hyperparameters: { max_steps: 3 } };
    const { id } = await ada.ok('POST', `${ada.project}/training-jobs`, asked);
    const log = async () =>
      (await ada.ok('GET', `${ada.project}/training-jobs/${id}/logs?limit=100`)).data as LogLine[];
    // While its trainer loads, which takes seconds.
    while ((await new RayClient(cluster).find(`fanfold-${id}-a1`)) === null) await sleep(50);
    server.kill();
    server = await start();
    ada = becomePerson(server, tenant, 'embedding');

    const job = await ada.until(id, 'succeeded');
    assert.equal(job.attempt, 1);
    const lines = await log();
    assert.deepEqual(
      lines.map(({ seq }) => seq),
      lines.map((_, index) => index + 1),
    );
    // One trainer has done all of it.
    assert.equal(lines.filter(({ message }) => message.startsWith('The trainer runs on ')).length, 1);
    assert.equal(lines.filter(({ message }) => message === 'Training begins.').length, 1);
    const path = `/api/projects/${ada.slug}/search/openai/v1/embeddings`;
    const { status, json } = await ada.ask('POST', path, { model: job.model_ref, input: 'which lamp is 3' });
    assert.deepEqual([status, json?.model], [200, job.model_ref]);
    const { data: charges } = await ada.ok('GET', '/api/v1/credits/usage?type=training');
    assert.deepEqual(
      charges.map((row: { training_job_id: string; units: string }) => [row.training_job_id, Number(row.units) * 100]),
      [[id, job.billed_ms]],
    );
    assert.deepEqual(await doctor(db.database), []);
    // Workers have nothing of this program but a folder, and of what they need per job nothing stays in it.
    assert.equal((await readdir(join(shared, 'models'))).length, 1);
    assert.ok(!(await readdir(join(shared, 'attempts'))).some((name) => name.includes(id)));
  });

  test('what a restart needs goes with it to the cluster', async () => {
    const run = await attempts.attempt({ steps: 150 });
    const out = join(run.specFolder, 'out');
    for (const name of ['ckpt-000001', 'ckpt-000002']) {
      await mkdir(join(out, name), { recursive: true });
      await writeFile(join(out, name, 'state.json'), name);
    }
    // What the start before has left, which was lost.
    await mkdir(join(shared, 'attempts', run.jobId, `${run.attempt}-0`, 'out'), { recursive: true });
    const spec = { ...run.spec, resume_from: 'ckpt-000002', base: { ...run.spec.base, name: 'list' } };
    const followed = await follow(open(), { ...run, spec, restart: 1 });
    assert.deepEqual(followed.outcome, { kind: 'exited', code: 0 });
    assert.equal(eventsOf(followed).length, 153);
    const listed = followed.lines.find((line) => 'text' in line && line.text.startsWith('OUT'));
    assert.deepEqual(listed && 'text' in listed && listed.text, 'OUT ckpt-000002');
    assert.ok(!(await readdir(join(shared, 'attempts'))).includes(run.jobId));
  });
}
