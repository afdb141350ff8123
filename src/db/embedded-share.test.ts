import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { prepareDataFolder } from './data-folder.ts';
import type { Database } from './database.ts';
import { findEmbedded, type SharedDatabase, shareEmbedded, startEmbedded } from './embedded.ts';
import { withMachineLock } from './machine-lock.ts';

const connections = 2;

async function newDataDir(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-shared-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const share = (dataDir: string): Promise<SharedDatabase> => shareEmbedded(dataDir, connections);

/** Work that needs all connections of a command at the same time. */
async function useAll(database: Database): Promise<void> {
  const pids = await Promise.all(
    Array.from({ length: connections }, () =>
      database.query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.05)'),
    ),
  );
  assert.equal(new Set(pids.map(([row]) => row?.pid)).size, connections);
}

const lockFile = (dataDir: string) => join(dataDir, 'postgres', 'cluster', 'postmaster.pid');

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const timeout = AbortSignal.timeout(120_000); !(await isSo()); timeout.throwIfAborted()) await sleep(50);
}

const assertEnds = (dataDir: string) => until(async () => !existsSync(lockFile(dataDir)));
const assertTakesNobody = (dataDir: string) => until(async () => (await findEmbedded(dataDir)) === null);

/** Another process that shares a data folder until it is killed. */
async function startSharer(t: TestContext, dataDir: string): Promise<ChildProcess> {
  const room = JSON.stringify(fileURLToPath(new URL('./embedded.ts', import.meta.url)));
  const program = `
    const { shareEmbedded } = await import(${room});
    await shareEmbedded(${JSON.stringify(dataDir)}, ${connections});
    console.log('shares');
    setInterval(() => {}, 1000);`;
  const sharer = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => sharer.kill('SIGKILL'));
  await Promise.race([once(sharer.stdout, 'data'), once(sharer, 'exit')]);
  return sharer;
}

test('a shared database', async (t) => {
  const dataDir = await newDataDir(t);

  await t.test('serves many that begin at once in a new folder, and leaves no PostgreSQL behind', async () => {
    const made = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const { database, isNew, close } = await share(dataDir);
        await useAll(database);
        await close();
        return isNew;
      }),
    );
    assert.equal(made.filter(Boolean).length, 1);
    await assertEnds(dataDir);
  });

  await t.test('goes on when whoever started it ends, and ends with the last one', async () => {
    const first = await share(dataDir);
    const second = await share(dataDir);
    assert.equal(second.database.url, first.database.url);
    await first.close();
    await useAll(second.database);
    await second.close();
    await assertEnds(dataDir);
  });

  await t.test('goes on when whoever started it is killed', async (t) => {
    const sharer = await startSharer(t, dataDir);
    const { database, close } = await share(dataDir);
    sharer.kill('SIGKILL');
    // Its guard has told PostgreSQL then.
    await assertTakesNobody(dataDir);
    await useAll(database);
    await close();
    await assertEnds(dataDir);
  });

  await t.test('that is left to its last users is started again for whoever comes then', async () => {
    const first = await share(dataDir);
    const second = await share(dataDir);
    await first.close();
    await assertTakesNobody(dataDir);
    const third = share(dataDir);
    await useAll(second.database);
    await second.close();
    const { database, close } = await third;
    await useAll(database);
    await close();
    await assertEnds(dataDir);
  });

  await t.test('of a server that ends lets others finish', async () => {
    const server = await startEmbedded({ dataDir, othersMs: 120_000 });
    const { database, close } = await share(dataDir);
    assert.equal(database.url, server.url);
    await database.query('create table kept (n int)');
    let stopped = Promise.resolve();
    await database.transaction(async (tx) => {
      await tx.query('insert into kept values (1)');
      stopped = server.stop();
      await assertTakesNobody(dataDir);
      await tx.query('insert into kept values (2)');
    });
    await close();
    await stopped;
    const again = await share(dataDir);
    assert.deepEqual(await again.database.query('select n from kept order by n'), [{ n: 1 }, { n: 2 }]);
    await again.close();
    await assertEnds(dataDir);
  });

  await t.test('starts although the process number it kept is that of the PostgreSQL of another by now', async (t) => {
    const folder = await newDataDir(t);
    const other = await share(folder);
    const [pid = ''] = (await readFile(lockFile(folder), 'utf8')).split('\n');
    const lines = [pid, '/somewhere', 1_700_000_000, 1, '', '127.0.0.1', '  123456  7', 'ready   ', ''];
    await writeFile(lockFile(dataDir), lines.join('\n'));
    const owner = await stat(join(dataDir, 'postgres', 'cluster'));
    await chown(lockFile(dataDir), owner.uid, owner.gid);
    const { close } = await share(dataDir).finally(other.close);
    await close();
  });
});

test('a data folder below folders that do not exist can be made by many at once', async (t) => {
  const parent = await newDataDir(t);
  for (let round = 0; round < 10; round++) {
    const folder = join(parent, String(round), 'a', 'b');
    await Promise.all(Array.from({ length: 8 }, () => prepareDataFolder(folder)));
  }
});

test('of those that hold the lock of a machine, one works at a time', {
  skip: process.platform !== 'linux',
}, async () => {
  let working = 0;
  const work = async () => {
    working++;
    assert.equal(working, 1);
    await sleep(20);
    working--;
  };
  await Promise.all(Array.from({ length: 5 }, () => withMachineLock(`test ${process.pid}`, work)));
  await assert.rejects(
    withMachineLock(`test ${process.pid}`, () => Promise.reject(new Error('failed'))),
    /failed/,
  );
  await withMachineLock(`test ${process.pid}`, work);
});
