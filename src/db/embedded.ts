import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '#kernel';
import type { ManagedProcess } from '#processes';
import { probeConnection } from './connection-probe.ts';
import { type Database, openDatabase } from './database.ts';
import { type Binaries, locateBinaries } from './embedded-binaries.ts';
import { findHome, type Home, openHome } from './embedded-home.ts';
import { withMachineLock } from './machine-lock.ts';
import {
  databaseName,
  databaseUser,
  ensureCluster,
  lastLogError,
  removeDrafts,
  spawnPostmaster,
} from './postmaster.ts';

export type EmbeddedOptions = {
  dataDir: string;
  /** Default true; false for tests only: a power cut loses data. */
  durable?: boolean;
  /** Called when PostgreSQL ended unexpectedly, when it does not start again and why, and when it answers again. */
  onEvent?: OnEvent;
  /** Others that use the database when this process ends may go on for as long as they like. */
  leavesToOthers?: boolean;
  /** How long `stop` waits for others, ms; after that it cuts them off or leaves PostgreSQL to them. */
  othersMs?: number;
  /** Pause between attempts to start it; other than by default in tests only. */
  attemptPauseMs?: number;
};

type OnEvent = (event: 'lost' | 'failing' | 'recovered', error?: string) => void;

export type EmbeddedServer = {
  url: string;
  /** The database was made by this start. */
  isNew: boolean;
  /** Process number of PostgreSQL's main process at present. */
  pid: () => number | undefined;
  /** Ends PostgreSQL in order: nobody new gets in, others may finish, open transactions are rolled back, everything committed is on disk. */
  stop: () => Promise<void>;
};

const answerTimeoutMs = 60_000;
const takeoverMs = 4_000;
const pollMs = 50;
const startAttempts = 10;
/** Below those of every system's connections: Linux begins at 32,768, others at 49,152. */
const ports = { first: 28_000, last: 31_999 };
const defaultOthersMs = 3_000;
const defaultAttemptPauseMs = 300;
const stopTimeoutMs = 15_000;
/** One that takes no connection for so long does not end when it is told to, either: it is ended soon. */
const silence = { mostMs: 4_000, stopMs: 1_000 };

/**
 * Starts a PostgreSQL of our own on a free port of 127.0.0.1, with its data under `<dataDir>/postgres`. It is started
 * again, on the same port, whenever it ends by itself, and ends with this process, however that ends. One process at a
 * time may hold a data folder: a second one gets an `OperatorError`.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const server = await claimEmbedded(options, takeoverMs);
  if (server) return server;
  throw inUse(options.dataDir);
}

/** The same; null when another process runs PostgreSQL on this data folder, and still does after `timeoutMs`. */
export async function claimEmbedded(options: EmbeddedOptions, timeoutMs: number): Promise<EmbeddedServer | null> {
  const { dataDir, durable = true, onEvent = () => {}, leavesToOthers = false, othersMs = defaultOthersMs } = options;
  const { attemptPauseMs = defaultAttemptPauseMs } = options;
  const home = await openHome(dataDir);
  const binaries = await locateBinaries(home.identity);
  return withMachineLock(home.password, async () => {
    const isNew = await ensureCluster(home, binaries);
    await removeDrafts(home);
    const launch = { home, binaries, durable, leavesToOthers, attemptPauseMs };
    const server = await startFirst(dataDir, launch, timeoutMs);
    return server && supervise(server, { ...launch, isNew, onEvent, othersMs });
  });
}

function inUse(dataDir: string): OperatorError {
  return new OperatorError(`The data folder ${dataDir} is in use by another Fanfold process.`);
}

/** URL of the database that another process runs on this data folder; null when none does. */
export async function findEmbedded(dataDir: string): Promise<string | null> {
  const found = await inspect(dataDir);
  return found.state === 'held' ? found.url : null;
}

export type SharedDatabase = {
  database: Database;
  /** The database was made by this start. */
  isNew: boolean;
  /** Closes the connections; the last one out ends PostgreSQL. */
  close: () => Promise<void>;
};

/**
 * The database of a data folder for work of any length, whoever comes and goes meanwhile: on the PostgreSQL that another
 * process runs there, else on one that is started for it.
 */
export async function shareEmbedded(dataDir: string, maxConnections: number): Promise<SharedDatabase> {
  for (;;) {
    const found = await findEmbedded(dataDir);
    const server = found === null ? await claimEmbedded({ dataDir, leavesToOthers: true }, 0) : null;
    const url = found ?? server?.url;
    // Another process was quicker.
    if (url === undefined) continue;
    try {
      // All connections at once: a PostgreSQL whose owner has ended keeps those it has, and takes no new ones.
      const database = await openDatabase({ url, maxConnections, opensAll: true });
      return { database, isNew: server?.isNew ?? false, close: () => database.close().finally(server?.stop) };
    } catch (error) {
      await server?.stop();
      // One that has just ended is no reason to fail.
      if (server || (await findEmbedded(dataDir)) === url) throw error;
    }
  }
}

type Launch = {
  home: Home;
  binaries: Binaries;
  durable: boolean;
  leavesToOthers: boolean;
  attemptPauseMs: number;
};
type Server = { child: ManagedProcess; port: number };

