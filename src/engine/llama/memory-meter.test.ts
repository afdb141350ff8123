import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type ModelShape, smallShape, writeRandomModel, writeSplitModel } from '#test/random-model.ts';
import { defaultSettings } from '../engine-settings.ts';
import type { EngineModel, KvType } from '../port.ts';
import { openModel } from './binding.ts';
import { embeddingContext } from './embedding-runner.ts';
import type { LoadPlan } from './memory.ts';
import { configOf, MemoryMeter, sequenceCounts } from './memory-meter.ts';
import type { MeasuredMemory, MeasureRequest } from './memory-protocol.ts';
import type { ChildConfig } from './protocol.ts';
import { textContext } from './text-runner.ts';

/** What is planned is what llama.cpp takes when the model is loaded. */
const folder = mkdtempSync(join(tmpdir(), 'fanfold-meter-'));
const meter = new MemoryMeter({ log: () => {}, environment: {} });
const settings = { ...defaultSettings(), threads: 1 };
after(async () => {
  await meter.close();
  rmSync(folder, { recursive: true });
});

const wide = { ...smallShape, layers: 6, width: 128, heads: 2, vocabulary: 4_096, contextTokens: 8_192 };
const shapes: [name: string, kind: EngineModel['kind'], shape: ModelShape][] = [
  ['plain', 'text', wide],
  ['8-bit weights', 'text', { ...wide, format: 'Q8_0' }],
  ['16-bit weights', 'text', { ...wide, format: 'F16' }],
  ['sliding windows', 'text', { ...wide, window: 256 }],
  ['states instead of cells', 'text', { ...wide, convolution: 3 }],
  ['states and sliding windows', 'text', { ...wide, convolution: 3, window: 256 }],
  ['vectors', 'embedding', wide],
];

function modelOf(name: string, kind: EngineModel['kind'], shape: ModelShape, kv: KvType): EngineModel {
  const ggufPath = join(folder, `${name}.gguf`);
  writeRandomModel(ggufPath, { shape, seed: 1, kind, spread: 0.02, ends: true });
  return { id: name, kind, ggufPath, maxContextTokens: kind === 'text' ? shape.contextTokens : 512, sequences: 4, kv };
}

/** As an engine child loads it. */
async function takenBy(model: EngineModel, mapsFile: boolean) {
  const config = configOf(model, settings);
  const opened = await openModel({ path: model.ggufPath, gpu: false, maxThreads: 1, mapsFile });
  try {
    const context = await opened.createContext(
      model.kind === 'text' ? textContext(config) : embeddingContext(opened.facts, config),
    );
    const bytes = [opened.addon.getMemoryBreakdown().cpuRam, context.getMemoryBreakdown().cpuRam];
    await context.dispose();
    return bytes;
  } finally {
    await opened.dispose();
  }
}

describe('the memory of a model', () => {
  for (const [name, kind, shape] of shapes)
    for (const kv of ['f16', 'q8_0', 'q4_0'] as const)
      test(`is planned as llama.cpp takes it: ${name}, ${kv}`, async () => {
        const model = modelOf(name, kind, shape, kv);
        const { measured, isRepacked, estimatedBecause, layers } = await meter.memoryOf(model, settings);
        assert.equal(estimatedBecause, null);
        assert.equal(layers, shape.layers + 1);
        const planned = [measured.weights.ram, measured.contexts.get(kind === 'text' ? 4 : 1)?.ram ?? 0];
        const taken = await takenBy(model, !isRepacked);
        for (const [i, bytes] of taken.entries())
          assert.ok(Math.abs(bytes - (planned[i] ?? 0)) <= bytes / 10, `${planned} planned, ${taken} taken`);
      });

  test('is less with a smaller cache, and with windows or states instead of cells', async () => {
    const contextOf = async (name: string, shape: ModelShape, kv: KvType) => {
      const { measured } = await meter.memoryOf(modelOf(name, 'text', shape, kv), settings);
      return measured.contexts.get(4)?.ram ?? 0;
    };
    const plain = await contextOf('plain', wide, 'f16');
    const smaller = await Promise.all([contextOf('plain', wide, 'q8_0'), contextOf('plain', wide, 'q4_0')]);
    const other = [
      await contextOf('w', { ...wide, window: 256 }, 'f16'),
      await contextOf('s', { ...wide, convolution: 3 }, 'f16'),
    ];
    for (const bytes of [...smaller, ...other]) assert.ok(bytes < plain, `${bytes} of ${plain}`);
  });

  test('is that of all files of a split model', async () => {
    const whole = modelOf('whole', 'text', wide, 'f16');
    const parts = writeSplitModel(folder, { shape: wide, seed: 1, kind: 'text', spread: 0.02, ends: true, count: 3 });
    const split = await meter.memoryOf({ ...whole, ggufPath: parts[0] ?? '' }, settings);
    assert.equal(split.estimatedBecause, null);
    assert.deepEqual(split.measured.weights, (await meter.memoryOf(whole, settings)).measured.weights);
  });

  test('is estimated where llama.cpp refuses the file or the cache, with its reason, and the next one is measured', async () => {
    const broken = { id: 'b', kind: 'text', ggufPath: join(folder, 'broken.gguf'), maxContextTokens: 512 } as const;
    for (const content of ['{}', 'GGUF and no more']) {
      writeFileSync(broken.ggufPath, content);
      assert.notEqual((await meter.memoryOf(broken, settings)).estimatedBecause, null);
    }
    const narrow = modelOf('narrow', 'text', { ...wide, headWidth: 48 }, 'q8_0');
    assert.match((await meter.memoryOf(narrow, settings)).estimatedBecause ?? '', /does not divide n_embd_head_k=48/);
    assert.equal((await meter.memoryOf({ ...narrow, kv: 'f16' }, settings)).estimatedBecause, null);
    await assert.rejects(meter.memoryOf({ ...broken, ggufPath: join(folder, 'none.gguf') }, settings), /ENOENT/);
  });
});

