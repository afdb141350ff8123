import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Database, findEmbedded, lockUntilCommit, migrate, openDatabase } from '#db';
import { overNetwork } from './over-network.ts';

export type TestDatabase = {
  database: Database;
  url: string;
  /** Closes the pool and removes the database. */
  drop: () => Promise<void>;
};

export type TestDatabaseOptions = { maxConnections?: number };

/**
 * A fresh, migrated database for one test file: a clone of a template that is migrated once per set of migrations. One
 * PostgreSQL serves all test processes of this checkout; it starts on first use and ends when nobody has used it for a
 * while (`postgres-server.ts`).
 */
export async function createTestDatabase({ maxConnections = 10 }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  // The server may have been on its way out for want of work: then a second look starts a new one.
  return openClone(maxConnections).catch(() => openClone(maxConnections));
}

async function openClone(maxConnections: number): Promise<TestDatabase> {
  const { serverUrl, name } = await createClone();
  const url = replaceDatabase(serverUrl, name);
  const database = await openDatabase({ url, maxConnections, connectMs });
  return { database, url, drop: () => drop(database, serverUrl, name) };
}

async function createClone(): Promise<{ serverUrl: string; name: string }> {
  const serverUrl = await findOrStartServer();
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = templateName();
  const admin = await openDatabase({ url: serverUrl, maxConnections: 1, connectMs });
  try {
    await ensureTemplate(admin, template);
    // Its files as they are, with what the first connection would find out anew: half the processor time of the usual way, through the log.
    await admin.query(`create database ${name} template ${template} strategy file_copy`, undefined, patience);
  } finally {
    await admin.close();
  }
  return { serverUrl, name };
}

async function drop(database: Database, serverUrl: string, name: string): Promise<void> {
  // First: a server that nobody uses may go.
  const admin = await openDatabase({ url: serverUrl, maxConnections: 1, connectMs });
  try {
    await database.close();
    await dropDatabase(admin, name);
  } finally {
    await admin.close();
  }
}

/**
 * Drops a database, if it is there, whoever is connected. `force` ends the sessions of others, and is refused to who is no superuser
 * while autovacuum works there; that gives way when the database is dropped without.
 */
export async function dropDatabase(admin: Database, name: string): Promise<void> {
  for (let tries = 5; ; tries -= 1) {
    const how = tries % 2 === 1 ? 'with (force)' : '';
    const problem = await admin.query(`drop database if exists ${name} ${how}`, undefined, patience).then(
      () => null,
      (error: unknown) => error,
    );
    if (problem === null) return;
    if (tries === 0 || !isInUse(problem)) throw problem;
  }
}

/** Insufficient privilege, and object in use. */
const isInUse = (error: unknown) => ['42501', '55006'].includes(Object(error).code);

/** One folder per user and checkout. */
function testServerFolder(): string {
  const { uid } = userInfo();
  const checkout = fileURLToPath(new URL('../..', import.meta.url));
  const mark = createHash('sha256').update(checkout).digest('hex').slice(0, 12);
  const name = `fanfold-test-${uid}-${mark}`;
  const inMemory = join(memoryFolder, name);
  // A database is 900 files: to make and to remove them takes a disk several times as long as memory.
  return existsSync(inMemory) || hasMemoryForServer() ? inMemory : join(tmpdir(), name);
}

const memoryFolder = '/dev/shm';
/** What a run of all tests fills is a tenth of it. */
const roomyBytes = 8 * 1024 ** 3;

function hasMemoryForServer(): boolean {
  try {
    accessSync(memoryFolder, constants.W_OK);
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize > roomyBytes && process.availableMemory() > roomyBytes;
  } catch {
    return false;
  }
}

/** Lets the server go as soon as no test uses it; without this it goes by itself after a while. */
export async function dismissTestServer(): Promise<void> {
  const pid = await readFile(join(testServerFolder(), 'server.pid'), 'utf8').catch(() => null);
  if (pid === null) return;
  try {
    process.kill(Number(pid));
  } catch {
    // It is gone already.
  }
}

const startTimeoutMs = 180_000;
/** A statement of a test may wait for its turn as long as the machine makes it. */
const connectMs = 60_000;
/** To copy and to remove a database is work for a disk, which others may keep busy. */
const patience = { timeoutMs: 180_000 };
const respawnMs = 60_000;

async function findOrStartServer(): Promise<string> {
  const folder = testServerFolder();
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    const url = await findEmbedded(folder);
    // Whoever comes while it ends finds its folder, and the socket in it, under another name already.
    if (url) return overNetwork(url);
    if (await claimStart(`${folder}.starting`)) await spawnServer(folder);
    await sleep(100);
  }
  throw new Error(`The test database server in ${folder} did not start; see ${folder}.log.`);
}

/** True for one of the processes that ask within `respawnMs`. */
async function claimStart(file: string): Promise<boolean> {
  try {
    await writeFile(file, '', { flag: 'wx' });
    return true;
  } catch {
    const age = await stat(file).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > respawnMs) await rm(file, { force: true });
    return false;
  }
}

async function spawnServer(folder: string): Promise<void> {
  const program = fileURLToPath(new URL('./postgres-server.ts', import.meta.url));
  const log = await open(`${folder}.log`, 'a', 0o600);
  // It serves other test processes too, so it must outlive this one.
  spawn(process.execPath, [program, folder], { detached: true, stdio: ['ignore', log.fd, log.fd] }).unref();
  await log.close();
}

function templateName(): string {
  const folder = fileURLToPath(new URL('../../migrations', import.meta.url));
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return `template_${hash.digest('hex').slice(0, 16)}`;
}

async function ensureTemplate(admin: Database, template: string): Promise<void> {
  if (await exists(admin, template)) return;
  // The lock needs a transaction, a database cannot be made inside one: the transaction only holds the lock.
  await admin.transaction(async (holder) => {
    await lockUntilCommit(holder, 'testTemplate');
    await holder.query('set local idle_in_transaction_session_timeout = 0');
    const maker = await openDatabase({ url: admin.url, maxConnections: 1, connectMs });
    try {
      if (!(await exists(maker, template))) await makeTemplate(maker, template);
    } finally {
      await maker.close();
    }
  });
}

async function makeTemplate(maker: Database, template: string): Promise<void> {
  const draft = `${template}_draft`;
  await dropDatabase(maker, draft);
  await maker.query(`create database ${draft}`, undefined, patience);
  const database = await openDatabase({ url: replaceDatabase(maker.url, draft), maxConnections: 1, connectMs });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  // Under its final name only when complete: other processes clone whatever has that name.
  await maker.query(`alter database ${draft} rename to ${template}`, undefined, patience);
}

async function exists(admin: Database, name: string): Promise<boolean> {
  const rows = await admin.query('select from pg_database where datname = $1', [name]);
  return rows.length > 0;
}

function replaceDatabase(url: string, name: string): string {
  const result = new URL(url);
  result.pathname = `/${name}`;
  return result.href;
}
