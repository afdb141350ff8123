import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Fault, type FaultName } from '#kernel';
import type { EngineOptions } from '../engine.ts';
import type { Delta } from '../port.ts';
import {
  ask,
  chatPrompt,
  createScriptedEngine,
  greedy,
  isAlive,
  never,
  readyPids,
  type ScriptedEngine,
  until,
} from './scripted-engine.fixture.ts';

const opened: ScriptedEngine[] = [];
after(async () => {
  await Promise.all(opened.map((scripted) => scripted.close()));
});

function open(options: Partial<EngineOptions> = {}): ScriptedEngine {
  const scripted = createScriptedEngine(options);
  opened.push(scripted);
  return scripted;
}

/** A predicate for `assert.rejects`. */
function isFault(name: FaultName, check: (fault: Fault) => boolean = () => true): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Fault, `Expected a fault, got ${error}`);
    assert.equal(error.fault, name);
    return check(error);
  };
}

const hintsRetry = ({ options }: Fault) =>
  Number.isInteger(options.retryAfterSeconds) &&
  Number(options.retryAfterSeconds) >= 1 &&
  Number(options.retryAfterSeconds) <= 59;

test('twenty callers at once share one load', async () => {
  const { engine, install, log } = open();
  install('m', { loadMs: 100 });
  assert.equal(engine.status('m').status, 'cold');
  const calls = Array.from({ length: 20 }, () => ask(engine, 'm', { behaviour: { deltas: 2 } }));
  assert.equal(engine.status('m').status, 'loading');
  assert.ok(Number(engine.status('m').etaMs) > 0);
  for (const finished of await Promise.all(calls)) assert.equal(finished.reason, 'stop');
  assert.equal(readyPids(log).length, 1);
  assert.deepEqual(engine.status('m'), { status: 'ready', etaMs: null, error: null });
});

test('a caller that leaves during the load neither ends it nor waits for it', async () => {
  const { engine, install, log } = open();
  install('m', { loadMs: 200 });
  const caller = new AbortController();
  const left = ask(engine, 'm', { signal: caller.signal });
  await until(() => engine.status('m').status === 'loading');
  caller.abort(new Error('left'));
  await assert.rejects(left, /left/);
  assert.equal(engine.status('m').status, 'loading');
  await until(() => engine.status('m').status === 'ready');
  assert.equal(readyPids(log).length, 1);
});

test('a caller waits for a load no longer than the bound and gets model_warming with a Retry-After; the load goes on', async () => {
  const { engine, install } = open({ settings: { warmWaitMs: 50 } });
  install('m', { loadMs: 700 });
  await assert.rejects(ask(engine, 'm'), isFault('model_warming', hintsRetry));
  await until(() => engine.status('m').status === 'ready');
  assert.equal((await ask(engine, 'm')).reason, 'stop');
});

test('a model that is not installed is refused with the command that installs it, and works once it is', async () => {
  const { engine, install, models } = open();
  await assert.rejects(
    ask(engine, 'm'),
    isFault('model_not_installed', ({ message }) => message.includes('fanfold models pull m')),
  );
  install('m');
  assert.equal((await ask(engine, 'm')).reason, 'stop');
  models.pop();
  await assert.rejects(ask(engine, 'm'), isFault('model_not_installed'));
});

test('a load that fails is refused at once until its back-off is over, and is not tried before', async () => {
  const { engine, install, log } = open();
  install('m', { fails: 'bad tensor' });
  await assert.rejects(ask(engine, 'm'), isFault('capacity_unavailable', hintsRetry));
  assert.deepEqual(engine.status('m'), { status: 'failed', etaMs: null, error: 'bad tensor' });
  await assert.rejects(ask(engine, 'm'), isFault('capacity_unavailable', hintsRetry));
  engine.warm('m');
  assert.equal(log.filter(({ message }) => message === 'The model cannot be loaded').length, 1);
});

