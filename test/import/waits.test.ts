import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fault } from '#kernel';
import { type ObjectStore, openFolderStore } from '#objects';
import { seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { Busy, runImport } from '../../src/datasets/imports/worker/run-import.ts';
import type { WorkDeps } from '../../src/datasets/imports/worker/work-deps.ts';
import { type ImportClient, importClient } from './import-client.ts';
import { createImportWorld, type ImportWorld } from './import-world.ts';
import { mapping, mixedRows } from './mixed-rows.ts';

let world: ImportWorld;
let text: ImportClient;
let objects: ObjectStore;
before(async () => {
  // What workers do is done here.
  world = await createImportWorld({ settings: { FANFOLD_ROLES: 'serve' } });
  text = world.text;
  objects = openFolderStore(world.objectsDir);
});
after(() => world?.stop());

const file = mixedRows({ rows: 20, different: 20 });
const depsWith = (store: ObjectStore, maxDatasets = 10): WorkDeps => ({
  database: world.db.database,
  objects: store,
  tempDir: world.tempDir,
  bounds: {
    maxRows: 1_000,
    maxTextBytes: 1e8,
    maxRowBytes: 1e6,
    maxColumns: 100,
    maxExamples: 1_000,
    maxDatasets,
    maxVersions: 10,
  },
  tokenCounterFor: async () => null,
});

async function uploaded(dataset?: string, client = text): Promise<string> {
  const { id } = await client.create({ name: 'a.jsonl', size: file.length, ...(dataset && { dataset }) });
  await client.put(id, file);
  return id;
}

async function confirm(id: string): Promise<void> {
  const { preview_token } = await text.preview(id, { mapping, options: { on_invalid: 'skip' } });
  await text.demand('POST', `imports/${id}/confirm`, { preview_token });
}

/** Two workers have died at it: one more may. */
const endanger = (id: string) => world.db.database.query('update imports set attempts = 2 where id = $1', [id]);

test('an object store that is away is no death of a worker: the import goes on when it is back', async () => {
  const id = await uploaded();
  await endanger(id);
  const away = { ...objects, get: () => Promise.reject(fault('service_unavailable')) };
  await assert.rejects(runImport(depsWith(away), id), { fault: 'service_unavailable' });
  await runImport(depsWith(objects), id);
  assert.equal((await text.read(id)).state, 'ready');
});

test('however often an import finds its object store away, it keeps no more rows of objects than for one try', async () => {
  const id = await uploaded();
  const objectsOf = async () => {
    const rows = await world.db.database.query('select key from import_parts where import_id = $1', [id]);
    return rows.length;
  };
  const away = { ...objects, put: () => Promise.reject(fault('service_unavailable')) };
  const tryAway = () => assert.rejects(runImport(depsWith(away), id), { fault: 'service_unavailable' });
  await tryAway();
  const afterOne = await objectsOf();
  for (let tries = 0; tries < 5; tries++) await tryAway();
  assert.equal(await objectsOf(), afterOne);
  await runImport(depsWith(objects), id);
  assert.equal((await text.read(id)).state, 'ready');
});

test('after a worker has died at a reading, the next one writes objects of its own', async () => {
  const id = await uploaded();
  const keysOf = async (store: ObjectStore, working: (deps: WorkDeps) => Promise<void>) => {
    const keys = new Set<string>();
    const put: ObjectStore['put'] = (key, ...asked) => {
      keys.add(key);
      return store.put(key, ...asked);
    };
    await working(depsWith({ ...store, put }));
    return keys;
  };
  const away = { ...objects, put: () => Promise.reject(fault('service_unavailable')) };
  const first = await keysOf(away, (deps) => assert.rejects(runImport(deps, id), { fault: 'service_unavailable' }));
  // Nobody lived to give it back.
  await world.db.database.query('update imports set attempts = attempts + 1 where id = $1', [id]);
  const second = await keysOf(objects, (deps) => runImport(deps, id));
  assert.deepEqual([first.size, second.size, first.intersection(second).size], [2, 2, 0]);
});

test('another import that writes into the dataset for long is no death of a worker either', async () => {
  const { id: dataset } = await text.demand<{ id: string }>('POST', 'datasets', { name: 'Both' });
  const id = await uploaded(dataset);
  await runImport(depsWith(objects), id);
  await confirm(id);
  await endanger(id);
  await world.db.database.transaction(async (tx) => {
    await tx.query('select from datasets where id = $1 for update', [dataset]);
    await assert.rejects(runImport(depsWith(objects), id), Busy);
  });
  await runImport(depsWith(objects), id);
  assert.equal((await text.read(id)).state, 'completed');
});

/** Confirms a file that makes a dataset, and does something while a worker writes it. */
async function whileWriting({ maxDatasets }: { maxDatasets?: number }, then: () => Promise<void>): Promise<string> {
  const id = await uploaded();
  await runImport(depsWith(objects), id);
  await confirm(id);
  const [reading, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: ObjectStore = {
    ...objects,
    get: async (...asked) => {
      reading.resolve();
      await goesOn.promise;
      return objects.get(...asked);
    },
  };
  const working = runImport(depsWith(slow, maxDatasets), id);
  try {
    await Promise.race([reading.promise, working]);
    await then();
  } finally {
    goesOn.resolve();
    await working;
  }
  return id;
}

const openDatasets = async () =>
  (await text.demand<{ total_count: number }>('GET', 'datasets?archived=false')).total_count;

test('while an import writes a dataset of its own, others of the project are made and come back from the archive', async () => {
  const { id: old } = await text.demand<{ id: string }>('POST', 'datasets', { name: 'Old' });
  await text.demand('PATCH', `datasets/${old}`, { archived: true });
  const id = await whileWriting({}, async () => {
    await text.demand('PATCH', `datasets/${old}`, { archived: false });
    await text.demand('POST', 'datasets', { name: 'New' });
  });
  assert.equal((await text.read(id)).state, 'completed');
});

test('a project that has become full meanwhile gets no further dataset by an import', async () => {
  const before = await openDatasets();
  const id = await whileWriting({ maxDatasets: before + 1 }, async () => {
    await text.demand('POST', 'datasets', { name: 'The last one' });
  });
  const { state, error } = await text.read(id);
  assert.deepEqual([state, error?.code], ['failed', 'dataset_unavailable']);
  assert.equal(await openDatasets(), before + 1);
});

/** Of another account. */
async function otherClient(): Promise<ImportClient> {
  const { db, app } = world;
  const { accountId, slug } = await seedAccount(db.database);
  const { key } = await seedKey(db.database, { accountId });
  const { slug: project } = await seedProject(db.database, { accountId, kind: 'text' });
  return importClient({ origin: app.origin, key, project: `${slug}/${project}` });
}

test('accounts have their files read in turn: one file does not wait for all files of somebody else', async () => {
  const [one, other] = [await otherClient(), await otherClient()];
  const [first, second, third] = [
    await uploaded(undefined, one),
    await uploaded(undefined, one),
    await uploaded(undefined, one),
  ];
  const alone = await uploaded(undefined, other);
  const waiting = await world.db.database.query<{ id: string }>(
    `select data->>'importId' as id from fanfold_jobs.job
      where name = 'imports.work' and data->>'importId' = any($1) order by priority desc, created_on`,
    [[first, second, third, alone]],
  );
  assert.deepEqual(
    waiting.map(({ id }) => id),
    [first, alone, second, third],
  );
});
