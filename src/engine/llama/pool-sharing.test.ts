import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  ask,
  createScriptedEngine,
  hintsRetry,
  isAlive,
  isFault,
  readyPids,
  type ScriptedEngine,
  until,
} from '#test/scripted-engine.ts';
import type { EngineOptions } from '../engine-settings.ts';
import type { Delta } from '../port.ts';

const opened: ScriptedEngine[] = [];
after(async () => {
  await Promise.all(opened.map((scripted) => scripted.close()));
});

function open(options: Partial<EngineOptions> = {}): ScriptedEngine {
  const scripted = createScriptedEngine(options);
  opened.push(scripted);
  return scripted;
}

test('two models at work take turns: never both in a step, and neither starves', async () => {
  const { engine, install } = open();
  install('a');
  install('b');
  await Promise.all([ask(engine, 'a'), ask(engine, 'b')]);
  const steps: { pid: number; fromMs: number; toMs: number }[] = [];
  const onDelta = (delta: Delta) => {
    if (delta.type === 'content') steps.push(JSON.parse(delta.text));
  };
  const behaviour = { deltas: 60, stepMs: 5 };
  await Promise.all([ask(engine, 'a', { behaviour, onDelta }), ask(engine, 'b', { behaviour, onDelta })]);
  steps.sort((x, y) => x.fromMs - y.fromMs);
  let turns = 0;
  for (const [i, step] of steps.entries()) {
    const previous = steps[i - 1];
    if (previous === undefined || previous.pid === step.pid) continue;
    turns += 1;
    assert.ok(step.fromMs >= previous.toMs - 0.5, 'two children ran a step at once');
  }
  assert.equal(steps.length, 120);
  assert.ok(turns >= 4, `only ${turns} turns`);
});

test('a lease holder that dies leaves the lease to the others', async () => {
  const { engine, install } = open();
  install('a');
  install('b');
  await Promise.all([ask(engine, 'a'), ask(engine, 'b')]);
  const dying = ask(engine, 'a', { behaviour: { crashAt: 10, deltas: 20, stepMs: 5 } });
  const other = ask(engine, 'b', { behaviour: { deltas: 20, stepMs: 5 } });
  await assert.rejects(dying, isFault('generation_failed'));
  assert.equal((await other).reason, 'stop');
  assert.equal((await ask(engine, 'a')).reason, 'stop');
});

test('an idle model is unloaded and loaded again on demand', async () => {
  const { engine, install, log } = open({ settings: { idleUnloadMs: 80 } });
  install('m');
  await ask(engine, 'm', { behaviour: { deltas: 30, stepMs: 5 } });
  assert.equal(engine.status('m').status, 'ready');
  await until(() => engine.status('m').status === 'cold');
  await until(() => !isAlive(readyPids(log)[0] ?? 0));
  assert.equal((await ask(engine, 'm')).reason, 'stop');
});

test('the least recently used idle model makes room, a busy one does not', async () => {
  // Each scripted model is planned with about 120 MB for its process.
  const { engine, install, log } = open({ settings: { memoryLimitBytes: 300e6 } });
  for (const id of ['a', 'b', 'c']) install(id);
  await ask(engine, 'a');
  await ask(engine, 'b');
  await ask(engine, 'a');
  await ask(engine, 'c');
  assert.deepEqual([engine.status('a').status, engine.status('b').status], ['ready', 'cold']);
  assert.ok(log.some(({ message, fields }) => message === 'Model unloaded' && fields['model'] === 'b'));
  const caller = new AbortController();
  const running = new Set<string>();
  const busy = ['a', 'c'].map((id) => {
    const onDelta = () => running.add(id);
    return ask(engine, id, { behaviour: { deltas: 100_000, stepMs: 2 }, signal: caller.signal, onDelta });
  });
  await until(() => running.size === 2);
  for (let n = 0; n < 3; n++) await assert.rejects(ask(engine, 'b'), isFault('capacity_unavailable', hintsRetry));
  const told = () => log.flatMap(({ message }) => (/memory to load/.test(message) ? [message] : []));
  assert.deepEqual(told(), ['Too little memory to load the model'], 'once, and not for each call');
  caller.abort();
  await Promise.all(busy);
  assert.equal((await ask(engine, 'b')).reason, 'stop');
  assert.deepEqual(told().slice(1), ['There is memory to load the model again']);
});

test('children see none of the secrets in the environment of the server', async () => {
  const environment = {
    PATH: '/bin',
    DATABASE_URL: 'postgres://secret',
    FANFOLD_SECRET: 'x',
    NODE_OPTIONS: '--inspect',
    LANG: 'C',
  };
  const { engine, install, log } = open({ environment });
  install('m');
  await ask(engine, 'm');
  const line = log.find(({ message }) => message.startsWith('loading'))?.message ?? '';
  assert.match(line, /\bPATH\b/);
  assert.doesNotMatch(line, /DATABASE_URL|FANFOLD|NODE_OPTIONS/);
});

test('after close nothing is taken and no child is left', async () => {
  const { engine, install, log } = open();
  install('m', { loadMs: 0 });
  install('slow', { loadMs: 60_000 });
  await ask(engine, 'm');
  const waiting = ask(engine, 'slow');
  await until(() => engine.status('slow').status === 'loading');
  await Promise.all([assert.rejects(waiting, isFault('capacity_unavailable')), engine.close()]);
  for (const pid of readyPids(log)) assert.equal(isAlive(pid), false);
  await assert.rejects(ask(engine, 'm'), isFault('capacity_unavailable'));
});

test('kill -9 of the server leaves no child behind', async () => {
  const { folder } = open();
  writeFileSync(join(folder, 'm.gguf'), '{}');
  const fixture = import.meta.resolve('#test/scripted-engine.ts');
  const program = `
    import { ask, createScriptedEngine, readyPids } from ${JSON.stringify(fixture)};
    const scripted = createScriptedEngine();
    scripted.install('m');
    const run = ask(scripted.engine, 'm', { behaviour: { deltas: 1e9, stepMs: 5 }, onDelta: () => {
      if (scripted.said !== true) console.log(readyPids(scripted.log)[0], scripted.folder);
      scripted.said = true;
    } });
    await run;`;
  const server = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await new Promise<string>((resolve) => server.stdout.once('data', (chunk) => resolve(String(chunk))));
  const [pid, serverFolder] = said.trim().split(' ');
  server.kill('SIGKILL');
  await until(() => !isAlive(Number(pid)));
  rmSync(String(serverFolder), { recursive: true, force: true });
});