test('a repaired file is loaded without waiting for the back-off', async () => {
  const { engine, install } = open();
  const { ggufPath } = install('m', { fails: 'bad tensor' });
  await assert.rejects(ask(engine, 'm'), isFault('capacity_unavailable'));
  writeFileSync(ggufPath, '{ "loadMs": 1 }');
  assert.equal((await ask(engine, 'm')).reason, 'stop');
  assert.equal(engine.status('m').status, 'ready');
});

test('a file that is gone while the model is cold is a refusal, and its return is noticed', async () => {
  const { engine, install } = open();
  const { ggufPath } = install('m');
  rmSync(ggufPath);
  await assert.rejects(ask(engine, 'm'), isFault('capacity_unavailable'));
  assert.equal(engine.status('m').status, 'failed');
  writeFileSync(ggufPath, '{}');
  assert.equal((await ask(engine, 'm')).reason, 'stop');
});

test('a model installed anew is served from its new file while running requests finish on the old one', async () => {
  const { engine, install, models, log } = open();
  const old = install('m');
  const running = ask(engine, 'm', { behaviour: { deltas: 40, stepMs: 5 } });
  await until(() => readyPids(log).length === 1);
  install('m-new');
  models.splice(0, 2, { ...old, ggufPath: old.ggufPath.replace('m.gguf', 'm-new.gguf') });
  assert.equal((await ask(engine, 'm')).reason, 'stop');
  const [oldPid = 0, newPid = 0] = readyPids(log);
  assert.notEqual(oldPid, newPid);
  assert.equal((await running).usage.completionTokens, 40);
  await until(() => !isAlive(oldPid));
});

test('a child that dies under requests fails them as generation_failed, and the model serves again', async () => {
  const { engine, install, log } = open();
  install('m');
  const seen: Delta[] = [];
  const early = ask(engine, 'm', {
    behaviour: { crashAt: 3, deltas: 9, stepMs: 5 },
    onDelta: (delta) => seen.push(delta),
  });
  await assert.rejects(early, isFault('generation_failed'));
  assert.equal(seen.length, 3);
  const beforeFirst = ask(engine, 'm', { behaviour: { crashAt: 0 }, onDelta: (delta) => seen.push(delta) });
  await assert.rejects(beforeFirst, isFault('generation_failed'));
  assert.equal(seen.length, 3);
  assert.equal((await ask(engine, 'm')).reason, 'stop');
  assert.equal(new Set(readyPids(log)).size, 3);
});

test('kill -9 of a child is recovered from by the next request', async () => {
  const { engine, install, log } = open();
  install('m');
  await ask(engine, 'm');
  process.kill(readyPids(log)[0] ?? 0, 'SIGKILL');
  await until(() => engine.status('m').status !== 'ready');
  assert.equal((await ask(engine, 'm')).reason, 'stop');
});

test('preparing that is cut off by a crash is repeated once on the new child', async () => {
  const { engine, install, folder, log } = open();
  install('m');
  const marker = join(folder, 'die');
  writeFileSync(marker, '');
  assert.equal((await ask(engine, 'm', { behaviour: { diesPreparing: marker } })).reason, 'stop');
  assert.equal(readyPids(log).length, 2);
});

test('a prompt whose child died before its run is refused as model_warming and keeps nobody out', async () => {
  const { engine, install, log } = open({ settings: { sequences: 1, maxQueue: 0 } });
  install('m');
  const { handle } = await engine.prepareChat(chatPrompt('m', '{}'), never);
  process.kill(readyPids(log)[0] ?? 0, 'SIGKILL');
  await until(() => engine.status('m').status !== 'ready');
  assert.equal((await ask(engine, 'm')).reason, 'stop');
  const generation = { handle, sampling: greedy, cacheScope: 'a', signal: never };
  await assert.rejects(
    engine.generate(generation, () => {}),
    isFault('model_warming', hintsRetry),
  );
});

test('a child that dies again and again while loading is given up until the back-off is over', async () => {
  const { engine, install, log } = open();
  install('m', { dies: true });
  await assert.rejects(ask(engine, 'm'), isFault('capacity_unavailable', hintsRetry));
  assert.equal(log.filter(({ message }) => message === 'The engine child died').length, 2);
  assert.match(String(engine.status('m').error), /exit code 9/);
});

