import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { watchMemory } from './memory-watch.ts';

const bound = { mostBytes: 400 * 1024 * 1024, everyMs: 20 };
const startChild = (program: string) =>
  spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
const allocating = 'const held = []; for (;;) held.push(Buffer.alloc(1 << 20, 1));';

test('a process that takes too much memory is noticed while it does nothing else', {
  skip: process.platform !== 'linux' && 'only Linux reports the memory of another process',
}, async () => {
  const child = startChild(allocating);
  watchMemory(pidOf(child), bound, () => child.kill('SIGKILL'));
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL');
});

test('a process within its bound is left alone, and so is one that is no longer watched', async () => {
  const child = startChild('console.log(1); setInterval(() => {}, 1000)');
  const noticed: string[] = [];
  const endWatch = watchMemory(pidOf(child), bound, () => noticed.push('within its bound'));
  watchMemory(pidOf(child), { ...bound, mostBytes: 1 }, () => noticed.push('not watched'))();
  await once(child.stdout ?? child, 'data');
  for (let look = 0; look < 5; look++) await new Promise((resolve) => setTimeout(resolve, bound.everyMs));
  endWatch();
  child.kill('SIGKILL');
  assert.deepEqual(noticed, []);
});

function pidOf({ pid }: ChildProcess): number {
  assert.ok(pid !== undefined);
  return pid;
}
