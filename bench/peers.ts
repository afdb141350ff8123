import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '#test/free-port.ts';

/** Another gateway before the same upstream: one process, without its auth and billing. */
export type Peer = {
  name: string;
  port: number;
  /** What its callers send beside the body. */
  headers: Record<string, string>;
  pid: number;
  /** It answers within milliseconds also where many call. */
  isQuick: boolean;
  stop: () => Promise<void>;
};

type Recipe = {
  name: string;
  isQuick: boolean;
  version: string;
  install: (folder: string) => Promise<void>;
  /** In a folder of its own for what it writes. */
  start: (how: { folder: string; port: number; upstreamPort: number; scratch: string }) => Promise<ChildProcess>;
  headers: (upstreamPort: number) => Record<string, string>;
};

const run = promisify(execFile);
const cache = path.join(import.meta.dirname, '../.cache/bench-peers');
const installMs = 15 * 60_000;
const startMs = 120_000;

const portkey: Recipe = {
  name: 'Portkey',
  isQuick: true,
  version: '1.15.2',
  async install(folder) {
    const dependencies = { '@portkey-ai/gateway': this.version };
    // With the newest of this package its streams are answered 500 (gateway issue 1389).
    const overrides = { '@hono/node-server': '1.14.1' };
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, timeout: installMs });
  },
  async start({ folder, port, scratch }) {
    const program = path.join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
    const env = { ...process.env, NODE_ENV: 'production' };
    return spawn(process.execPath, [program, `--port=${port}`, '--headless'], { cwd: scratch, env, stdio: 'ignore' });
  },
  headers: (upstreamPort) => ({
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
  }),
};

const litellm: Recipe = {
  name: 'LiteLLM',
  isQuick: false,
  version: '1.93.0',
  async install(folder) {
    const options = { timeout: installMs, maxBuffer: 64 * 1024 * 1024 };
    await run('python3', ['-m', 'venv', folder], options);
    await run(path.join(folder, 'bin/pip'), ['install', '-q', `litellm[proxy]==${this.version}`], options);
  },
  async start({ folder, port, upstreamPort, scratch }) {
    const config = path.join(scratch, 'config.yaml');
    await writeFile(
      config,
      `model_list:
  - model_name: chat
    litellm_params: { model: openai/chat, api_base: "http://127.0.0.1:${upstreamPort}/v1", api_key: none }
`,
    );
    const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'];
    // It asks its maker for prices and versions otherwise.
    const env = { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR', NO_PROXY: '127.0.0.1' };
    return spawn(path.join(folder, 'bin/litellm'), args, { cwd: scratch, env, stdio: 'ignore' });
  },
  headers: () => ({}),
};

/**
 * Starts the gateways that can be installed here, each into a folder of its own under `.cache`; of any other one line tells
 * why it is left out.
 */
export async function startPeers(upstreamPort: number): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const recipe of [portkey, litellm]) {
    try {
      peers.push(await startPeer(recipe, upstreamPort));
    } catch (error) {
      const [why = ''] = String(error instanceof Error ? error.message : error).split('\n');
      console.error(`${recipe.name} ${recipe.version} is left out: ${why}`);
    }
  }
  return peers;
}

async function startPeer(recipe: Recipe, upstreamPort: number): Promise<Peer> {
  const folder = await installed(recipe);
  const port = await freePort();
  const scratch = await mkdtemp(path.join(tmpdir(), 'fanfold-peer-'));
  const child = await recipe.start({ folder, port, upstreamPort, scratch });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  };
  const headers = recipe.headers(upstreamPort);
  try {
    await untilAnswers({ port, headers, child });
  } catch (error) {
    await stop();
    throw error;
  }
  return { name: recipe.name, port, headers, pid: child.pid ?? 0, isQuick: recipe.isQuick, stop };
}

/** The folder of an installation that was completed once. */
async function installed(recipe: Recipe): Promise<string> {
  const folder = path.join(cache, `${recipe.name.toLowerCase()}-${recipe.version}`);
  const mark = path.join(folder, '.complete');
  if (existsSync(mark)) return folder;
  console.error(`installing ${recipe.name} ${recipe.version} ...`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await recipe.install(folder);
  await writeFile(mark, '');
  return folder;
}

async function untilAnswers({ port, headers, child }: Pick<Peer, 'port' | 'headers'> & { child: ChildProcess }) {
  const deadline = performance.now() + startMs;
  while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const status = await callOnce(port, headers).catch(() => 0);
    if (status === 200) return;
    await sleep(200);
  }
  throw new Error('It did not answer a call.');
}

async function callOnce(port: number, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none', ...headers },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello!' }] }),
    signal: AbortSignal.timeout(10_000),
  });
  await response.text();
  return response.status;
}
