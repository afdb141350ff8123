import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AdapterFolder, cleanFolder, draftOf, markUsed } from './adapter-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'fanfold-cleanup-'));
after(() => rmSync(root, { recursive: true, force: true }));

const day = 86_400_000;
const now = Date.now();
const nameOf = (letter: string) => letter.repeat(64);

function put(folder: string, name: string, agoMs: number): void {
  const path = join(folder, name);
  if (name.endsWith('.gguf')) writeFileSync(path, 'GGUF');
  else {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'adapter_config.json'), '{}');
  }
  utimesSync(path, (now - agoMs) / 1_000, (now - agoMs) / 1_000);
}

const emptyFolder = () => mkdtempSync(join(root, 'shared-'));

function sharedOf(folder: string, { there = folder } = {}): AdapterFolder {
  const writePeft = async (_: string, into: string) => writeFileSync(join(into, 'adapter_config.json'), '{}');
  return new AdapterFolder({ here: folder, there }, { source: { writePeft }, onCleanupError: assert.ifError });
}

const seen = (folder: string) => readdirSync(folder).toSorted();

test('adapters that no server has used for a month go, those that were used stay, and so does what is not ours', async () => {
  const folder = emptyFolder();
  put(folder, nameOf('a'), 31 * day);
  put(folder, `${nameOf('b')}.gguf`, 31 * day);
  put(folder, nameOf('c'), 29 * day);
  put(folder, `${nameOf('d')}.gguf`, 29 * day);
  const others = ['models', 'base.gguf', `${nameOf('e')}.safetensors.gguf`, `.${nameOf('e')}`, 'A'.repeat(64)];
  for (const name of others) put(folder, name, 400 * day);
  await cleanFolder(folder, now);
  assert.deepEqual(seen(folder), [nameOf('c'), `${nameOf('d')}.gguf`, ...others].toSorted());
});

test('drafts go a day after their process has died', async () => {
  const folder = emptyFolder();
  const young = draftOf('', nameOf('a'));
  put(folder, young, 0);
  put(folder, draftOf('', nameOf('a')), 2 * day);
  put(folder, draftOf('', `${nameOf('b')}.gguf`), 2 * day);
  await cleanFolder(folder, now);
  assert.deepEqual(seen(folder), [young]);
});

test('several may clean up at once, and what is marked or written meanwhile is there in the end', async () => {
  for (let round = 0; round < 20; round++) {
    const folder = emptyFolder();
    for (const letter of 'abcdef') put(folder, nameOf(letter), 31 * day);
    const used = sharedOf(folder);
    const cleanups = [0, 1, 2].map(() => cleanFolder(folder, now));
    await used.writePeft({ sha256: nameOf('f'), path: '' });
    await Promise.all(cleanups);
    // A mark that came while the adapter was aside may have missed it: whoever uses it looks again.
    if (!(await markUsed(join(folder, nameOf('f'))))) await used.writePeft({ sha256: nameOf('f'), path: '' });
    await cleanFolder(folder, now + 2 * day);
    assert.deepEqual(seen(folder), [nameOf('f')]);
    assert.deepEqual(readdirSync(join(folder, nameOf('f'))), ['adapter_config.json']);
  }
});

test('whoever writes an adapter cleans up', async () => {
  const folder = emptyFolder();
  put(folder, nameOf('a'), 31 * day);
  put(folder, nameOf('b'), 0);
  assert.equal(
    await sharedOf(folder, { there: '/mnt' }).writePeft({ sha256: nameOf('c'), path: '' }),
    `/mnt/${nameOf('c')}`,
  );
  assert.deepEqual(seen(folder), [nameOf('b'), nameOf('c')]);
});
