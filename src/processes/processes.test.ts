import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { pbkdf2, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { childEnvironment, ProcessGoneError, RequestProcess, startProcess } from './index.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fanfold-processes-'));
});
after(() => rm(folder, { recursive: true }));

const env = { PATH: process.env['PATH'] ?? '' };
const room = new URL('./index.ts', import.meta.url).href;
const isLinux = process.platform === 'linux';

/** Processes with this word in their command line. */
async function processesWith(word: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => lines[index]?.includes(word));
}

async function untilNone(word: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while ((await processesWith(word)).length > 0) {
    assert.ok(performance.now() < deadline, 'A process is still there.');
    await sleep(20);
  }
}

test('children get names of the environment that they need, and no secrets', () => {
  const environment = {
    PATH: '/bin',
    LC_ALL: 'C',
    CUDA_VISIBLE_DEVICES: '0',
    NODE_COMPILE_CACHE: '/tmp/x',
    DATABASE_URL: 'postgres://secret',
    HF_TOKEN: 'secret',
    AWS_SECRET_ACCESS_KEY: 'secret',
    TZ: undefined,
  };
  assert.deepEqual(childEnvironment(environment), { PATH: '/bin', LC_ALL: 'C' });
  assert.deepEqual(childEnvironment(environment, 'node', 'accelerators'), {
    PATH: '/bin',
    LC_ALL: 'C',
    CUDA_VISIBLE_DEVICES: '0',
    NODE_COMPILE_CACHE: '/tmp/x',
  });
});

test('output comes line by line, and the exit report has the last lines of stderr', async () => {
  const lines: string[] = [];
  const script = 'echo one; echo; printf two; echo "it broke" >&2; exit 3';
  const child = startProcess('/bin/sh', { args: ['-c', script], env, output: (line) => lines.push(line) });
  const { code, signal, reason, crashed, tail } = await child.exited;
  assert.deepEqual(
    { code, signal, reason, crashed, tail },
    {
      code: 3,
      signal: null,
      reason: 'exit code 3',
      crashed: false,
      tail: 'it broke',
    },
  );
  assert.deepEqual(lines.toSorted(), ['it broke', 'one', 'two']);
});

test('a program that cannot be started is reported, not thrown', async () => {
  const child = startProcess('/nowhere/program', { env });
  await assert.rejects(child.started, { code: 'ENOENT' });
  assert.match((await child.exited).reason, /ENOENT/);
  assert.equal(child.isRunning, false);
});

test('a process that ignores the request to end is killed after the time, with its group', async () => {
  const word = randomUUID();
  const script = `trap "" TERM; /bin/sh -c 'sleep 300; : ${word}' & echo ready; wait; sleep 300`;
  const ready = Promise.withResolvers<void>();
  const child = startProcess('/bin/sh', { args: ['-c', script], env, leadsGroup: true, output: () => ready.resolve() });
  await ready.promise;
  await child.stop(300);
  assert.equal((await child.exited).signal, 'SIGKILL');
  child.killGroup();
  if (isLinux) await untilNone(word);
});

test('a process gets its signal when its parent is killed', { skip: !isLinux }, async () => {
  const word = randomUUID();
  const program = `
    import { startProcess } from ${JSON.stringify(room)};
    const script = 'echo ready; sleep 300; : ${word}';
    startProcess('/bin/sh', { args: ['-c', script], leadsGroup: true, signalOnParentDeath: 'SIGKILL', output: console.log });
    setInterval(() => {}, 1000);`;
  const file = join(folder, 'parent.ts');
  await writeFile(file, program);
  const parent = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  assert.ok((await processesWith(word)).length > 0);
  parent.kill('SIGKILL');
  await untilNone(word);
});

test('a process that ends at once leaves no guard behind, which would signal whoever has its number later', {
  skip: !isLinux,
}, async () => {
  const word = randomUUID();
  // While files are closed late, as on a busy machine, the end comes before the start has returned.
  const busy = Array.from({ length: 16 }, () => promisify(pbkdf2)('', '', 200_000, 64, 'sha512'));
  const child = startProcess('/bin/false', { args: [word], env, signalOnParentDeath: 'SIGKILL' });
  await child.exited;
  await untilNone(word);
  await Promise.all(busy);
});

test('requests are answered in their order, and a process that dies is replaced', async () => {
  const script = join(folder, 'answers.ts');
  await writeFile(
    script,
    `import { serveRequests } from ${JSON.stringify(room)};
     serveRequests((request: number) => {
       if (request === 13) process.abort();
       if (request === 0) throw new Error('Not zero.');
       return 10 / request;
     });`,
  );
  const child = new RequestProcess<number, number>({ script, env, timeoutMs: 60_000, idleMs: 60_000 });
  assert.deepEqual(await Promise.all([1, 2, 5].map((request) => child.request(request))), [10, 5, 2]);
  await assert.rejects(child.request(0), /Not zero/);
  const [crashed, behind] = await Promise.allSettled([child.request(13), child.request(1)]);
  assert.ok(crashed.status === 'rejected' && crashed.reason instanceof ProcessGoneError);
  assert.ok(behind.status === 'rejected' && behind.reason instanceof ProcessGoneError);
  assert.deepEqual(
    [crashed.reason.exit.crashed, crashed.reason.wasServed, behind.reason.wasServed],
    [true, true, false],
  );
  assert.equal(await child.request(1), 10);
  await child.stop();
});

test('a Node program ends when the process that started it is killed', { skip: !isLinux }, async () => {
  const word = randomUUID();
  const script = join(folder, `${word}.ts`);
  await writeFile(script, `import { serveRequests } from ${JSON.stringify(room)}; serveRequests(() => 1);`);
  const file = join(folder, 'owner.ts');
  await writeFile(
    file,
    `import { RequestProcess } from ${JSON.stringify(room)};
     const child = new RequestProcess({ script: ${JSON.stringify(script)}, env: {}, timeoutMs: 60_000, idleMs: 60_000 });
     console.log(await child.request(1));
     setInterval(() => {}, 1000);`,
  );
  const parent = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  assert.equal((await processesWith(word)).length, 1);
  parent.kill('SIGKILL');
  await untilNone(word);
});
