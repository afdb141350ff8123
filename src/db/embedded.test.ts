import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from './database.ts';
import { type EmbeddedOptions, type EmbeddedServer, findEmbedded, startEmbedded } from './embedded.ts';
import { locateBinaries } from './embedded-binaries.ts';
import { openHome } from './embedded-home.ts';
import { ensureCluster } from './postmaster.ts';

const isRoot = process.getuid?.() === 0;

/** Starts the server and stops it at the end of the test, whatever its outcome. */
async function start(t: TestContext, options: EmbeddedOptions): Promise<EmbeddedServer> {
  const server = await startEmbedded({ othersMs: 0, ...options });
  t.after(() => server.stop());
  return server;
}

async function open(t: TestContext, { url }: EmbeddedServer): Promise<Database> {
  const database = await openDatabase({ url, maxConnections: 2 });
  t.after(() => database.close());
  return database;
}

/** A data folder whose parent nobody else may enter, like a checkout under /root. */
async function privateDataDir(t: TestContext): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'fanfold-private-'));
  await chmod(parent, 0o700);
  t.after(() => rm(parent, { recursive: true, force: true }));
  return join(parent, 'data');
}

async function eventually<T>(attempt: () => Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

const insert = (database: Database, n: number) => database.query('insert into kept values ($1)', [n]);
const keptNumbers = async (database: Database) =>
  (await database.query<{ n: number }>('select n from kept order by n')).map(({ n }) => n);

test('the embedded server', async (t) => {
  const dataDir = await privateDataDir(t);

  await t.test('keeps its data over restarts, in a folder that only this user may enter', async () => {
    for (const n of [1, 2]) {
      const server = await startEmbedded({ dataDir });
      assert.equal(server.isNew, n === 1);
      const database = await openDatabase({ url: server.url, maxConnections: 1 });
      await database.query('create table if not exists kept (n int)');
      await insert(database, n);
      await database.close();
      await server.stop();
    }
    const { mode } = await stat(join(dataDir, 'postgres', 'password'));
    assert.equal(mode & 0o777, 0o600);
    assert.equal(await findEmbedded(dataDir), null);
  });

  await t.test('takes the server as a role that owns its database and is no superuser', async (t) => {
    const database = await open(t, await start(t, { dataDir }));
    const [role] = await database.query(
      `select rolname as name, rolsuper as super, rolcreaterole as roles, rolreplication as replicates, rolbypassrls as passes,
              (select datdba = pg_roles.oid from pg_database where datname = current_database()) as owns
       from pg_roles where rolname = session_user`,
    );
    const may = { super: false, roles: false, replicates: false, passes: false, owns: true };
    assert.deepEqual(role, { name: 'fanfold', ...may });
    await assert.rejects(database.query(`copy (select 1) to program 'true'`), { code: '42501' });
    await assert.rejects(database.query(`select pg_read_file('PG_VERSION')`), { code: '42501' });
    const log = await readFile(join(dataDir, 'postgres', 'server.log'), 'utf8');
    assert.ok(!log.includes(await readFile(join(dataDir, 'postgres', 'password'), 'utf8')));
  });

  await t.test('after kill -9 comes back by itself on the same address with everything committed', async (t) => {
    const events: string[] = [];
    const server = await start(t, { dataDir, onEvent: (event) => events.push(event) });
    const database = await open(t, server);
    await insert(database, 3);
    const startedAt = performance.now();
    process.kill(server.pid() ?? 0, 'SIGKILL');
    await eventually(async () => assert.deepEqual(events, ['lost', 'recovered']), 120_000);
    const downMs = performance.now() - startedAt;
    await insert(database, 4);
    assert.deepEqual(await keptNumbers(database), [1, 2, 3, 4]);
    t.diagnostic(`down for ${Math.round(downMs)} ms`);
  });

  await t.test('tells why it does not come back by itself, once, and comes back when that is mended', async (t) => {
    const events: Parameters<NonNullable<EmbeddedOptions['onEvent']>>[] = [];
    const server = await start(t, { dataDir, onEvent: (...event) => events.push(event) });
    const file = join(dataDir, 'postgres', 'cluster', 'postgresql.auto.conf');
    const before = await readFile(file, 'utf8');
    await writeFile(file, 'nothing_of_postgresql = 1');
    process.kill(server.pid() ?? 0, 'SIGKILL');
    await eventually(async () => assert.equal(events.length, 2), 120_000);
    await writeFile(file, before);
    await eventually(async () => assert.equal(events.length, 3), 120_000);
    const names = events.map(([name]) => name);
    assert.deepEqual(names, ['lost', 'failing', 'recovered']);
    assert.match(events[1]?.[1] ?? '', /FATAL: .*postgresql\.auto\.conf/);
  });

  await t.test('finds its password without writing anything, which a full disk does not let it', async () => {
    const folder = join(dataDir, 'postgres');
    const before = await stat(folder);
    const { password } = await openHome(dataDir);
    assert.equal(password, await readFile(join(folder, 'password'), 'utf8'));
    assert.equal((await stat(folder)).mtimeMs, before.mtimeMs);
  });

  await t.test('serves one process per data folder; others are told and can find it', async (t) => {
    const server = await start(t, { dataDir });
    assert.equal(await findEmbedded(dataDir), server.url);
    await assert.rejects(startEmbedded({ dataDir }), { name: 'OperatorError', message: /in use by another/ });
  });

  await t.test('ends when its owner is killed, and the next owner takes over', async (t) => {
    const { owner, pid } = await startOwner(dataDir);
    owner.kill('SIGKILL');
    const server = await start(t, { dataDir });
    assert.notEqual(server.pid(), pid);
    const database = await open(t, server);
    assert.deepEqual(await keptNumbers(database), [1, 2, 3, 4]);
  });

  await t.test('is ended by force where it says nothing to anybody, and has kept its data', async (t) => {
    const server = await start(t, { dataDir });
    process.kill(server.pid() ?? 0, 'SIGSTOP');
    // Otherwise each of three signals is waited for, 15 s each.
    assert.equal(await Promise.race([server.stop(), sleep(35_000, 'waits', { ref: false })]), undefined);
    const next = await open(t, await start(t, { dataDir }));
    assert.deepEqual(await keptNumbers(next), [1, 2, 3, 4]);
  });

  await t.test('starts although the process number it left behind belongs to somebody else by now', async (t) => {
    const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
    const lines = [process.ppid, '/somewhere', 1_700_000_000, 1, '', '127.0.0.1', '  123456  7', 'ready   ', ''];
    await writeFile(file, lines.join('\n'));
    const owner = await stat(join(dataDir, 'postgres', 'cluster'));
    await chown(file, owner.uid, owner.gid);
    await start(t, { dataDir });
  });

  await t.test('of another major version is refused in one line', async () => {
    const file = join(dataDir, 'postgres', 'cluster', 'PG_VERSION');
    const version = await readFile(file, 'utf8');
    await writeFile(file, '15\n');
    await assert.rejects(startEmbedded({ dataDir }), { name: 'OperatorError', message: /made by PostgreSQL 15/ });
    await writeFile(file, version);
  });

  await t.test('does not run as root', { skip: !isRoot }, async (t) => {
    const server = await start(t, { dataDir });
    const status = await readFile(`/proc/${server.pid()}/status`, 'utf8');
    assert.doesNotMatch(status, /^Uid:\s+0\s/m);
  });
});

async function startOwner(dataDir: string): Promise<{ owner: ChildProcess; pid: number }> {
  const program = `
    const { startEmbedded } = await import(${JSON.stringify(fileURLToPath(new URL('./embedded.ts', import.meta.url)))});
    const server = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)} });
    console.log(server.pid());
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([once(owner.stdout, 'data'), once(owner, 'exit')]);
  return { owner, pid: Number(String(line)) };
}

test('a user without a name, as containers have, is told why there can be no database', {
  skip: !isRoot,
}, async (t) => {
  const identity = { name: 'nobody knows', uid: 54_321, gid: 54_321 };
  const home = await openHome(await privateDataDir(t));
  await chown(home.folder, identity.uid, identity.gid);
  const made = ensureCluster({ ...home, identity }, await locateBinaries(identity));
  await assert.rejects(made, { name: 'OperatorError', message: /: initdb: could not look up effective user ID 54321/ });
});

test('an unwritable data folder is refused in one line', async (t) => {
  const parent = await mkdtemp(join(tmpdir(), 'fanfold-file-'));
  t.after(() => rm(parent, { recursive: true }));
  const file = join(parent, 'data');
  await writeFile(file, '');
  await assert.rejects(startEmbedded({ dataDir: file }), {
    name: 'OperatorError',
    message: `The data folder ${file} cannot be written to: ENOTDIR.`,
  });
  await assert.rejects(startEmbedded({ dataDir: '/proc/nothing/data' }), {
    name: 'OperatorError',
    message: 'The data folder /proc/nothing/data cannot be written to: ENOENT.',
  });
});
