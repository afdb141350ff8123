import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { defaultSettings, type KvType, ModelPlanner } from '#engine';
import { type ModelShape, smallShape, writeRandomModel } from '#test/random-model.ts';
import { addModel } from './add-model.ts';
import type { SettingsChange } from './choose-settings.ts';
import { openModels } from './models-service.ts';
import { removeModel } from './remove-model.ts';
import { setModel } from './set-model.ts';
import { renderModel, showModel } from './show-model.ts';

const root = mkdtempSync(join(tmpdir(), 'fanfold-settings-'));
const cataloguePath = join(import.meta.dirname, '../../models/catalogue.yaml');
after(() => rmSync(root, { recursive: true, force: true }));

/** Cells of 3 kB for each token: a context of 32,768 tokens takes 100 MB for each call. */
const shape: ModelShape = {
  ...smallShape,
  layers: 3,
  cacheHeads: 4,
  heads: 4,
  headWidth: 64,
  width: 256,
  contextTokens: 32_768,
};

/** A server whose models may take so much memory, and a model that is to be added. */
function open(memoryMb: number, more: Partial<ModelShape> = {}) {
  const folder = mkdtempSync(join(root, 'case-'));
  const ggufPath = join(folder, 'm.gguf');
  writeRandomModel(ggufPath, { shape: { ...shape, ...more }, seed: 1, kind: 'text', spread: 0.02, ends: true });
  let nowMs = 0;
  const clock = { nowMs: () => Date.now(), monotonicMs: () => (nowMs += 1000) };
  const models = openModels({ cataloguePath, dataDir: folder, clock });
  const planner = new ModelPlanner({
    settings: { ...defaultSettings(), threads: 1 },
    memoryLimitBytes: memoryMb * 1e6,
    environment: {},
    log: () => {},
  });
  after(() => planner.close());
  return {
    models,
    planner,
    add: (given: { contextTokens?: number; sequences?: number; kv?: KvType } = {}) =>
      addModel(models, { id: 'm', kind: 'text', ggufPath, planner, force: true, ...given }),
    set: (change: SettingsChange, id = 'm') => setModel(models, planner, { id, change }),
    show: (id = 'm') => showModel(models, planner, id),
    engineModel: (id = 'm') => models.engineModels().find((model) => model.id === id),
  };
}

describe('the context of an added model', () => {
  test('is all that it supports where that fits, for as many calls at once as the server is set to', async () => {
    const { add, engineModel, show } = open(2_000);
    const { contextTokens, choice } = await add();
    assert.deepEqual([contextTokens, choice?.limitedBy, choice?.sequences], [32_768, 'model', 8]);
    assert.deepEqual([engineModel()?.maxContextTokens, engineModel()?.sequences], [32_768, null]);
    assert.match(renderModel(await show()), /32,768 tokens, all that the model supports\./);
  });

  test('is what fits where that is less, and never more', async () => {
    const { add, show, engineModel, planner } = open(600);
    const { contextTokens, choice } = await add();
    assert.ok(contextTokens >= 8_192 && contextTokens < 32_768, `${contextTokens} tokens`);
    assert.deepEqual([choice?.limitedBy, choice?.sequences], ['memory', 8]);
    assert.equal(engineModel()?.maxContextTokens, contextTokens);
    const { plan, context } = await show();
    assert.deepEqual([context.chosenBy, context.supported, context.budgetBytes], ['memory', 32_768, 600e6]);
    const [most] = plan?.options ?? [];
    assert.deepEqual([most?.sequences, most?.fits], [8, true]);
    const model = engineModel();
    assert.ok(model);
    const longer = await planner.memoryOf({ ...model, maxContextTokens: contextTokens + 1_024 });
    assert.ok((longer.need[0]?.base.ram ?? 0) > 600e6);
  });

  test('has 8,192 tokens before there are more calls at once, and less only where not even one call has them', async () => {
    const few = await open(300).add();
    assert.ok(few.contextTokens >= 8_192, `${few.contextTokens} tokens`);
    assert.ok((few.choice?.sequences ?? 8) < 8);
    const short = await open(160).add();
    assert.ok(short.contextTokens > 0 && short.contextTokens < 8_192, `${short.contextTokens} tokens`);
    assert.equal(short.choice?.sequences, 1);
    const none = await open(64).add();
    assert.match(none.warnings.join(), /m does not fit into the memory of this machine/);
  });

  test('grows with a smaller cache and with fewer calls at once, as models show says before', async () => {
    const { add, set, show } = open(600);
    const { contextTokens } = await add();
    const { plan } = await show();
    const offered = new Map(
      plan?.alternatives.flatMap((each) => ('option' in each ? [[each.option, each.contextTokens]] : [])),
    );
    for (const [option, change] of [
      ['--context auto --sequences 1', { sequences: 1, contextTokens: null }],
      ['--context auto --kv q8_0', { sequences: null, kv: 'q8_0', contextTokens: null }],
      ['--context auto --kv q4_0', { kv: 'q4_0', contextTokens: null }],
    ] as const) {
      const changed = await set(change);
      assert.ok(changed.contextTokens > contextTokens, option);
      assert.equal(changed.contextTokens, offered.get(option), option);
    }
    const needed = plan?.alternatives.find((each) => !('option' in each));
    assert.ok(needed && 'memory' in needed && needed.memory.ram > 600e6 && needed.contextTokens === 32_768);
  });

  test('that is given is taken as it is, with a warning where the model was made for less', async () => {
    const { add, set } = open(600);
    assert.deepEqual((await add({ contextTokens: 1_000 })).warnings, []);
    const longer = await set({ contextTokens: 40_000 });
    assert.equal(longer.contextTokens, 40_000);
    assert.match(longer.warnings.join(), /made for 32768 tokens/);
  });
});

