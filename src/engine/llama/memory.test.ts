import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeGguf } from '#test/gguf-writer.ts';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { type LoadedModel, needOf, planLoad } from './memory.ts';
import { readShape } from './model-file.ts';

const idleA = { id: 'a', bytes: 100, idle: true, lastUsedMs: 5 };
const idleB = { id: 'b', bytes: 100, idle: true, lastUsedMs: 3 };
const busy = { id: 'c', bytes: 100, idle: false, lastUsedMs: 1 };

/** The attention of every layer covers all tokens. */
const full = { window: null, stateValues: 0 };

/** Of a model that is never called with an adapter. */
const alone = { contextBytes: 1, mostContexts: 0 };
type State = { baseBytes: number; freeBytes: number; limitBytes: number | null; loaded: readonly LoadedModel[] };

const plan = ({ baseBytes, ...state }: State) => planLoad({ ...state, need: { baseBytes, ...alone } });

test('what fits evicts nobody', () => {
  const planned = plan({ baseBytes: 50, freeBytes: 50, limitBytes: null, loaded: [idleA, idleB, busy] });
  assert.deepEqual(planned, { type: 'fits', evict: [], adapterContexts: 0 });
});

test('the least recently used idle models go, no more of them than needed, and never a busy one', () => {
  const loaded = [idleA, busy, idleB];
  assert.deepEqual(plan({ baseBytes: 120, freeBytes: 50, limitBytes: null, loaded }), {
    type: 'fits',
    evict: ['b'],
    adapterContexts: 0,
  });
  assert.deepEqual(plan({ baseBytes: 250, freeBytes: 50, limitBytes: null, loaded }), {
    type: 'fits',
    evict: ['b', 'a'],
    adapterContexts: 0,
  });
  const refused = { type: 'refused', neededBytes: 251, freeBytes: 250, busy: true };
  assert.deepEqual(plan({ baseBytes: 251, freeBytes: 50, limitBytes: null, loaded }), refused);
});

test('the configured limit bounds the sum of all models, however much the machine has', () => {
  const state = { freeBytes: 1e12, limitBytes: 250, loaded: [idleA, busy] };
  assert.deepEqual(plan({ ...state, baseBytes: 50 }), { type: 'fits', evict: [], adapterContexts: 0 });
  assert.deepEqual(plan({ ...state, baseBytes: 51 }), { type: 'fits', evict: ['a'], adapterContexts: 0 });
  assert.equal(plan({ ...state, baseBytes: 151 }).type, 'refused');
});

test('the need of a model is read from its own header: cache of all cells, outputs, weights, process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfold-memory-'));
  try {
    const path = join(folder, 'm.gguf');
    writeRandomModel(path, { shape: smallShape, seed: 1, kind: 'text', spread: 0.02, ends: true });
    const shape = await readShape(path);
    // 2 layers, one key-value head, 64 numbers each for key and value.
    assert.deepEqual(shape, { ...full, cacheValuesPerToken: 256, vocabulary: smallShape.vocabulary });
    const outputs = 512 * smallShape.vocabulary * 4;
    const size = { kind: 'text', fileBytes: 1e6, shape, sequences: 8, contextTokens: 4096, batchTokens: 512 } as const;
    const need = needOf(size);
    assert.equal(need.baseBytes, Math.ceil(120e6 + 1.05e6 + 8 * 4096 * 512 + outputs));
    // Half of the sequences, and the adapter itself.
    assert.equal(need.contextBytes, Math.ceil(4 * 4096 * 512 + outputs + 0.03e6));
    const embedding = needOf({ ...size, kind: 'embedding', sequences: 1 });
    assert.equal(embedding.contextBytes, Math.ceil(4096 * 512 + outputs + 0.03e6));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the shape is known where lists stand before it, and a vocabulary longer than the head behind it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfold-memory-'));
  try {
    const path = join(folder, 'm.gguf');
    const words = Array.from({ length: 50_000 }, (_, i) => `word ${i}`);
    writeGguf(
      path,
      {
        'general.tags': { type: 'strings', value: ['text', 'chat'] },
        'qwen3.block_count': { type: 'u32', value: 3 },
        'qwen3.embedding_length': { type: 'u32', value: 64 },
        'qwen3.attention.head_count': { type: 'u32', value: 4 },
        'tokenizer.ggml.tokens': { type: 'strings', value: words },
      },
      [],
    );
    assert.deepEqual(await readShape(path), { ...full, cacheValuesPerToken: 3 * 4 * 32, vocabulary: 50_000 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a file that is no GGUF, or ends early, has no known shape; the estimate then comes from its size', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfold-memory-'));
  try {
    const path = join(folder, 'm.gguf');
    const truncated = Buffer.alloc(40);
    truncated.write('GGUF');
    truncated.writeBigUInt64LE(2n ** 63n, 16);
    truncated.writeBigUInt64LE(2n ** 62n, 24);
    for (const content of ['', '{}', 'GGUF', truncated]) {
      writeFileSync(path, content);
      assert.equal(await readShape(path), null);
    }
    const size = { fileBytes: 1e9, shape: null, sequences: 4, contextTokens: 250, batchTokens: 512 };
    assert.deepEqual(needOf({ kind: 'text', ...size }), {
      baseBytes: 120e6 + 1.05e9 + 2e8,
      contextBytes: 1e8 + 3e7,
      mostContexts: 2,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('small models ask for many contexts for adapters, large ones for two', () => {
  const tiny = { ...full, cacheValuesPerToken: 768, vocabulary: 2_048 };
  const large = { ...full, cacheValuesPerToken: 65_536, vocabulary: 151_936 };
  const most = (shape: typeof tiny, contextTokens: number, fileBytes: number) =>
    needOf({ kind: 'text', fileBytes, shape, sequences: 8, contextTokens, batchTokens: 512 }).mostContexts;
  assert.equal(most(tiny, 4_096, 5e6), 13);
  assert.equal(most(tiny, 64, 5e6), 16);
  assert.equal(most(large, 4_096, 5e9), 2);
});

test('contexts for adapters are planned with the model: two make others go, more take what is left', () => {
  const need = { baseBytes: 100, contextBytes: 10, mostContexts: 16 };
  const planFor = (freeBytes: number, loaded: readonly LoadedModel[] = []) =>
    planLoad({ need, freeBytes, limitBytes: null, loaded });
  const fits = (adapterContexts: number, evict: string[] = []) => ({ type: 'fits', evict, adapterContexts });
  assert.deepEqual(planFor(1_000), fits(16));
  assert.deepEqual(planFor(155), fits(5));
  assert.deepEqual(planFor(120, [idleA]), fits(2));
  assert.deepEqual(planFor(119, [idleA]), fits(11, ['a']));
  const bounded = planLoad({ need, freeBytes: 1_000, limitBytes: 235, loaded: [busy] });
  assert.deepEqual(bounded, fits(3));
});

test('where memory is short there are fewer contexts for adapters, then none, and a refusal only where the model does not fit', () => {
  const need = { baseBytes: 100, contextBytes: 10, mostContexts: 2 };
  const planFor = (freeBytes: number) => planLoad({ need, freeBytes, limitBytes: null, loaded: [busy] });
  assert.deepEqual(planFor(119), { type: 'fits', evict: [], adapterContexts: 1 });
  assert.deepEqual(planFor(109), { type: 'fits', evict: [], adapterContexts: 0 });
  assert.deepEqual(planFor(99), { type: 'refused', neededBytes: 100, freeBytes: 99, busy: true });
});
