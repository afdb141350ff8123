import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { OperatorError } from '#kernel';
import { loadConfig } from '../config.ts';
import { openObjects } from './object-store.ts';

const placeOf = (text: string) => loadConfig({ FANFOLD_OBJECT_STORE: text }).objectStore;

test('objects live in the data folder, or in a bucket under a prefix', () => {
  assert.equal(loadConfig({}).objectStore, null);
  assert.equal(placeOf('folder'), null);
  assert.deepEqual(placeOf('s3://models'), { bucket: 'models', prefix: '' });
  assert.deepEqual(placeOf('s3://models/fanfold/'), { bucket: 'models', prefix: 'fanfold/' });
  assert.deepEqual(placeOf('s3://models/a//b'), { bucket: 'models', prefix: 'a/b/' });
  for (const text of ['s3://', 's3://UPPER', 's3://models/..%2f', 'disk', 'https://models'])
    assert.throws(() => placeOf(text), /FANFOLD_OBJECT_STORE must be folder or s3:/, text);
});

test('a folder is there after the start, and one that cannot be written stops it', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fanfold-objects-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const config = { ...loadConfig({}), dataDir };
  const objects = await openObjects(config);
  const { bytes } = await objects.put('a/b', Readable.from(['abc']));
  assert.deepEqual([bytes, await objects.size('a/b')], [3, 3]);
  await writeFile(join(dataDir, 'file'), '');
  await assert.rejects(openObjects({ ...config, dataDir: join(dataDir, 'file') }), OperatorError);
});

test('credentials come whole, also from files, or from the SDK', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-secrets-'));
  t.after(() => rm(folder, { recursive: true }));
  const bucket = { FANFOLD_OBJECT_STORE: 's3://models', FANFOLD_S3_ENDPOINT: 'http://127.0.0.1:9' };
  const half = loadConfig({ ...bucket, FANFOLD_S3_ACCESS_KEY_ID: 'id' });
  await assert.rejects(openObjects(half), /belong together/);
  await assert.rejects(openObjects({ ...half, objectStore: null }), /belong together/, 'also before they are used');
  const nowhere = loadConfig({ ...bucket, FANFOLD_S3_ACCESS_KEY_ID_FILE: join(folder, 'nowhere') });
  await assert.rejects(openObjects(nowhere), /cannot be read/);
  await writeFile(join(folder, 'secret'), 'very secret\n');
  const files = { FANFOLD_S3_ACCESS_KEY_ID: 'id', FANFOLD_S3_SECRET_ACCESS_KEY_FILE: join(folder, 'secret') };
  // Nobody listens there: the bucket cannot be used, and the secret is not told.
  await assert.rejects(openObjects(loadConfig({ ...bucket, ...files })), (error) => {
    assert.ok(error instanceof OperatorError);
    assert.match(error.message, /^The bucket models cannot be used at http:\/\/127\.0\.0\.1:9: \w.*[^.]\.$/);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
});
