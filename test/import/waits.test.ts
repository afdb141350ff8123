import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fault } from '#kernel';
import { type ObjectStore, openFolderStore } from '#objects';
import type { WorkDeps } from '../../src/datasets/imports/worker/room.ts';
import { Busy, work } from '../../src/datasets/imports/worker/work.ts';
import type { ImportClient } from './import-client.ts';
import { createImportWorld, type ImportWorld } from './import-world.ts';
import { mapping, mixedRows } from './mixed-rows.ts';

let world: ImportWorld;
let text: ImportClient;
let objects: ObjectStore;
before(async () => {
  // What workers do is done here.
  world = await createImportWorld({ settings: { FANFOLD_ROLES: 'serve' } });
  text = world.text;
  objects = openFolderStore(path.join(world.keptDir, '..'));
});
after(() => world?.stop());

const file = mixedRows({ rows: 20, different: 20 });
const depsWith = (store: ObjectStore): WorkDeps => ({
  ...{ database: world.db.database, objects: store, tempDir: world.tempDir, keptDir: world.keptDir },
  bounds: {
    ...{ maxRows: 1_000, maxTextBytes: 1e8, maxRowBytes: 1e6, maxColumns: 100 },
    ...{ maxExamples: 1_000, maxDatasets: 10, maxVersions: 10 },
  },
  rulerOf: () => null,
  surveyRulerOf: async () => null,
});

async function uploaded(dataset?: string): Promise<string> {
  const { id } = await text.create({ name: 'a.jsonl', size: file.length, ...(dataset && { dataset }) });
  await text.put(id, file);
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
  await assert.rejects(work(depsWith(away), id), { fault: 'service_unavailable' });
  await work(depsWith(objects), id);
  assert.equal((await text.read(id)).state, 'ready');
});

test('another import that writes into the dataset for long is no death of a worker either', async () => {
  const { id: dataset } = await text.demand<{ id: string }>('POST', 'datasets', { name: 'Both' });
  const id = await uploaded(dataset);
  await work(depsWith(objects), id);
  await confirm(id);
  await endanger(id);
  await world.db.database.transaction(async (tx) => {
    await tx.query('select from datasets where id = $1 for update', [dataset]);
    await assert.rejects(work(depsWith(objects), id), Busy);
  });
  await work(depsWith(objects), id);
  assert.equal((await text.read(id)).state, 'completed');
});
