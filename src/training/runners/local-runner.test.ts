import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLocalRunner, type LocalRunnerOptions } from './local-runner.ts';
import { eventsOf, findPython, follow, openAttempts, protocolTrainer, runnerSuite, textsOf } from './runner.fixture.ts';
import { isEvent, type Runner } from './runner.ts';
import { trainerProgram } from './trainer-program.ts';

let attempts: Awaited<ReturnType<typeof openAttempts>>;
const opened: Runner[] = [];
const python = findPython();

before(async () => {
  attempts = await openAttempts();
});

after(async () => {
  await Promise.all(opened.map((runner) => runner.close()));
  await attempts.remove();
});

const program: LocalRunnerOptions['program'] = async function* (run) {
  yield 'Getting ready.';
  return {
    file: python,
    args: [protocolTrainer, '--spec', join(run.specFolder, 'spec.json')],
    cwd: run.specFolder,
    env: { PATH: process.env.PATH ?? '' },
  };
};

function open(options: Partial<LocalRunnerOptions> = {}): Runner {
  const runner = createLocalRunner({ program, killAfterMs: 60_000, orphanMs: 120_000, stopMs: 60_000, ...options });
  opened.push(runner);
  return runner;
}

runnerSuite('local', () => ({ open, attempts }));

test('what is made ready first is told, and an attempt that is canceled before its start never starts', async () => {
  const run = await attempts.attempt();
  const runner = open({
    async *program(_run, signal) {
      yield 'Installing.';
      await once(signal, 'abort');
      throw signal.reason;
    },
  });
  const { lines, outcome } = await follow(runner, run, { see: () => void runner.cancel(run) });
  assert.deepEqual(lines, [{ text: 'Installing.', line: 0 }]);
  assert.deepEqual(outcome, { kind: 'exited', code: 10 });
  assert.deepEqual((await follow(open(), run)).outcome, outcome);
});

test('several that ask for the same start get one process', async () => {
  const run = await attempts.attempt({ steps: 20 });
  const runner = open();
  const [one, other] = await Promise.all([follow(runner, run), follow(runner, run)]);
  assert.deepEqual(eventsOf(one), eventsOf(other));
  const elsewhere = await attempts.attempt({ steps: 20 });
  const [first, second] = await Promise.all([follow(open(), elsewhere), follow(open(), elsewhere)]);
  assert.deepEqual(eventsOf(first), eventsOf(second));
  assert.equal(eventsOf(first).filter(({ event }) => event === 'hello').length, 1);
});

test('a server that stops lets its attempts write a checkpoint, and a restart goes on in the same folder', async () => {
  const run = await attempts.attempt({ steps: 3000 });
  const runner = open();
  const stopped = new AbortController();
  const see = (line: Parameters<typeof isEvent>[0]) => {
    if (isEvent(line) && line.seq === 5) stopped.abort(new Error('The server stops.'));
  };
  await assert.rejects(follow(runner, run, { signal: stopped.signal, see }), /The server stops/);
  await runner.close();
  const told = await follow(open(), { ...run, afterSeq: 5 });
  assert.deepEqual(told.outcome, { kind: 'exited', code: 75 });
  const last = eventsOf(told).at(-1)?.seq ?? 5;
  const restarted = await follow(
    open(),
    {
      ...run,
      restart: 1,
      afterSeq: last,
      // The fixture reads its steps from the file; what is checked here are numbers that go on.
    },
    { see: (line) => void (isEvent(line) && line.seq === last + 4 && opened.at(-1)?.cancel({ ...run, restart: 1 })) },
  );
  assert.equal(eventsOf(restarted)[0]?.seq, last + 1);
  assert.deepEqual(restarted.outcome, { kind: 'exited', code: 10 });
});

