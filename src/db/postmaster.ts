import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chown, mkdtemp, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OperatorError, systemCodeOf } from '#kernel';
import { type ManagedProcess, type StartOptions, startProcess } from '#processes';
import type { Binaries } from './embedded-binaries.ts';
import type { Home } from './embedded-home.ts';

/** Starts a program of PostgreSQL's, as the user it must run as, with the open home folder as descriptor 3. */
async function startAtHome(
  home: Home,
  [program = '', ...args]: readonly string[],
  options: Pick<StartOptions, 'stdin' | 'signalOnParentDeath'> = {},
): Promise<ManagedProcess> {
  const folder = await open(home.folder, constants.O_RDONLY | constants.O_DIRECTORY);
  const log = await open(join(home.folder, 'server.log'), 'a', 0o600);
  try {
    const child = startProcess(program, {
      args,
      user: home.identity,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      // Ctrl-C at the terminal reaches the server, which then stops PostgreSQL in its turn.
      leadsGroup: true,
      output: log.fd,
      descriptor3: folder.fd,
      ...options,
    });
    await child.started;
    return child;
  } catch (error) {
    const user = home.identity?.name ?? 'this user';
    throw new OperatorError(`PostgreSQL cannot be started as ${user}: ${error}; give DATABASE_URL instead.`);
  } finally {
    await folder.close();
    await log.close();
  }
}

/**
 * Makes the cluster unless it is there, with the database and the role of the server; of several processes that try at once one
 * succeeds and all can use it. True: this one made it.
 */
export async function ensureCluster(home: Home, { initdb, postgres }: Binaries): Promise<boolean> {
  const cluster = join(home.folder, 'cluster');
  if (await checkVersion(cluster)) return false;
  const fresh = await mkdtemp(join(home.folder, draftLead));
  const passwordFile = `${fresh}.password`;
  // PostgreSQL's own user may do everything, also read files and run programs. Nobody comes as it: nobody knows its password.
  await writeFile(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 });
  if (home.identity) {
    await chown(fresh, home.identity.uid, home.identity.gid);
    await chown(passwordFile, home.identity.uid, home.identity.gid);
  }
  try {
    const [pgdata, pwfile] = [fresh, passwordFile].map((path) => join(home.nameInside, basename(path)));
    await runToEnd(home, [initdb, `--pgdata=${pgdata}`, `--pwfile=${pwfile}`, ...clusterFlags]);
    await runToEnd(
      home,
      [postgres, '--single', '-D', pgdata ?? '', ...singleUserFlags, 'postgres'],
      firstStatements(home),
    );
    await rename(fresh, cluster);
    return true;
  } catch (error) {
    if (await checkVersion(cluster)) return false;
    if (!targetExists.has(systemCodeOf(error) ?? '')) throw error;
    throw new OperatorError(`${cluster} is not a database: it has no file PG_VERSION.`, { cause: error });
  } finally {
    await rm(passwordFile, { force: true });
    await rm(fresh, { recursive: true, force: true });
  }
}

// No name that a person would give to a copy of the cluster.
const draftLead = 'unfinished-cluster.';

/**
 * Removes what processes left that were killed while they made the cluster. It is there by now: whoever still makes one will find it, and
 * what he writes to meanwhile goes at the next start.
 */
export async function removeDrafts({ folder }: Home): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => name.startsWith(draftLead));
  for (const name of drafts) await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
}

/** What a rename to a folder that is not empty, or to no folder, fails with. */
const targetExists = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

export const databaseUser = 'fanfold';
export const databaseName = 'fanfold';

/** One a line. The role owns its database, and may make others beside it, as a restore on trial needs them; it may do nothing else. */
const firstStatements = ({ password }: Home) =>
  `create role ${databaseUser} login createdb password '${password}'\ncreate database ${databaseName} owner ${databaseUser}\n`;

/** A statement that fails ends it, and is not written to the log: it may hold the password. */
const singleUserFlags = ['-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic'];

const clusterFlags = [
  '--username=postgres',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  // Sorting by code point is the same on every machine, whatever its C library.
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

const majorVersion = '18';

async function checkVersion(cluster: string): Promise<boolean> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => null);
  if (version === null) return false;
  if (version.trim() === majorVersion) return true;
  throw new OperatorError(
    `${cluster} was made by PostgreSQL ${version.trim()}, the embedded one is ${majorVersion}; move it with pg_dump.`,
  );
}