const planOf = (more: Pick<LoadPlan, 'adapterContexts' | 'isWhole' | 'memory'>): LoadPlan => ({
  type: 'fits',
  evict: [],
  sequences: 4,
  ...more,
});

/** A GPU whose layers take 10 bytes each, and their part of each context a byte. */
class GpuMeter extends MemoryMeter {
  override async measure(
    { gpuLayers = 0 }: ChildConfig,
    contexts: MeasureRequest['contexts'],
  ): Promise<MeasuredMemory> {
    return {
      weights: { ram: 0, vram: gpuLayers * 10 },
      contexts: contexts.map(() => ({ ram: 0, vram: gpuLayers })),
      layers: 33,
      needsCheckpoints: false,
      isRepacked: false,
      device: null,
    };
  }
}

test('as many layers as fit are on the GPU with their part of all contexts; without any it is not used', async () => {
  const log: string[] = [];
  const gpu = new GpuMeter({ log: (_level, message) => log.push(message), environment: {} });
  const model = { id: 'm', kind: 'text', ggufPath: import.meta.filename, maxContextTokens: 512 } as const;
  const target = { backend: 'cuda', libraryFolders: [] } as const;
  const config = { ...configOf(model, settings), gpu: target };
  const measured = await gpu.memoryOf(model, settings);
  const placed = async (vram: number, adapterContexts: number) => {
    const plan = planOf({ adapterContexts, isWhole: false, memory: { ram: 0, vram } });
    const { gpuLayers, gpu: used } = await gpu.placedConfig(config, measured, plan);
    return [used, gpuLayers];
  };
  assert.deepEqual(await placed(110, 0), [target, 10]);
  assert.deepEqual(await placed(110, 1), [target, 9]);
  assert.deepEqual(await placed(1e6, 0), [target, 32]);
  assert.deepEqual(await placed(10, 0), [false, undefined]);
  assert.match(log.join(), /Some layers stay on the processor/);
  const whole = planOf({ adapterContexts: 2, isWhole: true, memory: { ram: 0, vram: 1e6 } });
  const all = await gpu.placedConfig(config, measured, whole);
  assert.deepEqual([all.gpuLayers, all.sequences, all.adapterContexts, all.mapsFile], [undefined, 4, 2, true]);
});

test('a model runs as many calls at once as the operator says, else as the server is set to, or fewer', () => {
  assert.deepEqual(sequenceCounts({ kind: 'text' }, 8), [8, 4, 2, 1]);
  assert.deepEqual(sequenceCounts({ kind: 'text', sequences: null }, 5), [5, 3, 2, 1]);
  assert.deepEqual(sequenceCounts({ kind: 'text' }, 1), [1]);
  assert.deepEqual(sequenceCounts({ kind: 'text', sequences: 6 }, 8), [6]);
  for (const kind of ['embedding', 'reranker'] as const) assert.deepEqual(sequenceCounts({ kind }, 8), [1]);
});
