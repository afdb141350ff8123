import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findEmbedded, openDatabase } from '#db';
import { childrenOf, commandOf, postmasterOf } from '#test/processes.ts';
import { type Program, startProgram } from '#test/program.ts';
import { callModel, inTurn, textRows } from '#test/protocols.ts';
import { type Audit, auditBooks } from './accounting.ts';
import { runClients } from './clients.ts';

export type Victim = 'server' | 'engine' | 'postgres';

export type ChaosOptions = {
  seed: number;
  clients: number;
  /** Who is killed, in this order. */
  victims: readonly Victim[];
  /** Load between two kills, ms. */
  pauseMs: number;
  /** So many calls have to succeed before it ends, however long a busy machine takes for them. Default: 0. */
  leastSuccesses?: number;
  report?: (line: string) => void;
};

export type ChaosReport = Audit & {
  /** From each kill to the first success after it, ms. */
  recoveryMs: Record<Victim, number[]>;
};

const patienceMs = 180_000;

/**
 * Kills parts of the running program with SIGKILL while clients call it, brings the server back when it was the
 * victim (a supervisor's work; everything else must heal by itself), and then compares the ledger with what the
 * clients saw.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { report = () => {}, leastSuccesses = 0 } = options;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-chaos-'));
  let program = await startProgram({ dataDir });
  const { key } = program;
  if (key === null) throw new Error(`No key was printed:\n${program.output()}`);
  const stop = new AbortController();
  const random = randomFrom(options.seed);
  let successes = 0;
  const note = ({ result }: { result: string }) => {
    if (result === 'success') successes += 1;
  };
  const url = () => program.url;
  const clients = runClients({ url, key, clients: options.clients, note, signal: stop.signal, random });
  const recoveryMs: ChaosReport['recoveryMs'] = { server: [], engine: [], postgres: [] };
  try {
    await untilServed(program, key);
    for (const victim of options.victims) {
      await sleep(options.pauseMs * (0.5 + random()));
      const killedAt = performance.now();
      program = await kill(victim, program);
      await untilServed(program, key);
      recoveryMs[victim].push(performance.now() - killedAt);
      report(`${victim} killed, served again after ${recoveryMs[victim].at(-1)?.toFixed(0)} ms`);
    }
    const deadline = Date.now() + patienceMs;
    do await sleep(options.pauseMs);
    while (successes < leastSuccesses && Date.now() < deadline);
    stop.abort();
    const seen = await clients;
    const audit = await audited(dataDir, seen);
    return { ...audit, recoveryMs };
  } finally {
    stop.abort();
    await program.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function kill(victim: Victim, program: Program): Promise<Program> {
  if (victim === 'server') {
    await program.kill();
    return startProgram({ dataDir: program.dataDir });
  }
  const pid = program.process.pid ?? 0;
  const targets =
    victim === 'postgres'
      ? [postmasterOf(program.dataDir)]
      : childrenOf(pid).filter((child) => commandOf(child).includes('child.ts'));
  for (const target of targets) process.kill(target, 'SIGKILL');
  return program;
}

/** Waits until a call succeeds again. */
async function untilServed(program: Program, key: string): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    if (await isServed(program.url, key)) return;
    await sleep(25);
  }
  throw new Error(`The service did not come back within minutes:\n${program.output().slice(-4000)}`);
}

async function isServed(url: string, key: string): Promise<boolean> {
  try {
    const caller = { origin: url, owner: 'local', key, signal: AbortSignal.timeout(60_000) };
    const response = await callModel(inTurn(textRows, 0), caller, { maxTokens: 1 });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** The books once everything in flight has been settled or swept. */
async function audited(dataDir: string, seen: Awaited<ReturnType<typeof runClients>>): Promise<Audit> {
  const url = await findEmbedded(dataDir);
  if (!url) throw new Error('The embedded PostgreSQL is gone.');
  const database = await openDatabase({ url, maxConnections: 2 });
  try {
    const deadline = Date.now() + patienceMs;
    let audit = await auditBooks(database, seen);
    while (audit.findings.length > 0 && Date.now() < deadline) {
      await sleep(1000);
      audit = await auditBooks(database, seen);
    }
    return audit;
  } finally {
    await database.close();
  }
}

/** Mulberry32: small, seeded, good enough to vary a test. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