async function runToEnd(home: Home, command: readonly string[], input?: string): Promise<void> {
  const child = await startAtHome(home, command, { stdin: 'pipe' });
  child.stdin?.end(input);
  if ((await child.exited).code !== 0)
    throw new OperatorError(`PostgreSQL cannot make its data folder: ${await lastLogError(home)}`);
}

export type PostmasterOptions = {
  port: number;
  /** false trades the safety of the data for speed: for tests that throw the data away. */
  durable: boolean;
  /** When this process has died PostgreSQL goes on until the last connection ends. */
  leavesToOthers: boolean;
};

/** Starts PostgreSQL's main process; it may not answer yet. */
export async function spawnPostmaster(
  home: Home,
  { postgres }: Binaries,
  { port, durable, leavesToOthers }: PostmasterOptions,
): Promise<ManagedProcess> {
  await clearForeignPid(join(home.folder, 'cluster'));
  await rotateLog(join(home.folder, 'server.log'));
  const settings = {
    ...baseSettings,
    ...(durable ? {} : unsafeSettings),
    port: String(port),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [postgres, '-D', join(home.nameInside, 'cluster'), ...flags];
  // PostgreSQL must not outlive a server that was killed: SIGINT is its fast shutdown, SIGTERM waits for the last connection.
  return startAtHome(home, command, { signalOnParentDeath: leavesToOthers ? 'SIGTERM' : 'SIGINT' });
}

const baseSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  // Nobody comes as a superuser.
  superuser_reserved_connections: '0',
  // A single server without standbys, for short statements, that should stay small.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '512MB',
  // An import writes 150 MB of log a second on two connections. The default of 4 MB holds that for 25 ms: whoever found it
  // full wrote or synced the log itself, and the other waited. Now a process beside them writes it ahead, and there is room
  // until it is on disk. All of it is memory from the start on, so it is one file of the log and no more.
  wal_buffers: '16MB',
  wal_writer_delay: '50ms',
  // A new file of the log need not be filled with zeros first: of an import's log that was half as much again to write.
  wal_init_zero: 'off',
  io_method: 'sync',
  max_logical_replication_workers: '0',
  // What a checkpoint writes it spreads, page by page: a server that rests would be woken for it ten times a second.
  checkpoint_timeout: '15min',
  // After a crash one call for the file system instead of one per file: measured 4 s of fsync on a busy disk.
  ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Details of errors quote row values; the log must not.
  log_error_verbosity: 'terse',
  client_connection_check_interval: '2s',
  idle_in_transaction_session_timeout: '60s',
};

const unsafeSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
};

/**
 * A killed server leaves its process number behind. PostgreSQL refuses to start while a process with that number lives,
 * which after a restart of the machine or container can be anything, also the PostgreSQL of another data folder: the one of
 * this cluster works in its folder. The rest of the file stays: PostgreSQL finds by it whether children of the killed server
 * still use the data.
 */
async function clearForeignPid(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => '');
  const [pid, ...rest] = text.split('\n');
  if (!pid) return;
  const own = await stat(cluster);
  const worksIn = await stat(`/proc/${pid}/cwd`).catch(() => null);
  if (worksIn === null || (worksIn.dev === own.dev && worksIn.ino === own.ino)) return;
  await writeFile(file, [unusedPid, ...rest].join('\n'));
}

// Above every system's limit on process numbers.
const unusedPid = '2147483646';
const maxLogBytes = 10_000_000;

async function rotateLog(file: string): Promise<void> {
  const size = await stat(file).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > maxLogBytes) await rename(file, `${file}.old`);
}

/** Not what clients were told while it started or stopped. */
const logErrorPattern = /(?:FATAL|PANIC)(?!: +the database system is )|error:|^(?:initdb|postgres): could not/;

/** PostgreSQL writes its log in files of this size, and does without none of them. */
const leastFreeBytes = 16_777_216;

/** The last error of PostgreSQL, one line, for a message to the operator. On a full disk its own log lacks it. */
export async function lastLogError(
  home: Pick<Home, 'folder'>,
  freeBytesOf: (folder: string) => Promise<number> = freeBytesIn,
): Promise<string> {
  const freeBytes = await freeBytesOf(home.folder).catch(() => Number.POSITIVE_INFINITY);
  if (freeBytes < leastFreeBytes)
    return `its disk is full: ${Math.floor(freeBytes / 1e6)} MB are left for ${home.folder}.`;
  const text = await readFile(join(home.folder, 'server.log'), 'utf8').catch(() => '');
  const error = text.split('\n').findLast((line) => logErrorPattern.test(line));
  return error ?? `see ${join(home.folder, 'server.log')}.`;
}

async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
