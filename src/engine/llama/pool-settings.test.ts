import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import {
  ask,
  chatPrompt,
  createScriptedEngine,
  greedy,
  isAlive,
  isFault,
  never,
  readyPids,
  type ScriptedEngine,
  until,
} from '#test/scripted-engine.ts';
import { createEngine } from '../engine.ts';
import { defaultSettings, type EngineOptions } from '../engine-settings.ts';
import type { EngineModel } from '../port.ts';
import { MemoryMeter } from './memory-meter.ts';

const opened: ScriptedEngine[] = [];
const folder = mkdtempSync(join(tmpdir(), 'fanfold-pool-'));
after(async () => {
  await Promise.all(opened.map((scripted) => scripted.close()));
  rmSync(folder, { recursive: true });
});

function open(options: Partial<EngineOptions> = {}): ScriptedEngine {
  const scripted = createScriptedEngine(options);
  opened.push(scripted);
  return scripted;
}

/** A call that runs until it is stopped. */
async function longCall({ engine }: ScriptedEngine) {
  const caller = new AbortController();
  let begun = false;
  const behaviour = { deltas: 100_000, stepMs: 2 };
  const done = ask(engine, 'm', { behaviour, signal: caller.signal, onDelta: () => (begun = true) });
  await until(() => begun);
  return { done, stop: () => caller.abort() };
}

function change({ models }: ScriptedEngine, settings: Partial<EngineModel>): void {
  const [model] = models;
  assert.ok(model);
  models[0] = { ...model, ...settings };
}

const changes: Partial<EngineModel>[] = [{ maxContextTokens: 128 }, { sequences: 2 }, { kv: 'q8_0' }];
for (const settings of changes)
  test(`new settings hold for the next call, and running calls finish: ${Object.keys(settings)}`, async () => {
    const scripted = open();
    const { engine, install, log } = scripted;
    install('m');
    const running = await longCall(scripted);
    change(scripted, settings);
    const prepared = await engine.prepareChat(chatPrompt('m', '{}'), never);
    assert.equal(prepared.maxContextTokens, settings.maxContextTokens ?? 64);
    const { handle } = prepared;
    assert.equal(
      (await engine.generate({ handle, sampling: greedy, cacheScope: 'a', signal: never }, () => {})).reason,
      'stop',
    );
    const [before = 0, now = 0] = readyPids(log);
    assert.ok(before !== now && isAlive(before) && isAlive(now));
    running.stop();
    assert.equal((await running.done).reason, 'cancelled');
    await until(() => !isAlive(before));
    assert.equal((await ask(engine, 'm')).reason, 'stop');
    assert.equal(readyPids(log).length, 2);
  });

test('without memory for both, calls with new settings wait for those that run, and are told so when it takes long', async () => {
  // Each scripted model is planned with about 120 MB for its process.
  const scripted = open({ settings: { memoryLimitBytes: 200e6, warmWaitMs: 300 } });
  const { engine, install, log } = scripted;
  install('m');
  const running = await longCall(scripted);
  change(scripted, { maxContextTokens: 128 });
  await assert.rejects(ask(engine, 'm'), isFault('model_warming'));
  assert.equal(engine.status('m').status, 'loading');
  running.stop();
  assert.equal((await running.done).reason, 'cancelled');
  await until(() => engine.status('m').status === 'ready');
  assert.equal((await ask(engine, 'm')).reason, 'stop');
  const [before = 0, now = 0] = readyPids(log);
  assert.ok(!isAlive(before) && isAlive(now));
});

test('where memory is short a model runs fewer calls at once, unless the operator says how many', async () => {
  const ggufPath = join(folder, 'm.gguf');
  writeRandomModel(ggufPath, { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: true });
  const model: EngineModel = { id: 'm', kind: 'text', ggufPath, maxContextTokens: 4_096 };
  const log: string[] = [];
  const meter = new MemoryMeter({ log: () => {}, environment: {} });
  const settings = { ...defaultSettings(), threads: 1 };
  const { need } = await meter.memoryOf(model, settings);
  await meter.close();
  const models = [model];
  const engine = createEngine({
    models: () => models,
    settings,
    log: (_level, message, { sequences }) => log.push(`${message} ${sequences}`),
    freeMemory: () => need[1]?.base.ram ?? 0,
  });
  try {
    const call = async () => {
      const { handle } = await engine.prepareChat(chatPrompt('m', 'Hello'), never);
      return engine.generate(
        { handle, sampling: { ...greedy, maxTokens: 2 }, cacheScope: 'a', signal: never },
        () => {},
      );
    };
    assert.ok((await call()).usage.completionTokens > 0);
    assert.ok(
      log.includes('Too little memory for all sequences: the model runs fewer calls at once 4'),
      log.join('\n'),
    );
    models[0] = { ...model, sequences: 8 };
    await assert.rejects(call(), isFault('capacity_unavailable'));
  } finally {
    await engine.close();
  }
});
