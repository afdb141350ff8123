import assert from 'node:assert/strict';
import { access, mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { type ObjectStore, openFolderStore } from '#objects';
import { createCare } from './care.ts';
import { checkpointKey } from './supervise/attempt-folder.ts';
import { type Person, startTraining, type TrainingServer } from './training.fixture.ts';

let server: TrainingServer;
let ada: Person;
let dataDir: string;
let objects: ObjectStore;
/** A cluster that knows nobody. */
const cluster = createServer((_request, response) => response.writeHead(401).end());
const jobs: { id: string; error: { code: string; message: string } }[] = [];

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fanfold-care-'));
  objects = openFolderStore(join(dataDir, 'objects'));
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  const { port } = cluster.address() as AddressInfo;
  const settings = {
    ...{ FANFOLD_TRAINING_RUNNER: 'ray', FANFOLD_RAY_URL: `http://127.0.0.1:${port}`, FANFOLD_RAY_FOLDER: dataDir },
    ...{ FANFOLD_TRAINING_SLOTS: '4', FANFOLD_ENGINE_THREADS: '1' },
  };
  server = await startTraining({ dataDir, settings });
  ada = await server.person();
  const examples = Array.from({ length: 10 }, (_, n) => ({
    text: { messages: ['user', 'assistant'].map((role) => ({ role, content: `${role} ${n}` })) },
    split: 'train',
  }));
  const asked = { base_model: 'fanfold-tiny-chat', dataset_id: await ada.dataset(examples) };
  // At once, while those before them end: their money must not meet in a circle.
  const made = await Promise.all(
    Array.from({ length: 12 }, () => ada.ok('POST', `${ada.project}/training-jobs`, asked)),
  );
  for (const { id } of made) jobs.push(await ada.until(id, 'failed'));
});

after(async () => {
  await server?.stop();
  cluster.close();
  await rm(dataDir, { recursive: true, force: true });
});

test('jobs asked for at once are all made, and what only the operator can mend is told to their owner, for free', async () => {
  for (const { id, error } of jobs) {
    assert.equal(error.code, 'internal_error');
    assert.match(error.message, /^Training is not set up on this server\. Ray refuses the token/);
    assert.equal((await ada.ok('GET', `${ada.project}/training-jobs/${id}`)).credits, '0.000000');
  }
});

function careOf() {
  return createCare({
    ...{ database: server.database, objects, keptDays: 30, log: { warn: () => {} }, root: join(dataDir, 'left') },
    deployments: { deployDue: async () => {} },
  });
}

test('checkpoints stay as long as somebody may go on from them, and no longer', async () => {
  const [old, fresh, unwanted, succeeded] = jobs.map(({ id }) => id);
  assert.ok(old && fresh && unwanted && succeeded);
  const key = (jobId: string, file: string) => checkpointKey({ jobId, attempt: 1 }, 'ckpt-000005', file);
  const files = ['adapter.safetensors', 'state.json'];
  for (const id of [old, fresh, unwanted, succeeded]) {
    for (const file of files) await objects.put(key(id, file), Readable.from([Buffer.from(file)]));
    await server.database.query(
      `insert into training_checkpoints (job_id, attempt, name, step, active_ms, size_bytes, files)
       values ($1, 1, 'ckpt-000005', 5, 500, 27, $2)`,
      [id, JSON.stringify(files)],
    );
  }
  const change = (id: string, what: string) =>
    server.database.query(`update training_jobs set ${what} where id = $1`, [id]);
  await change(old, "finished_at = now() - interval '31 days'");
  await change(fresh, "finished_at = now() - interval '29 days'");
  await change(unwanted, 'keeps_checkpoints = false');
  const [digest, result] = ['a'.repeat(64), '{}'];
  const proof = `adapter_sha256 = '${digest}', archive_sha256 = '${digest}', archive_bytes = 1, result = '${result}'`;
  await change(succeeded, `state = 'succeeded', error = null, ${proof}`);

  const care = careOf();
  // Replicas do it at once.
  await Promise.all([care.tend(), care.tend()]);
  await care.stop();

  const isThere = (id: string) =>
    Promise.all(files.map((file) => objects.size(key(id, file)))).then((found) => found.every((size) => size !== null));
  assert.deepEqual(await Promise.all([old, fresh, unwanted, succeeded].map(isThere)), [false, true, false, false]);
  const rows = await server.database.query<{ id: string }>(
    'select job_id as id from training_checkpoints where removed_at is null',
  );
  assert.deepEqual(rows, [{ id: fresh }]);
  const offered = async (id: string) =>
    (await ada.ok('GET', `${ada.project}/training-jobs/${id}/retry-estimate`)).checkpoint;
  assert.deepEqual([await offered(old), (await offered(fresh))?.step], [null, 5]);
});

test('what servers left behind that died is removed once its attempt has been over for a while, and nothing else', async () => {
  const [over, recent] = jobs.slice(4).map(({ id }) => id);
  assert.ok(over && recent);
  await server.database.query(
    `update training_attempts set finished_at = now() - interval '1 hour' where job_id = $1`,
    [over],
  );
  const left = join(dataDir, 'left');
  const folders = [
    `${over}/1/out`,
    `${over}/2/out`,
    `${recent}/1/out`,
    'unknown/1',
    'drafts/draft-old',
    'drafts/draft-new',
  ];
  for (const folder of folders) await mkdir(join(left, folder), { recursive: true });
  const lastWeek = new Date(Date.now() - 7 * 86_400_000);
  await utimes(join(left, 'drafts', 'draft-old'), lastWeek, lastWeek);
  const care = careOf();
  await Promise.all([care.tend(), care.tend()]);
  await care.stop();
  const isThere = (folder: string) =>
    access(join(left, folder)).then(
      () => true,
      () => false,
    );
  assert.deepEqual(await Promise.all(folders.map(isThere)), [false, true, true, true, false, true]);
});
