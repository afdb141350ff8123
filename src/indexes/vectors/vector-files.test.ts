import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, truncate, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { createVectorFiles } from './vector-files.ts';

let db: TestDatabase;
let folder = '';
before(async () => {
  db = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'fanfold-vectors-'));
});
after(async () => {
  await db.drop();
  await rm(folder, { recursive: true });
});

const dimensions = 4;

/** Stores `documents` vectors in rows of three, each vector its position four times. */
async function store(id: string, documents: number) {
  for (let first = 0; first < documents; first += 3) {
    const count = Math.min(3, documents - first);
    const vectors = Float32Array.from({ length: count * dimensions }, (_, at) => first + Math.floor(at / dimensions));
    await db.database.query(
      'insert into index_vectors (index_id, first_position, count, vectors) values ($1, $2, $3, $4)',
      [id, first, count, Buffer.from(vectors.buffer)],
    );
  }
  return { id, dimensions, documents };
}

const filesWith = (maxBytes: number) => createVectorFiles({ sql: db.database, folder, maxBytes });

test('the file of an index holds every vector at its position, and a damaged or missing one is made anew', async () => {
  const files = filesWith(1e6);
  const index = await store('idx_whole', 500);
  const [file, same] = await Promise.all([files.open(index), files.open(index)]);
  assert.deepEqual(file, same);
  const whole = await readFile(file.path);
  assert.equal(whole.length, 500 * dimensions * 4);
  const read = await files.read(index, [0, 7, 499]);
  assert.deepEqual(
    [...read].map(([position, vector]) => [position, ...vector]),
    [0, 7, 499].map((position) => [position, position, position, position, position]),
  );
  await truncate(file.path, 100);
  await files.open(index);
  assert.ok(whole.equals(await readFile(file.path)));
  await files.forget(index.id);
  await files.open(index);
  assert.ok(whole.equals(await readFile(file.path)));
});

test('files take no more room than they may: those used least lately go', async () => {
  const files = filesWith(2 * 100 * dimensions * 4);
  const [one, two, three] = [await store('idx_1', 100), await store('idx_2', 100), await store('idx_3', 100)];
  await files.open(one);
  await files.open(two);
  const old = new Date(Date.now() - 60_000);
  await utimes(path.join(folder, 'idx_2.f32'), old, old);
  await files.open(three);
  const names = await readdir(folder);
  assert.ok(names.includes('idx_3.f32') && !names.includes('idx_2.f32'));
});

test('indexes that are searched at the same time leave each other their files, however little room there is', async () => {
  const files = filesWith(1);
  const [one, two, three] = [await store('idx_4', 100), await store('idx_5', 100), await store('idx_6', 100)];
  const { path: first } = await files.open(one);
  const { path: second } = await files.open(two);
  await stat(first);
  const old = new Date(Date.now() - 60_000);
  await utimes(first, old, old);
  await utimes(second, old, old);
  await files.open(one);
  await files.open(three);
  await stat(first);
  await assert.rejects(stat(second), { code: 'ENOENT' });
});

test('vectors that are not complete make no file', async () => {
  const files = filesWith(1e6);
  const { id } = await store('idx_holes', 9);
  await assert.rejects(files.open({ id, dimensions, documents: 12 }), /end at position 9/);
  await db.database.query(`delete from index_vectors where index_id = $1 and first_position = 3`, [id]);
  await assert.rejects(files.open({ id, dimensions, documents: 9 }), /not complete at position 3/);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith(id) || name.endsWith('.part')),
    [],
  );
});
