import assert from 'node:assert/strict';
import { access, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { type ObjectStore, openFolderStore } from '#objects';
import { artifactKeys } from './jobs/job.ts';
import { noteArtifacts, noteSnapshot } from './maintenance.store.ts';
import { createTrainingMaintenance, type TrainingMaintenanceDeps } from './maintenance.ts';
import { findOrphanTrainingObjects, removeOrphanTrainingObjects } from './orphan-objects.ts';
import { snapshotKeys } from './prepare/snapshot.ts';
import { checkpointKey } from './supervise/attempt-folder.ts';
import { createCheckpointUploads } from './supervise/checkpoints.ts';
import { type Person, startTraining, type TrainingServer } from './training.fixture.ts';

let server: TrainingServer;
let ada: Person;
let dataDir: string;
let objects: ObjectStore;
/** A cluster that knows nobody. */
const cluster = createServer((_request, response) => response.writeHead(401).end());
const jobs: { id: string; error: { code: string; message: string } }[] = [];

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fanfold-maintenance-'));
  objects = openFolderStore(join(dataDir, 'objects'));
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  const { port } = cluster.address() as AddressInfo;
  const settings = {
    FANFOLD_TRAINING_RUNNER: 'ray',
    FANFOLD_RAY_URL: `http://127.0.0.1:${port}`,
    FANFOLD_RAY_FOLDER: dataDir,
    FANFOLD_TRAINING_SLOTS: '4',
    FANFOLD_ENGINE_THREADS: '1',
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

function maintenanceOf(deployDue = async () => {}, runner: TrainingMaintenanceDeps['runner'] = {}) {
  return createTrainingMaintenance({
    database: server.database,
    objects,
    checkpointDays: 30,
    log: { warn: () => {} },
    root: join(dataDir, 'left'),
    deployDue,
    runner,
  });
}

const put = (key: string) => objects.put(key, Readable.from([Buffer.from(key)]));
const isStored = async (key: string) => (await objects.size(key)) !== null;

test('checkpoints stay as long as somebody may go on from them, and no longer', async () => {
  const [old, fresh, unwanted, succeeded] = jobs.map(({ id }) => id);
  assert.ok(old && fresh && unwanted && succeeded);
  const key = (jobId: string, file: string) => checkpointKey({ jobId, attempt: 1 }, 'ckpt-000005', file);
  const files = ['adapter.safetensors', 'state.json'];
  for (const id of [old, fresh, unwanted, succeeded]) {
    for (const file of files) await put(key(id, file));
    await server.database.query(
      `insert into training_checkpoints (job_id, attempt, name, step, active_ms, size_bytes, noted_files, files)
       values ($1, 1, 'ckpt-000005', 5, 500, 27, $2, $2)`,
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

  const maintenance = maintenanceOf();
  // Replicas do it at once.
  await Promise.all([maintenance.runAll(), maintenance.runAll()]);
  await maintenance.stop();

  const isThere = (id: string) =>
    Promise.all(files.map((file) => isStored(key(id, file)))).then((found) => found.every((each) => each));
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
    'deleted/1',
    'drafts/draft-old',
    'drafts/draft-new',
  ];
  for (const folder of folders) await mkdir(join(left, folder), { recursive: true });
  const lastWeek = new Date(Date.now() - 7 * 86_400_000);
  for (const old of ['drafts/draft-old', 'deleted/1', 'deleted']) await utimes(join(left, old), lastWeek, lastWeek);
  const asked = [over, recent].map((jobId) => ({ jobId, attempt: 1 }));
  let swept: unknown;
  const maintenance = maintenanceOf(undefined, {
    sweep: async (areOver) => {
      swept = await areOver(asked);
    },
  });
  await Promise.all([maintenance.runAll(), maintenance.runAll()]);
  await maintenance.stop();
  assert.deepEqual(swept, [{ jobId: over, attempt: 1 }]);
  const isThere = (folder: string) =>
    access(join(left, folder)).then(
      () => true,
      () => false,
    );
  assert.deepEqual(await Promise.all(folders.map(isThere)), [false, true, true, true, false, false, true]);
});

test('what a server was putting into the object store when it died is removed once its job is over, whatever else fails', async () => {
  const [, , , , , , checkpointed, saved] = jobs.map(({ id }) => id);
  assert.ok(checkpointed && saved);
  const folder = join(dataDir, 'dying');
  await mkdir(join(folder, 'out', 'ckpt-000007'), { recursive: true });
  for (const file of ['adapter.safetensors', 'state.json'])
    await writeFile(join(folder, 'out', 'ckpt-000007', file), '');
  await server.database.query(
    `insert into training_checkpoints (job_id, attempt, name, step, active_ms, size_bytes)
     values ($1, 1, 'ckpt-000007', 7, 700, 27)`,
    [checkpointed],
  );
  const dying: ObjectStore = {
    ...objects,
    put: (key, source, options) =>
      key.endsWith('state.json') ? Promise.reject(new Error('The server dies.')) : objects.put(key, source, options),
  };
  const uploads = createCheckpointUploads(
    { database: server.database, objects: dying, log: { info: () => {}, warn: () => {} } },
    {
      lease: { jobId: checkpointed, attempt: 1, holder: 'dying' },
      folder,
      heartbeat: { signal: new AbortController().signal, stop: async () => {} },
    },
  );
  uploads.upload('ckpt-000007');
  await uploads.settled();
  const part = checkpointKey({ jobId: checkpointed, attempt: 1 }, 'ckpt-000007', 'adapter.safetensors');
  assert.ok(await isStored(part));

  const attempt = { jobId: saved, attempt: 1 };
  await noteArtifacts(server.database, attempt, true);
  for (const key of Object.values(artifactKeys(attempt))) await put(key);
  await server.database.query(
    `update training_attempts set finished_at = now() - interval '1 hour' where job_id = $1`,
    [saved],
  );
  const maintenance = maintenanceOf(async () => {
    throw new Error('No alias today.');
  });
  await assert.rejects(maintenance.runAll(), /No alias today/);
  await maintenance.stop();
  const left = await Promise.all([part, ...Object.values(artifactKeys(attempt))].map(isStored));
  assert.deepEqual(left, [false, false, false, false]);
});

test('data that jobs have learned from stay while a job may need them, and no longer', async () => {
  const names = ['nobody', 'fresh', 'retryable', 'succeeded', 'expired'] as const;
  const digestOf = (name: string) => Buffer.from(name.padEnd(32)).toString('hex');
  const [, fresh, , succeeded, , , , , expired] = jobs.map(({ id }) => id);
  const uses = { retryable: fresh, succeeded, expired };
  for (const name of names) {
    await noteSnapshot(server.database, digestOf(name));
    for (const key of Object.values(snapshotKeys(digestOf(name)))) await put(key);
  }
  for (const [name, id] of Object.entries(uses))
    await server.database.query('update training_jobs set snapshot = $2 where id = $1', [
      id,
      JSON.stringify({ sha256: digestOf(name) }),
    ]);
  await server.database.query(`update training_jobs set finished_at = now() - interval '31 days' where id = $1`, [
    expired,
  ]);
  const noted = names.filter((name) => name !== 'fresh').map(digestOf);
  await server.database.query(
    `update training_snapshots set noted_at = now() - interval '2 days' where sha256 = any($1::text[])`,
    [noted],
  );
  const maintenance = maintenanceOf();
  // Replicas do it at once.
  await Promise.all([maintenance.runAll(), maintenance.runAll()]);
  await maintenance.runAll();
  await maintenance.stop();
  const isThere = (name: string) => isStored(snapshotKeys(digestOf(name)).train);
  assert.deepEqual(await Promise.all(names.map(isThere)), [false, true, true, false, false]);
});

test('objects of attempts that no row leads to are found and removed once the attempt is over for a day, and no others', async () => {
  const database = server.database;
  const [left, succeeded, recent] = jobs.slice(9).map(({ id }) => id);
  assert.ok(left && succeeded && recent);
  await database.query(
    `update training_attempts set finished_at = now() - interval '2 days' where job_id = any($1::text[])`,
    [[left, succeeded]],
  );
  await database.query(`update training_attempts set state = 'succeeded', error = null where job_id = $1`, [succeeded]);
  const of = (jobId: string, file: string, checkpoint = 'ckpt-000009') =>
    checkpointKey({ jobId, attempt: 1 }, checkpoint, file);
  await database.query(
    `insert into training_checkpoints (job_id, attempt, name, step, active_ms, size_bytes, files, noted_files, removed_at)
     values ($1, 1, 'ckpt-000009', 9, 900, 27, '["whole"]', '["whole"]', null), ($1, 1, 'ckpt-000010', 10, 950, 27, null, '["begun"]', null),
            ($1, 1, 'ckpt-000011', 11, 990, 27, '["gone"]', '["gone"]', now()), ($1, 1, 'ckpt-000012', 12, 999, 27, null, null, null)`,
    [left],
  );
  const kept = [
    ...[of(left, 'whole'), of(left, 'begun', 'ckpt-000010'), of(recent, 'left')],
    ...Object.values(artifactKeys({ jobId: succeeded, attempt: 1 })),
    ...Object.values(artifactKeys({ jobId: recent, attempt: 1 })),
    `training/jobs/${left}/1/strange`,
  ];
  const orphans = [
    ...[
      of(left, 'other'),
      of(left, 'gone', 'ckpt-000011'),
      of(left, 'early', 'ckpt-000012'),
      of(left, 'x', 'ckpt-000013'),
    ],
    ...Object.values(artifactKeys({ jobId: left, attempt: 1 })),
  ];
  const foreign = [
    of('job_of_others', 'state.json'),
    checkpointKey({ jobId: left, attempt: 7 }, 'ckpt-000001', 'state.json'),
  ];
  const keys = [...kept, ...orphans, ...foreign];
  for (const key of keys) await put(key);
  const found = await findOrphanTrainingObjects(database, keys);
  assert.deepEqual(found.orphans.toSorted(), orphans.toSorted());
  assert.deepEqual(found.foreign.toSorted(), foreign.toSorted());

  await noteArtifacts(database, { jobId: left, attempt: 1 }, true);
  const noted = await findOrphanTrainingObjects(database, keys);
  assert.equal(noted.orphans.length, orphans.length - 3, 'what is noted has somebody who removes it');
  await noteArtifacts(database, { jobId: left, attempt: 1 }, false);

  await Promise.all([1, 2].map(() => removeOrphanTrainingObjects({ sql: database, objects }, keys)));
  const there = await Promise.all(keys.map(isStored));
  assert.deepEqual(
    keys.filter((_, at) => there[at]),
    [...kept, ...foreign],
  );
});
