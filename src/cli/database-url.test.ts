import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../config.ts';
import { databaseUrlCommand } from './use-database.ts';

test('no address is printed of an embedded database that does not run, and none is made', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fanfold-url-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  await assert.rejects(databaseUrlCommand({ ...loadConfig(), databaseUrl: null, dataDir }), {
    name: 'OperatorError',
    message: /^No server runs on the data folder /,
  });
  assert.deepEqual(await readdir(dataDir), []);
});