test('a server that is killed leaves an attempt that ends by itself, and the next server learns how', async () => {
  const run = await attempts.attempt({ steps: 3000 });
  const script = `
    import { createLocalRunner } from ${JSON.stringify(new URL('./local-runner.ts', import.meta.url).href)};
    const run = JSON.parse(process.argv[1]);
    const runner = createLocalRunner({ program: async function* () {
      return { file: ${JSON.stringify(python)}, args: [${JSON.stringify(protocolTrainer)}, '--spec', run.specFolder + '/spec.json'],
        cwd: run.specFolder, env: { PATH: process.env.PATH } };
    } });
    for await (const line of runner.run(run, new AbortController().signal)) if (line.seq === 5) process.kill(process.pid, 'SIGKILL');
  `;
  const server = spawn(process.execPath, ['--input-type=module', '-e', script, JSON.stringify(run)], {
    stdio: 'ignore',
  });
  const [, signal] = await once(server, 'exit');
  assert.equal(signal, 'SIGKILL');
  const told = await follow(open(), { ...run, afterSeq: 5 });
  assert.deepEqual(told.outcome, { kind: 'exited', code: 75 });
  assert.equal(eventsOf(told)[0]?.seq, 6);
});

test('a trainer gets names of the environment that it needs, and no secrets', async () => {
  const run = await attempts.attempt({ words: 'environment' });
  const environment = {
    ...process.env,
    DATABASE_URL: 'postgres://secret',
    HF_TOKEN: 'secret',
    CUDA_VISIBLE_DEVICES: '0',
  };
  const real = trainerProgram({ environment, python, threads: 3 });
  const runner = open({
    async *program(...asked) {
      const made = yield* real(...asked);
      assert.deepEqual(made.args.slice(0, 3), ['-u', '-m', 'fanfold_trainer.lora.train']);
      return { ...made, args: [protocolTrainer, ...made.args.slice(3)] };
    },
  });
  const line = textsOf(await follow(runner, run)).find(({ text }) => text.startsWith('ENV '));
  const got = JSON.parse(line?.text.slice(4) ?? '{}');
  const { PATH, HOME, LC_CTYPE, LANG, PWD, SHLVL, _, OLDPWD, TZ, LD_LIBRARY_PATH, TMPDIR, ...rest } = got;
  assert.deepEqual(
    Object.fromEntries(Object.entries(rest).filter(([name]) => !/^(LC_|NVIDIA_|PYTORCH_|__CF)/.test(name))),
    {
      CUDA_VISIBLE_DEVICES: '0',
      HF_HUB_OFFLINE: '1',
      HF_HUB_DISABLE_TELEMETRY: '1',
      TRANSFORMERS_OFFLINE: '1',
      TOKENIZERS_PARALLELISM: 'false',
      PYTHONHASHSEED: '0',
      PYTHONUNBUFFERED: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      OMP_NUM_THREADS: '3',
      PYTHONPATH: fileURLToPath(new URL('../../../trainer', import.meta.url)),
    },
  );
});

test('a program that is not there ends an attempt with the code of the shell', async () => {
  const run = await attempts.attempt();
  const runner = open({
    async *program() {
      yield 'Getting ready.';
      return { file: '/nowhere/python', args: [], cwd: run.specFolder, env: {} };
    },
  });
  assert.deepEqual((await follow(runner, run)).outcome, { kind: 'exited', code: 127 });
  assert.equal(await readFile(join(run.specFolder, 'start-0/exit'), 'utf8'), '127\n');
});

test('an attempt that a full disk ended is told by its code, though the code cannot be written down', async () => {
  const run = await attempts.attempt();
  const noRoom = 'rm -f start-0/exit.new; mkdir start-0/exit.new; exit 32';
  const runner = open({
    async *program() {
      yield 'Getting ready.';
      return { file: '/bin/sh', args: ['-c', noRoom], cwd: run.specFolder, env: { PATH: process.env.PATH ?? '' } };
    },
  });
  assert.deepEqual((await follow(runner, run)).outcome, { kind: 'exited', code: 32 });
});