describe('settings of a model', () => {
  test('change one by one, survive the others, go back to auto, and end with the model', async () => {
    const { add, set, engineModel, models } = open(2_000);
    await add({ contextTokens: 2_048, sequences: 3, kv: 'q8_0' });
    const current = () => [engineModel()?.maxContextTokens, engineModel()?.sequences, engineModel()?.kv];
    assert.deepEqual(current(), [2_048, 3, 'q8_0']);
    await set({ kv: 'q4_0' });
    assert.deepEqual(current(), [2_048, 3, 'q4_0']);
    await set({ sequences: null });
    assert.deepEqual(current(), [2_048, null, 'q4_0']);
    await set({ contextTokens: null, kv: 'f16' });
    assert.deepEqual(current(), [32_768, null, 'f16']);
    await set({ sequences: 2 });
    await removeModel(models, { id: 'm', listUsesOf: async () => [] });
    assert.deepEqual(JSON.parse(readFileSync(models.registryPath, 'utf8')).settings, {});
  });

  test('of a model that ships are kept apart from it; its published context stays', async () => {
    const { set, engineModel, show } = open(2_000);
    const id = 'fanfold-tiny-chat';
    assert.equal((await set({ sequences: 2 }, id)).contextTokens, 4_096);
    assert.deepEqual([engineModel(id)?.sequences, engineModel(id)?.maxContextTokens], [2, 4_096]);
    assert.match(renderModel(await show(id)), /4,096 tokens, as the catalogue publishes it/);
    assert.equal((await set({ contextTokens: 1_024 }, id)).contextTokens, 1_024);
    assert.equal((await set({ contextTokens: null }, id)).contextTokens, 4_096);
  });

  test('that cannot be are refused by name and change nothing', async () => {
    const { add, set, engineModel } = open(2_000, { headWidth: 48 });
    await add();
    const before = engineModel();
    const cases: [SettingsChange, RegExp][] = [
      [{ contextTokens: 0 }, /context must be a whole number/],
      [{ contextTokens: Number('many') }, /context must be a whole number/],
      [{ sequences: 0 }, /sequences must be .* from 1 to 64/],
      [{ sequences: 65 }, /sequences must be .* from 1 to 64/],
      [{ kv: 'q8_0' }, /m cannot store its key-value cache as q8_0: .*does not divide n_embd_head_k=48/],
    ];
    for (const [change, message] of cases) await assert.rejects(set(change), { name: 'ModelError', message });
    await assert.rejects(set({ sequences: 2 }, 'fanfold-tiny-embed'), {
      name: 'ModelError',
      message: /takes no number of sequences/,
    });
    await assert.rejects(set({ sequences: 2 }, 'qwen3-0.6b'), { name: 'ModelError', message: /not installed/ });
    await assert.rejects(set({ sequences: 2 }, 'none'), { name: 'ModelError', message: /no model "none"/ });
    assert.deepEqual(engineModel(), before);
  });
});
