import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { type ObjectStore, openFolderStore } from '#objects';
import { createAdapterFiles } from './adapter-files.ts';

let root: string;
let objects: ObjectStore;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'fanfold-adapters-'));
  objects = openFolderStore(join(root, 'objects'));
});

after(() => rm(root, { recursive: true, force: true }));

const bytes = 1_000;

/** Adapters in the object store, each of another letter. */
async function stored(...letters: string[]) {
  const make = async (letter: string) => {
    const key = `adapters/${letter}`;
    const { sha256 } = await objects.put(key, Readable.from([Buffer.alloc(bytes, letter)]));
    return { sha256, key };
  };
  return Promise.all(letters.map(make));
}

/** A folder that has room for two of them. */
function roomForTwo(name: string) {
  const folder = join(root, name);
  const open = () => createAdapterFiles({ objects, folder, maxBytes: 2 * bytes, trustMs: 0 });
  const pathOf = (sha256: string) => join(folder, `${sha256}.gguf`);
  const age = async (sha256: string, minutes: number) => {
    const then = new Date(Date.now() - minutes * 60_000);
    await utimes(pathOf(sha256), then, then);
  };
  return { folder, open, pathOf, age, names: async () => (await readdir(folder)).toSorted() };
}

test('the adapter that was used least lately goes when there are too many, and comes back when it is needed', async () => {
  const [one, two, three] = await stored('a', 'b', 'c');
  assert.ok(one && two && three);
  const { open, pathOf, age, names, folder } = roomForTwo('least');
  const files = open();
  const adapter = await files.fetch(one);
  await files.fetch(two);
  await age(one.sha256, 180);
  await age(two.sha256, 120);
  await files.fetch(three);
  assert.deepEqual(await names(), [`${two.sha256}.gguf`, `${three.sha256}.gguf`].toSorted());
  await files.provideFile(adapter);
  assert.equal(
    createHash('sha256')
      .update(await readFile(pathOf(one.sha256)))
      .digest('hex'),
    one.sha256,
  );
  assert.deepEqual(await names(), [`${one.sha256}.gguf`, `${three.sha256}.gguf`].toSorted());

  // Of a process that died long ago.
  const draft = join(folder, `.${two.sha256}.0123`);
  await writeFile(draft, '');
  await utimes(draft, 0, 0);
  await files.fetch(two);
  assert.ok(!(await names()).some((name) => name.startsWith('.')));
});

test('an adapter that was used within the hour stays, also when another server used it', async () => {
  const [one, two, three] = await stored('d', 'e', 'f');
  assert.ok(one && two && three);
  const { open, age, names } = roomForTwo('shared');
  const [here, there] = [open(), open()];
  await here.fetch(one);
  const adapter = await there.fetch(two);
  await age(one.sha256, 30);
  await age(two.sha256, 600);
  await there.provideFile(adapter);
  await here.fetch(three);
  assert.equal((await names()).length, 3);
});

test('an adapter that was damaged on this machine is brought anew by the next server, and one that is whole is not', async () => {
  const [one, two] = await stored('g', 'h');
  assert.ok(one && two);
  const { open, pathOf } = roomForTwo('damaged');
  const files = open();
  await files.fetch(one);
  await files.fetch(two);
  for (const damaged of ['', 'gg', `${'g'.repeat(bytes - 1)}G`]) {
    await writeFile(pathOf(one.sha256), damaged);
    await open().fetch(one);
    assert.equal(await readFile(pathOf(one.sha256), 'utf8'), 'g'.repeat(bytes));
  }
  // Nothing is fetched where it is whole.
  await objects.remove(two.key);
  await open().fetch(two);
});
