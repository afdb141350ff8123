import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './source-tree.ts';

/** A running `fanfold serve`, as a user would start it: a process of its own, spoken to over HTTP only. */
export type Program = {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** The key printed at the first start; null on later starts. */
  key: string | null;
  dataDir: string;
  process: ChildProcess;
  output: () => string;
  /** SIGTERM and wait; resolves to the exit code. */
  stop: () => Promise<number | null>;
  /** SIGKILL and wait. */
  kill: () => Promise<void>;
};

export type ProgramOptions = {
  databaseUrl?: string;
  dataDir?: string;
  env?: Record<string, string>;
  /** The folder of another checkout; default: this one. */
  checkout?: string | undefined;
  /** Longest time until it listens. */
  startMs?: number;
};

/** The greeting comes in one piece after the port is open; its second half tells that it is complete. */
const greeting = /Fanfold listens on (http:\S+)[\s\S]*(?:Try it:|Keys cannot be shown again)/;
const keyPattern = /fnf_[0-9A-Za-z]{49}/;

/** Starts the program on a free port and waits until it is ready. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const ownDir = options.dataDir === undefined;
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'fanfold-test-')));
  const child = spawn(process.execPath, [path.join(options.checkout ?? root, 'src/main.ts'), 'serve'], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      FANFOLD_DATA_DIR: dataDir,
      ...(options.databaseUrl ? { DATABASE_URL: options.databaseUrl } : {}),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));

  const url = await untilReady(child, () => output, options.startMs ?? 180_000);
  const finish = async () => {
    if (ownDir) await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  return {
    url,
    key: keyPattern.exec(output)?.[0] ?? null,
    dataDir,
    process: child,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      const code = await exited;
      await finish();
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Asks until the model has started: on a busy machine its first callers are told to come back. */
export async function patiently(ask: () => Promise<Response>): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const response = await ask();
    // 529: as clients of Anthropic are told.
    if ((response.status !== 503 && response.status !== 529) || tries === 120) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function untilReady(child: ChildProcess, output: () => string, startMs: number): Promise<string> {
  const deadline = Date.now() + startMs;
  while (Date.now() < deadline) {
    const url = greeting.exec(output())?.[1];
    if (url && (await answers(`${url}/readyz`))) return url;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`The program did not start:\n${output()}`);
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(20_000) })).ok;
  } catch {
    return false;
  }
}
