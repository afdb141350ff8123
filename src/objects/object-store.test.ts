import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { Fault, isUnavailableFault } from '#kernel';
import { startS3Server } from '#test/object-server.ts';
import { openFolderStore } from './folder-store.ts';
import type { ListedObject, ObjectStore } from './object-store.ts';
import { openS3Store } from './s3-store.ts';

type Opened = { store: ObjectStore; end: () => Promise<void> };

async function openFolder(): Promise<Opened> {
  const root = await mkdtemp(path.join(tmpdir(), 'fanfold-objects-'));
  return { store: openFolderStore(root), end: () => rm(root, { recursive: true }) };
}

async function openS3(): Promise<Opened> {
  const { stop, ...place } = await startS3Server();
  const store = openS3Store(place);
  return {
    store,
    end: async () => {
      await store.close();
      await stop();
    },
  };
}

const isMissing = (error: unknown) => error instanceof Fault && error.fault === 'artifact_not_found';
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

for (const [name, open] of [
  ['folder', openFolder],
  ['S3', openS3],
] as const)
  describe(`objects in ${name}`, () => {
    let opened: Opened;
    before(async () => {
      opened = await open();
      await opened.store.check();
    });
    after(() => opened.end());

    test('an object is read back byte for byte, whole and in ranges, also when it takes several parts', async () => {
      const { store } = opened;
      const bytes = randomBytes(17 * 1024 * 1024);
      const stored = await store.put(
        'imports/imp_1/content',
        Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)]),
      );
      assert.deepEqual(stored, { bytes: bytes.length, sha256: sha256(bytes) });
      assert.equal(await store.size('imports/imp_1/content'), bytes.length);
      assert.ok(bytes.equals(await buffer(await store.get('imports/imp_1/content'))));
      const part = await buffer(await store.get('imports/imp_1/content', { start: 999, end: 1001 }));
      assert.ok(part.equals(bytes.subarray(999, 1002)));
    });

    test('a source that fails or is given up leaves nothing, and an earlier object whole', async () => {
      const { store } = opened;
      await store.put('a/kept', Readable.from([Buffer.from('first')]));
      for (const key of ['a/kept', 'a/new']) {
        const failing = Readable.from(
          (async function* () {
            yield randomBytes(100_000);
            throw new Error('the caller left');
          })(),
        );
        await assert.rejects(store.put(key, failing), /the caller left/);
        const endless = Readable.from(
          (async function* () {
            for (;;) yield randomBytes(100_000);
          })(),
        );
        await assert.rejects(store.put(key, endless, { signal: AbortSignal.timeout(200) }));
      }
      assert.equal((await buffer(await store.get('a/kept'))).toString(), 'first');
      assert.equal(await store.size('a/new'), null);
      await assert.rejects(store.get('a/new'), isMissing);
    });

    test('a second object replaces the first; empty objects are objects', async () => {
      const { store } = opened;
      await store.put('b', Readable.from([Buffer.from('long content')]));
      await store.put('b', Readable.from([Buffer.from('short')]));
      assert.equal((await buffer(await store.get('b'))).toString(), 'short');
      assert.deepEqual(await store.put('empty', Readable.from([])), { bytes: 0, sha256: sha256(Buffer.alloc(0)) });
      assert.equal(await store.size('empty'), 0);
    });

    test('what is removed is gone, and nothing beside it', async () => {
      const { store } = opened;
      for (const key of ['c/1', 'c/10', 'c/2']) await store.put(key, Readable.from([Buffer.from(key)]));
      await store.remove('c/1');
      await store.remove('c/never');
      const sizes = await Promise.all(['c/1', 'c/10', 'c/2'].map((key) => store.size(key)));
      assert.deepEqual(sizes, [null, 4, 3]);
    });

    test('what cannot be read is no object, and ends nothing but its own storing', async () => {
      const { store } = opened;
      for (let n = 0; n < 20; n++)
        await assert.rejects(store.put('g/1', createReadStream(path.join(tmpdir(), 'not', 'there'))), {
          code: 'ENOENT',
        });
      assert.equal(await store.size('g/1'), null);
    });

    test('a list has every object once with its size and age, some at a time, and nothing else', async () => {
      const { store } = opened;
      const keys = Array.from({ length: 25 }, (_, n) => `d/${n % 3}/${n}`);
      for (const key of keys) await store.put(key, Readable.from([Buffer.from(key)]));
      const listed: ListedObject[] = [];
      for await (const page of store.list({ atOnce: 10 })) {
        assert.ok(page.length <= 10);
        listed.push(...page);
      }
      const those = listed.filter(({ key }) => key.startsWith('d/'));
      assert.deepEqual(those.map(({ key }) => key).toSorted(), keys.toSorted());
      for (const { key, bytes, changedMs } of those) {
        assert.equal(bytes, Buffer.byteLength(key));
        assert.ok(Math.abs(Date.now() - changedMs) < 3_600_000);
      }
      for (const { key } of listed) assert.notEqual(await store.size(key), null, key);
    });

    test('a key never leaves its place', async () => {
      for (const key of ['../x', 'a/../x', '/x', 'a//x', '', '.', 'a/.hidden', 'a\\b', 'a\0b', 'ä'])
        await assert.rejects(async () => opened.store.size(key), /not the key/, key);
    });
  });

