import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startEmbedded } from './embedded.ts';
import { lastLogError } from './postmaster.ts';

test('a data folder that lacks something is refused in one line, and serves again when that is back', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fanfold-broken-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const start = () => startEmbedded({ dataDir, othersMs: 0, attemptPauseMs: 50 });
  await (await start()).stop();
  const refused = (message: RegExp) => assert.rejects(start, { name: 'OperatorError', message });

  await t.test('its password', async () => {
    const file = join(dataDir, 'postgres', 'password');
    const password = await readFile(file, 'utf8');
    await writeFile(file, 'of another');
    await refused(/^PostgreSQL does not start: .*password authentication failed/);
    await writeFile(file, password);
  });

  for (const [name, message] of [
    ['PG_VERSION', /cluster is not a database: it has no file PG_VERSION\.$/],
    [join('global', 'pg_control'), /^PostgreSQL does not start: .*could not find the database system/],
  ] as const)
    await t.test(name, async () => {
      const file = join(dataDir, 'postgres', 'cluster', name);
      await rename(file, `${file}.away`);
      await refused(message);
      await rename(`${file}.away`, file);
    });

  await t.test('and removes what starts left that were killed while they made it, but no copy of it', async () => {
    const folder = join(dataDir, 'postgres');
    await mkdir(join(folder, 'unfinished-cluster.aB3xYz', 'base'), { recursive: true });
    await writeFile(join(folder, 'unfinished-cluster.aB3xYz.password'), '');
    await mkdir(join(folder, 'cluster.backup'));
    await (await start()).stop();
    assert.deepEqual((await readdir(folder)).sort(), ['cluster', 'cluster.backup', 'password', 'server.log']);
  });
});

test('a full disk is named as the reason, because PostgreSQL could not write it down', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-full-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'server.log'), 'PANIC:  could not wri');
  const errorWith = (bytes: number) => lastLogError({ folder }, async () => bytes);
  assert.equal(await errorWith(2_500_000), `its disk is full: 2 MB are left for ${folder}.`);
  assert.equal(await errorWith(1e9), 'PANIC:  could not wri');
});
