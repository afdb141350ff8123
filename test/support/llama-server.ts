import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { pythonEnvironment } from './python-environment.ts';
import { root } from './source-tree.ts';

const script = join(root, 'test/support/llama-server/serve.py');
const requirements = join(root, 'test/support/llama-server/requirements.txt');
/** One that cannot start ends by itself; this is for one that hangs. */
const startMs = 180_000;

export type LlamaServerOptions = {
  kind?: 'text' | 'embedding';
  adapters?: readonly string[];
  /** Calls at once; default: 2. */
  parallel?: number;
  threads?: number;
};

export type LlamaServer = {
  /** The base of OpenAI's routes. */
  url: string;
  pid: number;
  stop: () => Promise<void>;
};

const contextOfCall = 4096;

/**
 * llama.cpp's own server with a model and adapters, ready; installed first when it is not there. As after
 * `--lora`, the adapters are on for whoever does not choose.
 */
export async function startLlamaServer(ggufPath: string, options: LlamaServerOptions = {}): Promise<LlamaServer> {
  const python = await installLlamaServer();
  for (let tries = 1; ; tries += 1) {
    // Somebody else may take the port before the server does.
    const server = await tryToStart(python, ggufPath, flagsOf(options));
    if (server) return server;
    if (tries === 3) throw new Error('The server of llama.cpp does not start.');
  }
}

function flagsOf({ kind = 'text', adapters = [], parallel = 2, threads = 1 }: LlamaServerOptions): string[] {
  const numbers = [`--parallel=${parallel}`, `--context=${parallel * contextOfCall}`, `--threads=${threads}`];
  return [...(kind === 'embedding' ? ['--embedding'] : []), ...adapters.map((path) => `--adapter=${path}`), ...numbers];
}

async function tryToStart(python: string, ggufPath: string, more: readonly string[]) {
  const port = await freePort();
  const child = spawn(python, serveArguments(ggufPath, port, more), { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const deadline = Date.now() + startMs;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    // It listens before it has read its model.
    const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    if (response?.ok) return { url: `http://127.0.0.1:${port}/v1`, pid: child.pid ?? 0, stop };
    await setTimeout(50);
  }
  await stop();
  return null;
}

/** What Python is told to serve a model on a port. */
export function serveArguments(ggufPath: string, port: number, more: readonly string[] = []): string[] {
  return [script, ggufPath, String(port), ...more];
}

/** The Python that has the server in it. */
export async function installLlamaServer(): Promise<string> {
  return join(await pythonEnvironment('llama-server', requirements, '--no-deps', '--require-hashes'), 'python');
}
