import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AdapterFolder } from './adapter-folder.ts';
import { draftOf, markUsed, sweepFolder } from './sweep-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'fanfold-sweep-'));
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

/** A folder in which servers have marked uses for so long. */
async function marked(days: number): Promise<string> {
  const folder = mkdtempSync(join(root, 'shared-'));
  await sweepFolder(folder, now - days * day);
  return folder;
}

function sharedOf(folder: string, { there = folder } = {}): AdapterFolder {
  const writePeft = async (_: string, into: string) => writeFileSync(join(into, 'adapter_config.json'), '{}');
  return new AdapterFolder({ here: folder, there }, { source: { writePeft }, onTrouble: assert.ifError });
}

const seen = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== '.fanfold-marks-uses')
    .toSorted();

test('adapters that no server has used for a month go, those that were used stay, and so does what is not ours', async () => {
  const folder = await marked(40);
  put(folder, nameOf('a'), 31 * day);
  put(folder, `${nameOf('b')}.gguf`, 31 * day);
  put(folder, nameOf('c'), 29 * day);
  put(folder, `${nameOf('d')}.gguf`, 29 * day);
  const others = ['models', 'base.gguf', `${nameOf('e')}.safetensors.gguf`, `.${nameOf('e')}`, 'A'.repeat(64)];
  for (const name of others) put(folder, name, 400 * day);
  await sweepFolder(folder, now);
  assert.deepEqual(seen(folder), [nameOf('c'), `${nameOf('d')}.gguf`, ...others].toSorted());
});

test('drafts, and what was put aside, go a day after their process has died', async () => {
  const folder = await marked(0);
  const young = draftOf('', nameOf('a'));
  put(folder, young, 0);
  put(folder, draftOf('', nameOf('a')), 2 * day);
  put(folder, draftOf('', `${nameOf('b')}.gguf`), 2 * day);
  const aside = `${draftOf('', nameOf('c'))}.${now}`;
  put(folder, aside, 40 * day);
  put(folder, `${draftOf('', nameOf('c'))}.${now - 2 * day}`, 40 * day);
  await sweepFolder(folder, now);
  assert.deepEqual(seen(folder), [young, aside].toSorted());
});

test('where uses have not been marked for a month nothing is removed: it may be in use', async () => {
  const folder = await marked(29);
  put(folder, nameOf('a'), 400 * day);
  await sweepFolder(folder, now);
  assert.deepEqual(seen(folder), [nameOf('a')]);
  await sweepFolder(folder, now + 2 * day);
  assert.deepEqual(seen(folder), []);
});

test('several may sweep at once, and what is marked or brought meanwhile is there in the end', async () => {
  for (let round = 0; round < 20; round++) {
    const folder = await marked(40);
    for (const letter of 'abcdef') put(folder, nameOf(letter), 31 * day);
    const used = sharedOf(folder);
    const sweeps = [0, 1, 2].map(() => sweepFolder(folder, now));
    await used.bringPeft({ sha256: nameOf('f'), path: '' });
    await Promise.all(sweeps);
    // A mark that came in the moment in which the adapter was aside may have missed it: whoever uses it looks again.
    if (!(await markUsed(join(folder, nameOf('f'))))) await used.bringPeft({ sha256: nameOf('f'), path: '' });
    await sweepFolder(folder, now + 2 * day);
    assert.deepEqual(seen(folder), [nameOf('f')]);
    assert.deepEqual(readdirSync(join(folder, nameOf('f'))), ['adapter_config.json']);
  }
});

test('whoever brings an adapter sweeps', async () => {
  const folder = await marked(40);
  put(folder, nameOf('a'), 31 * day);
  put(folder, nameOf('b'), 0);
  assert.equal(
    await sharedOf(folder, { there: '/mnt' }).bringPeft({ sha256: nameOf('c'), path: '' }),
    `/mnt/${nameOf('c')}`,
  );
  assert.deepEqual(seen(folder), [nameOf('b'), nameOf('c')]);
});
