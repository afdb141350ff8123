import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { childrenOf, commandOf } from '#test/processes.ts';
import type { ImportClient, WireImport } from './import-client.ts';
import { createImportWorld, type ImportWorld } from './import-world.ts';

let world: ImportWorld;
let text: ImportClient;
before(async () => {
  world = await createImportWorld();
  text = world.text;
});
after(() => world?.stop());

const rows = 3_000;
const file = Buffer.from(
  Array.from({ length: rows }, (_, n) =>
    JSON.stringify({ prompt: `What comes after ${n}?`, completion: `It is ${n + 1}.` }),
  ).join('\n'),
);

const workers = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('imports/worker/child.ts'));

function killWorkers(): number {
  const pids = workers();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return pids.length;
}

/** Kills whatever works, once in every round, until the import is where it should be. */
async function killWhile(id: string, { kills, until }: { kills: number; until: string }): Promise<WireImport> {
  for (let killed = 0; killed < kills; ) {
    await sleep(Math.random() * 900);
    const { state } = await text.read(id);
    if (state === until) break;
    killed += killWorkers() > 0 ? 1 : 0;
  }
  return text.until(id, until);
}

test('a worker that is killed at any moment leaves all of an import or nothing, and another one ends it once', async () => {
  const { id } = await text.create({ name: 'a.jsonl', size: file.length });
  await text.put(id, file);
  await killWhile(id, { kills: 1, until: 'ready' });
  const { preview_token } = await text.preview(id);
  await text.demand('POST', `imports/${id}/confirm`, { preview_token });
  const done = await killWhile(id, { kills: 1, until: 'completed' });
  assert.equal(done.result?.examples_added, rows);
  const { total_count } = await text.demand<{ total_count: number }>(
    'GET',
    `datasets/${done.dataset_id}/examples?limit=1`,
  );
  const versions = await text.demand<{ total_count: number }>('GET', `dataset-versions?dataset_id=${done.dataset_id}`);
  assert.deepEqual([total_count, versions.total_count], [rows, 1]);
  const datasets = await text.demand<{ total_count: number }>('GET', 'datasets');
  assert.equal(datasets.total_count, 1);
});

test('a file that every worker dies of fails, and makes nothing', async () => {
  const { id } = await text.create({ name: 'a.jsonl', size: file.length });
  const before = await text.demand<{ total_count: number }>('GET', 'datasets');
  await world.db.database.query('update imports set attempts = 3 where id = $1', [id]);
  await text.put(id, file);
  const failed = await text.until(id, 'failed', 'ready');
  assert.deepEqual([failed.state, failed.error?.code], ['failed', 'worker_lost']);
  assert.deepEqual(await text.demand('GET', 'datasets'), before);
});

/** An attempt has begun, has failed, and does not count. */
async function isGivenBack(id: string): Promise<boolean> {
  const rows = await world.db.database.query(
    `select from imports where id = $1 and state = 'profiling' and attempts = 0`,
    [id],
  );
  return rows.length > 0;
}

test('a disk that takes no more is not held against the file, which is read once it does', {
  timeout: 120_000,
}, async () => {
  const { id } = await text.upload('a.jsonl', file);
  const drafts = path.join(world.objectsDir, '.unfinished');
  await rm(drafts, { recursive: true });
  await writeFile(drafts, 'no folder');
  await text.demand('POST', `imports/${id}/profile`, { encoding: 'utf-8' });
  while (!(await isGivenBack(id))) await sleep(50);
  await rm(drafts);
  const { state } = await text.until(id, 'ready', 'failed');
  assert.equal(state, 'ready');
});

test('an import is canceled while it is written, and nothing of it is there', async () => {
  const { id } = await text.upload('a.jsonl', file);
  const { preview_token } = await text.preview(id);
  const before = await text.demand<{ total_count: number }>('GET', 'datasets');
  await text.demand('POST', `imports/${id}/confirm`, { preview_token });
  await text.demand('POST', `imports/${id}/cancel`);
  const canceled = await text.until(id, 'canceled');
  assert.equal(canceled.result, null);
  assert.equal((await text.demand<{ total_count: number }>('GET', 'datasets')).total_count, before.total_count);
});

test('what a worker that was killed has left on the disk goes when its import is over, and nothing else', async () => {
  const over = await text.upload('a.jsonl', file);
  const waiting = await text.upload('a.jsonl', file);
  await text.demand('POST', `imports/${over.id}/cancel`);
  const strangers = ['imp_01KAXR6D4F6H8K0M2P4R6T8V0X', 'folder', 'notes.txt'];
  for (const name of [over.id, waiting.id, ...strangers]) {
    await mkdir(path.join(world.tempDir, name), { recursive: true });
    await writeFile(path.join(world.tempDir, name, 'file.parquet'), 'PAR1');
  }
  await world.sweep();
  assert.deepEqual((await readdir(world.tempDir)).sort(), [waiting.id, ...strangers].sort());
});

test('while the object store is away, what does not need it is swept, and the rest is once it is back', async () => {
  const { database } = world.db;
  const over = await text.upload('a.jsonl', file);
  await text.demand('POST', `imports/${over.id}/cancel`);
  await database.query(`update imports set finished_at = now() - interval '25 hours' where id = $1`, [over.id]);
  await mkdir(path.join(world.tempDir, over.id), { recursive: true });
  const away = new Error('The store is away.');
  await assert.rejects(world.sweep({ remove: () => Promise.reject(away) }), away);
  assert.ok(!(await readdir(world.tempDir)).includes(over.id));
  const parts = () => database.query('select from import_parts where import_id = $1', [over.id]);
  assert.ok((await parts()).length > 0);
  await world.sweep();
  assert.deepEqual(await parts(), []);
});

/** The most memory that any worker has taken, MB. */
const peakMb = () =>
  Math.max(
    0,
    ...workers().map(
      (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    ),
  );

const big = 30_000_000;
const bombs: [string, string, () => Buffer, string][] = [
  [
    'a packed file of spaces',
    'a.jsonl.gz',
    () => gzipSync(Buffer.concat([Buffer.from('{"prompt":"a","completion":"b"}\n'), Buffer.alloc(300_000_000, ' ')])),
    'bad_compression',
  ],
  ['one line without end', 'a.jsonl', () => Buffer.alloc(big, 'x'), 'wrong_format'],
  ['one line of brackets', 'a.jsonl', () => Buffer.from(`{"a":${'['.repeat(big)}`), 'ready'],
  ['one item of brackets', 'a.json', () => Buffer.from(`[${'['.repeat(big)}`), 'unreadable'],
  ['a quote without end', 'a.csv', () => Buffer.from(`a,b\n1,"${'x'.repeat(big)}`), 'row_too_large'],
  ['a million columns', 'a.csv', () => Buffer.from(`${'abc,'.repeat(900_000)}\n1\n`), 'too_many_columns'],
  [
    'a million fields',
    'a.jsonl',
    () => Buffer.from(`{${Array.from({ length: 200_000 }, (_, n) => `"f${n}":1`).join(',')}}\n`),
    'ready',
  ],
];

for (const [what, name, make, outcome] of bombs)
  test(`${what} gets a clear answer in bounded memory`, async () => {
    const result = await text.upload(name, make());
    assert.equal(result.error?.code ?? result.state, outcome, JSON.stringify(result.error));
    assert.ok(peakMb() < 400, `${peakMb()} MB`);
  });
