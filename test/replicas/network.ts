import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '#test/free-port.ts';

const run = promisify(execFile);

/** Where a machine of the run lives: on this machine, or in a network namespace as on a machine of its own. */
export type Place = {
  host: string;
  port: number;
  /** In front of a command that runs there. */
  prefix: readonly string[];
  /** Takes its cable out, or puts it in again; null: it has none of its own. */
  link: ((state: 'up' | 'down') => Promise<void>) | null;
  /** Delays what it sends; null: the system cannot. */
  delay: ((ms: number) => Promise<void>) | null;
  /** Ends everything that runs there, as when the power is cut; null: nobody knows what that is. */
  powerOff: (() => Promise<void>) | null;
};

export type Network = {
  kind: 'namespaces' | 'ports';
  /** Address of this side, as the machines reach it. */
  hub: string;
  places: readonly Place[];
  close: () => Promise<void>;
};

/** Namespaces joined by a bridge where the system lets us make them (root on Linux), else ports of one machine. */
export async function openNetwork(count: number, report: (line: string) => void): Promise<Network> {
  try {
    return await openNamespaces(count);
  } catch (error) {
    const [why = ''] = String(error instanceof Error ? error.message : error).split('\n');
    report(`no network namespaces (${why}): ports instead, and nothing is cut off`);
    return openPorts(count);
  }
}

async function openPorts(count: number): Promise<Network> {
  const places: Place[] = [];
  for (let n = 0; n < count; n += 1)
    places.push({ host: '127.0.0.1', port: await freePort(), prefix: [], link: null, delay: null, powerOff: null });
  return { kind: 'ports', hub: '127.0.0.1', places, close: async () => {} };
}

const ip = (...args: string[]) => run('ip', args);

async function openNamespaces(count: number): Promise<Network> {
  // Several runs at once must not meet: names and addresses are of this process.
  const id = process.pid % 65_536;
  const net = `10.${64 + ((id >> 8) % 128)}.${id & 255}`;
  const bridge = `ffb${id}`;
  await using made = new AsyncDisposableStack();
  await ip('link', 'add', bridge, 'type', 'bridge');
  made.defer(async () => void (await ip('link', 'del', bridge)));
  await ip('addr', 'add', `${net}.1/24`, 'dev', bridge);
  await ip('link', 'set', bridge, 'up');
  const places: Place[] = [];
  for (let n = 0; n < count; n += 1) {
    const space = `ff${id}-${n}`;
    const [outer, inner, host] = [`ffo${id}-${n}`, `ffi${id}-${n}`, `${net}.${11 + n}`];
    await ip('netns', 'add', space);
    made.defer(async () => void (await ip('netns', 'del', space)));
    await ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner);
    await ip('link', 'set', outer, 'master', bridge, 'up');
    await ip('link', 'set', inner, 'netns', space);
    const inside = (...args: string[]) => ip('-n', space, ...args);
    await inside('addr', 'add', `${host}/24`, 'dev', inner);
    await inside('link', 'set', inner, 'up');
    await inside('link', 'set', 'lo', 'up');
    places.push({
      host,
      port: 8787,
      prefix: ['ip', 'netns', 'exec', space],
      link: async (state) => void (await ip('link', 'set', outer, state)),
      delay: (await canDelay(outer)) ? (ms) => delay(outer, ms) : null,
      powerOff: () => endAll(space),
    });
  }
  const all = made.move();
  return { kind: 'namespaces', hub: `${net}.1`, places, close: () => all.disposeAsync() };
}

async function endAll(space: string): Promise<void> {
  for (;;) {
    const { stdout } = await ip('netns', 'pids', space);
    const pids = stdout
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 1);
    if (pids.length === 0) return;
    for (const pid of pids) endOne(pid);
    await sleep(100);
  }
}

function endOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was quicker.
  }
}

async function delay(device: string, ms: number): Promise<void> {
  if (ms === 0) await run('tc', ['qdisc', 'del', 'dev', device, 'root']);
  else await run('tc', ['qdisc', 'add', 'dev', device, 'root', 'netem', 'delay', `${ms}ms`]);
}

/** Not every kernel has netem. */
async function canDelay(device: string): Promise<boolean> {
  try {
    await delay(device, 1);
    await delay(device, 0);
    return true;
  } catch {
    return false;
  }
}
