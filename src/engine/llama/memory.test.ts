import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeGguf } from '#test/gguf-writer.ts';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { readShape } from './gguf-shape.ts';
import { adapterContexts, neededBytes, planLoad } from './memory.ts';

const idleA = { id: 'a', bytes: 100, idle: true, lastUsedMs: 5 };
const idleB = { id: 'b', bytes: 100, idle: true, lastUsedMs: 3 };
const busy = { id: 'c', bytes: 100, idle: false, lastUsedMs: 1 };

test('what fits evicts nobody', () => {
  const plan = planLoad({ neededBytes: 50, freeBytes: 50, limitBytes: null, loaded: [idleA, idleB, busy] });
  assert.deepEqual(plan, { type: 'fits', evict: [] });
});

test('the least recently used idle models go, no more of them than needed, and never a busy one', () => {
  const loaded = [idleA, busy, idleB];
  assert.deepEqual(planLoad({ neededBytes: 120, freeBytes: 50, limitBytes: null, loaded }), {
    type: 'fits',
    evict: ['b'],
  });
  assert.deepEqual(planLoad({ neededBytes: 250, freeBytes: 50, limitBytes: null, loaded }), {
    type: 'fits',
    evict: ['b', 'a'],
  });
  const refused = { type: 'refused', neededBytes: 251, freeBytes: 250, busy: true };
  assert.deepEqual(planLoad({ neededBytes: 251, freeBytes: 50, limitBytes: null, loaded }), refused);
});

test('the configured limit bounds the sum of all models, however much the machine has', () => {
  const state = { freeBytes: 1e12, limitBytes: 250, loaded: [idleA, busy] };
  assert.deepEqual(planLoad({ ...state, neededBytes: 50 }), { type: 'fits', evict: [] });
  assert.deepEqual(planLoad({ ...state, neededBytes: 51 }), { type: 'fits', evict: ['a'] });
  assert.equal(planLoad({ ...state, neededBytes: 151 }).type, 'refused');
});

test('the need of a model is read from its own header: cache of all cells, outputs, weights, process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfold-memory-'));
  try {
    const path = join(folder, 'm.gguf');
    writeRandomModel(path, { shape: smallShape, seed: 1, kind: 'text', spread: 0.02, ends: true });
    const shape = await readShape(path);
    // 2 layers, one key-value head, 64 numbers each for key and value.
    assert.deepEqual(shape, { cacheValuesPerToken: 256, vocabulary: smallShape.vocabulary });
    const bytes = neededBytes({ fileBytes: 1e6, shape, cells: 8 * 4096, batchTokens: 512 });
    assert.equal(bytes, Math.ceil(120e6 + 1.05e6 + 8 * 4096 * 512 + 512 * 512 * 4));
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
    assert.deepEqual(await readShape(path), { cacheValuesPerToken: 3 * 4 * 32, vocabulary: 50_000 });
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
    assert.equal(neededBytes({ fileBytes: 1e9, shape: null, cells: 1_000, batchTokens: 512 }), 120e6 + 1.05e9 + 2e8);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('small models have room for many adapters at once, large ones for two', () => {
  const tiny = { cacheValuesPerToken: 768, vocabulary: 2_048 };
  const large = { cacheValuesPerToken: 65_536, vocabulary: 151_936 };
  assert.equal(adapterContexts({ shape: tiny, cells: 8 * 4_096, batchTokens: 512 }), 13);
  assert.equal(adapterContexts({ shape: tiny, cells: 512, batchTokens: 512 }), 16);
  assert.equal(adapterContexts({ shape: large, cells: 8 * 4_096, batchTokens: 512 }), 2);
  assert.equal(adapterContexts({ shape: null, cells: 0, batchTokens: 512 }), 2);
});
