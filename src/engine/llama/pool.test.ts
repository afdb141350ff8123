import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  ask,
  chatPrompt,
  createScriptedEngine,
  greedy,
  hintsRetry,
  isAlive,
  isFault,
  never,
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

test('twenty callers at once share one load', async () => {
  const { engine, install, log } = open();
  install('m', { loadMs: 100 });
  assert.equal(engine.status('m').status, 'cold');
  const calls = Array.from({ length: 20 }, () => ask(engine, 'm', { behaviour: { deltas: 2 } }));
  assert.equal(engine.status('m').status, 'loading');
  assert.ok(Number(engine.status('m').etaMs) > 0);
  for (const finished of await Promise.all(calls)) assert.equal(finished.reason, 'stop');
  assert.equal(readyPids(log).length, 1);
  const { loadedAtMs, ...status } = engine.status('m');
  assert.deepEqual(status, { status: 'ready', etaMs: null, error: null, runsOn: 'CPU' });
  assert.ok(Math.abs(Date.now() - Number(loadedAtMs)) < 60_000);
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
  assert.deepEqual(engine.status('m'), {
    status: 'failed',
    etaMs: null,
    loadedAtMs: null,
    error: 'bad tensor',
    runsOn: null,
  });
  await assert.rejects(ask(engine, 'm'), isFault('capacity_unavailable', hintsRetry));
  engine.warm('m');
  assert.equal(log.filter(({ message }) => message === 'The model cannot be loaded').length, 1);
});

test('a GPU that cannot be used keeps nobody from a model: it is loaded without it, and the log says why', async () => {
  const { engine, install, log } = open({ gpu: async () => ({ backend: 'cuda', libraryFolders: [] }) });
  install('m', { diesOnGpu: true });
  assert.equal((await ask(engine, 'm')).reason, 'stop');
  const [told, ...more] = log.filter(({ level }) => level === 'error');
  assert.deepEqual([told?.message, more], ['The GPU cannot be used; the model is loaded without it', []]);
  assert.match(JSON.stringify(told), /signal SIGABRT.*CUDA error: the provided PTX/);
  install('broken', { fails: 'bad tensor' });
  await assert.rejects(ask(engine, 'broken'), isFault('capacity_unavailable'));
  assert.equal(engine.status('broken').error, 'bad tensor');
});

test('a model that keeps dying on the GPU while it works is loaded on the CPU', async () => {
  const { engine, install } = open({ gpu: async () => ({ backend: 'vulkan', libraryFolders: [] }) });
  install('m');
  const crash = () => ask(engine, 'm', { behaviour: { crashAt: 1, deltas: 9 } });
  await ask(engine, 'm');
  assert.equal(engine.status('m').runsOn, 'vulkan');
  for (const runsOn of ['vulkan', 'CPU']) {
    await assert.rejects(crash(), isFault('generation_failed'));
    await until(() => engine.status('m').status === 'ready');
    assert.equal(engine.status('m').runsOn, runsOn);
  }
  assert.equal((await ask(engine, 'm')).reason, 'stop');
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

test('a prompt that a child crashed at is refused and not tried again; those behind it are', async () => {
  const { engine, install, log } = open();
  install('m');
  await ask(engine, 'm');
  const crashing = ask(engine, 'm', { behaviour: { crashesPreparing: true } });
  const behind = ask(engine, 'm');
  await assert.rejects(
    crashing,
    isFault('invalid_request', ({ options }) => options.param === 'messages'),
  );
  assert.equal((await behind).reason, 'stop');
  assert.equal(readyPids(log).length, 2);
});

test('a prompt that stands beside steps when a child crashes is tried once more, and refused if it was to blame', async () => {
  const { engine, install, log } = open();
  install('m');
  const running = ask(engine, 'm', { behaviour: { deltas: 1000, stepMs: 20 } });
  await until(() => readyPids(log).length === 1 && engine.load('m').running === 1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const crashing = ask(engine, 'm', { behaviour: { crashesPreparing: true } });
  await assert.rejects(running, isFault('generation_failed'));
  await assert.rejects(crashing, isFault('invalid_request'));
  assert.equal((await ask(engine, 'm')).reason, 'stop');
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
  const { engine, install } = open({ settings: { hangMs: 2_000, batchTokens: 1 } });
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

test('a caller who has taken all places of a model keeps no other one out', async () => {
  const { engine, install } = open({ settings: { sequences: 1, maxQueue: 3 } });
  install('m');
  const prepare = (scope: string) => engine.prepareChat({ ...chatPrompt('m', '{}'), scope }, never);
  const prepared = await Promise.all(['a', 'a', 'a', 'a'].map(prepare));
  await assert.rejects(prepare('a'), isFault('capacity_unavailable', hintsRetry));
  prepared.push(await prepare('b'));
  for (const { handle } of prepared) engine.release(handle);
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
  const { engine, install } = open({ settings: { capacityWaitMs: 2_000, sequences: 1 } });
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
