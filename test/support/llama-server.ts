import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { root } from './source-tree.ts';

const run = promisify(execFile);
const folder = join(root, 'test/support/llama-server');
const environment = join(root, '.cache/llama-server');

/** llama.cpp's own server with a model; installed first when it is not there. `url` is its OpenAI base URL. */
export async function startLlamaServer(ggufPath: string, kind: 'text' | 'embedding') {
  const python = await install();
  const port = await freePort();
  const args = [join(folder, 'serve.py'), ggufPath, String(port), ...(kind === 'embedding' ? ['embedding'] : [])];
  const child = spawn(python, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  for await (const chunk of child.stdout) if (String(chunk).includes('serving at')) break;
  if (child.exitCode !== null) throw new Error(`The server of llama.cpp ended with code ${child.exitCode}.`);
  // It listens before it has read its model.
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    if (response?.ok) break;
    await setTimeout(50);
  }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function install(): Promise<string> {
  const python = join(environment, 'bin/python');
  const mark = join(environment, 'lib/installed');
  if (existsSync(mark)) return python;
  await run('python3', ['-m', 'venv', '--clear', environment]);
  const requirements = join(folder, 'requirements.txt');
  await run(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '-r', requirements]);
  await run('touch', [mark]);
  return python;
}