test('a folder that is not there has no objects, and what is no object is none', async (t) => {
  const root = await mkdtemp(path.join(tmpdir(), 'fanfold-objects-'));
  t.after(() => rm(root, { recursive: true }));
  const keysOf = async (store: ObjectStore) => {
    const pages = await Array.fromAsync(store.list());
    return pages.flat().map(({ key }) => key);
  };
  assert.deepEqual(await keysOf(openFolderStore(path.join(root, 'none'))), []);
  const store = openFolderStore(root);
  await store.check();
  await store.put('a/b', Readable.from([Buffer.from('x')]));
  await writeFile(path.join(root, '.unfinished', 'part'), 'x');
  await writeFile(path.join(root, 'a', '.hidden'), 'x');
  await symlink(path.join(root, 'a', 'b'), path.join(root, 'a', 'link'));
  assert.deepEqual(await keysOf(store), ['a/b']);
});

test('a folder is rid of what processes were writing that are long dead, and of nothing else', async (t) => {
  const root = await mkdtemp(path.join(tmpdir(), 'fanfold-objects-'));
  t.after(() => rm(root, { recursive: true }));
  const store = openFolderStore(root);
  await store.check();
  const drafts = path.join(root, '.unfinished');
  for (const name of ['old', 'new']) await writeFile(path.join(drafts, name), 'part');
  await utimes(path.join(drafts, 'old'), 0, 0);
  await store.check();
  assert.deepEqual(await readdir(drafts), ['new']);
});

test('removed objects leave no folders behind, and those of other objects stay', async (t) => {
  const root = await mkdtemp(path.join(tmpdir(), 'fanfold-objects-'));
  t.after(() => rm(root, { recursive: true }));
  const store = openFolderStore(root);
  const put = (key: string) => store.put(key, Readable.from([Buffer.from('x')]));
  for (const key of ['a/b/c/one', 'a/b/two', 'd/three']) await put(key);
  await store.remove('a/b/c/one');
  await store.remove('d/three');
  await store.remove('d/three');
  await store.remove('never/was/there');
  assert.deepEqual((await readdir(root, { recursive: true })).sort(), ['.unfinished', 'a', 'a/b', 'a/b/two']);
  await store.remove('a/b/two');
  assert.deepEqual(await readdir(root), ['.unfinished']);
});

test('an object is stored whole while others of its folder are removed', async (t) => {
  const root = await mkdtemp(path.join(tmpdir(), 'fanfold-objects-'));
  t.after(() => rm(root, { recursive: true }));
  const store = openFolderStore(root);
  const put = (key: string) => store.put(key, Readable.from([Buffer.from(key)]));
  for (let n = 0; n < 40; n++) {
    await put(`a/b/old-${n}`);
    const removals = [`a/b/old-${n}`, 'a/b/none', 'a/none'].map((key) => store.remove(key));
    await Promise.all([put(`a/b/new-${n}`), put(`a/other-${n}`), ...removals]);
    for (const key of [`a/b/new-${n}`, `a/other-${n}`]) {
      assert.equal((await buffer(await store.get(key))).toString(), key);
      await store.remove(key);
    }
  }
  assert.deepEqual(await readdir(root), ['.unfinished']);
});

test('a folder without room is as a store that is away, and keeps nothing of what it could not take', async (t) => {
  const root = await mkdtemp(path.join(tmpdir(), 'fanfold-objects-'));
  t.after(() => rm(root, { recursive: true }));
  async function* untilFull() {
    yield Buffer.from('part');
    throw Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' });
  }
  await assert.rejects(openFolderStore(root).put('a/b', Readable.from(untilFull())), isUnavailableFault);
  assert.deepEqual(await readdir(root, { recursive: true }), ['.unfinished']);
});

test('while S3 cannot be reached, whoever asks is told so, and what it refuses is told as it is', async () => {
  const { stop, ...place } = await startS3Server();
  const strange = openS3Store({ ...place, bucket: 'another' });
  await assert.rejects(
    strange.put('a/b', Readable.from([Buffer.from('x')])),
    (error: unknown) => error instanceof Error && !isUnavailableFault(error),
  );
  await strange.close();
  await stop();
  const store = openS3Store(place);
  for (const ask of [
    () => store.put('a/b', Readable.from([Buffer.from('x')])),
    () => store.get('a/b'),
    () => store.size('a/b'),
    () => store.remove('a/b'),
    () => Array.fromAsync(store.list()),
  ])
    await assert.rejects(ask(), isUnavailableFault);
  await store.close();
});

test('credentials that are changed or run out lock nobody out for good, and the start says that they are not taken', async (t) => {
  const { stop, ...place } = await startS3Server();
  const credentials = { accessKeyId: place.credentials?.accessKeyId ?? '', secretAccessKey: 'the one before' };
  const store = openS3Store({ ...place, credentials });
  t.after(async () => {
    await store.close();
    await stop();
  });
  const put = () => store.put('a/b', Readable.from([Buffer.from('x')]));
  for (const ask of [put, () => store.get('a/b'), () => store.size('a/b'), () => store.remove('a/b')])
    await assert.rejects(ask(), isUnavailableFault);
  await assert.rejects(store.check(), /cannot be used at http.*: SignatureDoesNotMatch\.$/);
});

test('an S3 that takes every connection and never answers is unavailable, too', async (t) => {
  const silent = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const place = { bucket: 'bucket', prefix: '', region: 'us-east-1', endpoint: `http://127.0.0.1:${port}` };
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
  const store = openS3Store({ ...place, credentials }, { connectMs: 1_000, answerMs: 50, idleMs: 50 });
  t.after(async () => {
    await store.close();
    silent.close();
  });
  const asks = [
    store.put('a/b', Readable.from([Buffer.from('x')])),
    store.get('a/b'),
    store.size('a/b'),
    store.remove('a/b'),
  ];
  await Promise.all(asks.map((ask) => assert.rejects(ask, isUnavailableFault)));
  await assert.rejects(store.check(), { name: 'OperatorError' });
});
