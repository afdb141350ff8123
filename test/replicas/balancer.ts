import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '#test/free-port.ts';
import { startRelay, type Target } from './relay.ts';

export type Balancer = { kind: 'nginx' | 'relay'; url: string; close: () => Promise<void> };

const shipped = path.join(import.meta.dirname, '../../deploy/nginx.conf');

/** nginx with the configuration that we ship, or where there is no nginx a relay of our own. */
export async function startBalancer(targets: readonly Target[], report: (line: string) => void): Promise<Balancer> {
  try {
    await promisify(execFile)('nginx', ['-v']);
  } catch {
    report('no nginx (Debian: apt-get install nginx-light): a relay of our own instead');
    const relay = await startRelay('127.0.0.1', targets);
    return { kind: 'relay', url: `http://127.0.0.1:${relay.port}`, close: relay.close };
  }
  return startNginx(targets);
}

async function startNginx(targets: readonly Target[]): Promise<Balancer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fanfold-nginx-'));
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, configOf(await readFile(shipped, 'utf8'), { targets, port, folder }));
  const child = spawn('nginx', ['-p', folder, '-c', file, '-e', path.join(folder, 'error.log')], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  for (let n = 0; n < 100; n += 1) {
    if (await isOpen(url)) return { kind: 'nginx', url, close };
    await sleep(50);
  }
  const log = await readFile(path.join(folder, 'error.log'), 'utf8').catch(() => '');
  await close();
  throw new Error(`nginx does not start: ${log}`);
}

/** The shipped file with these replicas and places; whatever else is in it stays as it is. */
function configOf(
  text: string,
  { targets, port, folder }: { targets: readonly Target[]; port: number; folder: string },
) {
  const servers = targets.map(({ host, port: each }) => `server ${host}:${each} max_fails=2 fail_timeout=5s;`);
  const changes: [RegExp, string][] = [
    [/server replica:8787 [^;]*;/, servers.join('\n    ')],
    [/listen 8787;/, `listen 127.0.0.1:${port};`],
    [/access_log \S+ plain;/, `access_log ${folder}/access.log plain;`],
  ];
  let changed = text;
  for (const [from, to] of changes) {
    if (!from.test(changed)) throw new Error(`deploy/nginx.conf has no ${from.source} any more.`);
    changed = changed.replace(from, to);
  }
  return `daemon off;\npid ${folder}/nginx.pid;\n${changed}`;
}

async function isOpen(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { signal: AbortSignal.timeout(2_000) })).text();
    return true;
  } catch {
    return false;
  }
}