/** Null: another process has the folder. */
async function startFirst(dataDir: string, launch: Launch, timeoutMs: number): Promise<Server | null> {
  const { home, binaries, attemptPauseMs, ...options } = launch;
  for (let attempt = 0; attempt < startAttempts; attempt++) {
    if (!(await becomesFree(dataDir, timeoutMs))) return null;
    const port = await findFreePort();
    const child = await spawnPostmaster(home, binaries, { port, ...options });
    if (await answers(child, home, urlOf(home, port))) return { child, port };
    // Somebody else took the port or the folder first, or children of a killed server are still ending.
    await stopPostmaster(child);
    await sleep(attemptPauseMs);
  }
  // What others still finish with takes nobody new.
  if ((await inspect(dataDir)).state === 'changing') throw inUse(dataDir);
  throw new OperatorError(`PostgreSQL does not start: ${await lastLogError(home)}`);
}

type Supervision = Launch & { isNew: boolean; onEvent: OnEvent; othersMs: number };

function supervise(
  { child: first, port }: Server,
  { home, binaries, isNew, onEvent, othersMs, attemptPauseMs, ...options }: Supervision,
): EmbeddedServer {
  const url = urlOf(home, port);
  let child = first;
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();

  function watch(): void {
    void child.exited.then(() => {
      if (!stopping) restarting = restart();
    });
  }

  async function restart(): Promise<void> {
    onEvent('lost');
    for (let tries = 1; !stopping; tries++) {
      try {
        child = await spawnPostmaster(home, binaries, { port, ...options });
        if (await answers(child, home, url)) {
          watch();
          onEvent('recovered');
          return;
        }
        await stopPostmaster(child);
      } catch {
        // The start itself may fail, for example while the folder is unreachable: callers get 503 until PostgreSQL is
        // back.
      }
      // Reported only after as many tries as a first start makes: children of a killed server may still be ending.
      if (tries === startAttempts) onEvent('failing', await lastLogError(home));
      await sleep(attemptPauseMs);
    }
  }

  watch();
  return {
    url,
    isNew,
    pid: () => child.pid,
    stop: async () => {
      stopping = true;
      await restarting;
      const isSilent = child.isRunning && (await probeConnection(url, silence.mostMs)) === 'silent';
      if (!isSilent) await child.stop(othersMs, ['SIGTERM']);
      if (!options.leavesToOthers) await stopPostmaster(child, isSilent ? silence.stopMs : stopTimeoutMs);
    },
  };
}

/** True as soon as the server takes connections; false when it ended instead, or will never take our password. */
async function answers(child: ManagedProcess, home: Home, url: string): Promise<boolean> {
  const deadline = performance.now() + answerTimeoutMs;
  while (performance.now() < deadline && child.isRunning) {
    const answer = await probeConnection(url);
    if (answer === 'open' && child.isRunning) return true;
    // Until it is ready, another server may have the port.
    if (answer === 'refused' && (await isReady(child, home))) return false;
    await sleep(pollMs);
  }
  return false;
}

async function isReady({ pid }: ManagedProcess, home: Home): Promise<boolean> {
  const lines = await readLockFile(home);
  return lines[0] === String(pid) && lines[statusLine]?.trim() === 'ready';
}

type FolderState = { state: 'free' | 'changing' } | { state: 'held'; url: string };

async function inspect(dataDir: string): Promise<FolderState> {
  const home = await findHome(dataDir);
  if (!home) return { state: 'free' };
  const port = Number((await readLockFile(home))[portLine]);
  if (!port) return { state: 'free' };
  const url = urlOf(home, port);
  const answer = await probeConnection(url);
  if (answer === 'open') return { state: 'held', url };
  return { state: answer === 'changing' ? 'changing' : 'free' };
}

const portLine = 3;
const statusLine = 7;

async function readLockFile({ folder }: Pick<Home, 'folder'>): Promise<string[]> {
  const text = await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
  return text.split('\n');
}

/** A server that was killed takes its PostgreSQL with it soon; a living one keeps the folder. */
async function becomesFree(dataDir: string, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { state } = await inspect(dataDir);
    if (state === 'free') return true;
    if (state === 'held' && performance.now() > deadline) return false;
    if (performance.now() > deadline + stopTimeoutMs) return true;
    await sleep(2 * pollMs);
  }
}

function urlOf({ password }: Pick<Home, 'password'>, port: number): string {
  return `postgres://${databaseUser}:${password}@127.0.0.1:${port}/${databaseName}`;
}

/**
 * A free port outside the range from which the system takes ports of outgoing connections: after a crash PostgreSQL
 * comes back to the same port, and a connection could have taken it meanwhile. A connection to a port of that range
 * can even connect to itself.
 */
async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = await listenOnce(randomInt(ports.first, ports.last + 1));
    if (port !== null) return port;
  }
  throw new OperatorError(`No port between ${ports.first} and ${ports.last} is free; give DATABASE_URL.`);
}

/** Null when somebody listens there. */
function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}

/** Fast shutdown; when that takes too long, immediate (recovered at the next start), then by force. */
function stopPostmaster(child: ManagedProcess, timeoutMs = stopTimeoutMs): Promise<void> {
  return child.stop(timeoutMs, ['SIGINT', 'SIGQUIT', 'SIGKILL']);
}
