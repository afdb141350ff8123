import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '#test/free-port.ts';
import { pythonEnvironment } from '#test/python-environment.ts';
import { RayClient } from './ray-client.ts';

const requirements = fileURLToPath(new URL('../../../trainer/requirements-ray.txt', import.meta.url));
const startMs = 150_000;

/** A Python with Ray in it, made once; null with the reason where there is none to be had. */
export async function installRay(): Promise<{ bin: string } | { bin: null; reason: string }> {
  try {
    return { bin: await pythonEnvironment('ray/venv', requirements) };
  } catch (error) {
    return { bin: null, reason: String(error).slice(0, 2_000) };
  }
}

export type RayCluster = { url: string; token: string; python: string; stop: () => Promise<void> };

/** `ray start --head` with few resources and a token, on free ports. */
export async function startRay(bin: string): Promise<RayCluster> {
  // Sockets below it: their paths must be short.
  const folder = await mkdtemp(join(tmpdir(), 'ray-'));
  const token = 'a-token-of-the-cluster-that-is-long-enough';
  const [dashboard, agent, clients] = await Promise.all([freePort(), freePort(), freePort()]);
  const log = openSync(join(folder, 'start.log'), 'w');
  const child = spawn(
    join(bin, 'python'),
    [
      ...[join(bin, 'ray'), 'start', '--head', '--block', '--port=0', '--num-cpus=2', '--disable-usage-stats'],
      ...['--dashboard-host=127.0.0.1', `--dashboard-port=${dashboard}`, `--dashboard-agent-listen-port=${agent}`],
      ...[`--ray-client-server-port=${clients}`, '--object-store-memory=80000000', `--temp-dir=${folder}`],
      // From the system's own range; by itself it takes them from where free ports of tests are.
      ...['--min-worker-port=0', '--max-worker-port=0'],
    ],
    {
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: folder,
        LANG: 'C.UTF-8',
        RAY_AUTH_MODE: 'token',
        RAY_AUTH_TOKEN: token,
      },
      stdio: ['ignore', log, log],
      detached: true,
    },
  );
  closeSync(log);
  const cluster = { url: `http://127.0.0.1:${dashboard}`, token, python: join(bin, 'python') };
  const stop = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await untilReady(new RayClient(cluster), child);
    return { ...cluster, stop };
  } catch (error) {
    const said = await readFile(join(folder, 'start.log'), 'utf8');
    await stop();
    throw new Error(`Ray did not start: ${said.slice(-3_000)}`, { cause: error });
  }
}

async function untilReady(client: RayClient, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + startMs;
  for (;;) {
    try {
      await client.find('nobody');
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadline) throw error;
    }
    await sleep(200);
  }
}

/** It ends what it has started itself. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), 15_000);
  await ended;
  clearTimeout(timer);
}