test('a child that is silent at work is killed and its request fails', async () => {
  const { engine, install } = open({ settings: { hangMs: 200, batchTokens: 1 } });
  install('m');
  await assert.rejects(ask(engine, 'm', { behaviour: { hangAt: 2, deltas: 5 } }), isFault('generation_failed'));
  assert.equal((await ask(engine, 'm')).reason, 'stop');
});

test('a caller that leaves ends its generation within a step and gets its metered time', async () => {
  const { engine, install } = open();
  install('m');
  const caller = new AbortController();
  let deltas = 0;
  const finished = await ask(engine, 'm', {
    behaviour: { deltas: 100_000 },
    signal: caller.signal,
    onDelta: () => {
      deltas += 1;
      if (deltas === 3) caller.abort();
    },
  });
  assert.equal(finished.reason, 'cancelled');
  assert.ok(finished.activeMs >= 3);
  assert.equal(deltas, 3);
});

test('a receiver that throws ends its own generation and nobody else', async () => {
  const { engine, install } = open();
  install('m');
  await engine.prepareChat(chatPrompt('m', '{}'), never).then(({ handle }) => engine.release(handle));
  const thrower = () => {
    throw new Error('closed');
  };
  const [broken, whole] = await Promise.allSettled([
    ask(engine, 'm', { behaviour: { deltas: 20 }, onDelta: thrower }),
    ask(engine, 'm', { behaviour: { deltas: 20 } }),
  ]);
  assert.equal(broken.status, 'rejected');
  assert.equal(whole.status, 'fulfilled');
});

test('past its places a model refuses at once with a Retry-After, also while it loads, and takes callers again afterwards', async () => {
  const { engine, install } = open({ settings: { sequences: 2, maxQueue: 3 } });
  install('m', { loadMs: 50 });
  const calls = await Promise.allSettled(
    Array.from({ length: 9 }, () => ask(engine, 'm', { behaviour: { deltas: 3 } })),
  );
  const refused = calls.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []));
  assert.equal(refused.length, 4);
  for (const error of refused) assert.ok(isFault('capacity_unavailable', hintsRetry)(error));
  assert.equal((await ask(engine, 'm')).reason, 'stop');
});

test('callers that left give their places back', async () => {
  const { engine, install } = open({ settings: { sequences: 1, maxQueue: 1 } });
  install('m', { loadMs: 150 });
  const caller = new AbortController();
  const left = [ask(engine, 'm', { signal: caller.signal }), ask(engine, 'm', { signal: caller.signal })];
  await assert.rejects(ask(engine, 'm'), isFault('capacity_unavailable'));
  caller.abort();
  await Promise.allSettled(left);
  assert.equal((await ask(engine, 'm')).reason, 'stop');
});

test('an embedding that takes longer than the limit is refused as capacity_unavailable and cancelled', async () => {
  const { engine, install } = open({ settings: { capacityWaitMs: 60, sequences: 1 } });
  install('e', { dimensions: 2 }, 'embedding');
  const embedding = async (behaviour: object) => {
    const inputs = {
      target: { baseModelId: 'e', adapter: null },
      texts: [JSON.stringify(behaviour)],
      maxInputTokens: 9,
      truncate: false,
    };
    const { handle, dimensions } = await engine.prepareEmbedding(inputs, never);
    assert.equal(dimensions, 2);
    return engine.embed({ handle, signal: never });
  };
  await assert.rejects(embedding({ deltas: 100_000 }), isFault('capacity_unavailable', hintsRetry));
  const { vectors } = await embedding({});
  assert.deepEqual(vectors, [new Float32Array([1, 0])]);
});

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
  await assert.rejects(ask(engine, 'b'), isFault('capacity_unavailable', hintsRetry));
  caller.abort();
  await Promise.all(busy);
  assert.equal((await ask(engine, 'b')).reason, 'stop');
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
  const fixture = fileURLToPath(new URL('./scripted-engine.fixture.ts', import.meta.url));
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
