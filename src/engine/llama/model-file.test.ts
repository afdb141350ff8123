import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type GgufValue, writeGguf } from '#test/gguf-writer.ts';
import { smallShape, writeSplitModel } from '#test/random-model.ts';
import { needOf } from './memory.ts';
import { fileBytes, readModelFile, readShape, stampOf } from './model-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-shape-'));
after(() => rmSync(folder, { recursive: true }));

const count = (value: number): GgufValue => ({ type: 'u32', value });
const counts = (...value: number[]): GgufValue => ({ type: 'i32s', value });

/** The shape of a model with 6 layers, 4 heads of 16 numbers, and these keys. */
function shapeOf(architecture: string, keys: Record<string, GgufValue>) {
  const path = join(folder, 'model.gguf');
  const all: Record<string, GgufValue> = {
    block_count: count(6),
    embedding_length: count(64),
    'attention.head_count': count(4),
    ...keys,
  };
  const named = Object.fromEntries(Object.entries(all).map(([key, value]) => [`${architecture}.${key}`, value]));
  writeGguf(
    path,
    {
      'general.architecture': { type: 'string', value: architecture },
      ...named,
      'tokenizer.ggml.tokens': { type: 'strings', value: ['a', 'b'] },
    },
    [],
  );
  return readShape(path);
}

test('a model in several files has the size of all, and is another one when one of them changes', async () => {
  const random = { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false } as const;
  const paths = writeSplitModel(folder, { ...random, count: 3 });
  const [first = '', , third = ''] = paths;
  const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  const file = await readModelFile(first);
  assert.equal(file.bytes, bytes);
  assert.equal(fileBytes(first), bytes);
  assert.equal(file.shape?.vocabulary, smallShape.vocabulary);
  assert.equal(await stampOf(first), file.stamp);
  appendFileSync(third, 'x');
  assert.notEqual(await stampOf(first), file.stamp);
});

test('heads given for each layer count for each layer', async () => {
  const cacheValues = async (keys: Record<string, GgufValue>, architecture = 'qwen3') =>
    (await shapeOf(architecture, keys))?.cacheValuesPerToken;
  assert.equal(await cacheValues({}), 6 * 4 * 32);
  assert.equal(await cacheValues({ 'attention.head_count_kv': count(2) }), 6 * 2 * 32);
  assert.equal(await cacheValues({ 'attention.head_count_kv': counts(1, 2, 3, 0, 1, 2) }), 9 * 32);
  assert.equal(await cacheValues({ 'attention.head_count': counts(4, 2, 4, 0, 4, 2) }), 16 * 32);
  const lists = {
    'attention.head_count': counts(4, 4, 4, 4, 4, 4),
    'attention.head_count_kv': counts(2, 2, 2, 2, 2, 2),
  };
  assert.equal(await cacheValues({ ...lists, 'attention.key_length': count(8) }), 6 * 2 * 16);
  // A list that is too short: no layer counts for less than the largest.
  assert.equal(await cacheValues({ 'attention.head_count_kv': counts(1, 3) }), (1 + 3 + 4 * 3) * 32);
  assert.equal(await cacheValues({ block_count: count(600) }), undefined);
});

test('layers with a window are known by the list, the number or the architecture of the file, and otherwise count in full', async () => {
  const split = async (architecture: string, keys: Record<string, GgufValue>) => {
    const shape = await shapeOf(architecture, { 'attention.sliding_window': count(64), ...keys });
    return [shape?.cacheValuesPerToken, shape?.window?.valuesPerToken ?? 0].map((values) => (values ?? 0) / (4 * 32));
  };
  const pattern = (value: GgufValue) => ({ 'attention.sliding_window_pattern': value });
  assert.deepEqual(await split('gemma3', {}), [1, 5]);
  assert.deepEqual(await split('gemma2', {}), [3, 3]);
  assert.deepEqual(await split('gemma3', pattern(count(3))), [2, 4]);
  assert.deepEqual(await split('gemma3', pattern(count(0))), [0, 6]);
  assert.deepEqual(await split('cohere2moe', pattern(count(4))), [2, 4]);
  const list = pattern({ type: 'bools', value: [true, false, true, true, false, true] });
  assert.deepEqual(await split('gemma4', list), [2, 4]);
  assert.deepEqual(await split('gemma4', {}), [6, 0]);
  assert.deepEqual(await split('phi3', list), [6, 0]);
  assert.deepEqual(await split('gemma3', { 'attention.sliding_window': count(0) }), [6, 0]);
  const heads = await shapeOf('gemma4', {
    ...list,
    'attention.sliding_window': count(64),
    'attention.head_count_kv': counts(1, 2, 3, 4, 5, 6),
    'attention.key_length_swa': count(4),
    'attention.value_length_swa': count(4),
  });
  assert.deepEqual([heads?.cacheValuesPerToken, heads?.window], [7 * 32, { tokens: 64, valuesPerToken: 14 * 8 }]);
});

test('recurrent layers keep one state, and cells only where they have attention too', async () => {
  const read = async (architecture: string, keys: Record<string, GgufValue>) => {
    const shape = await shapeOf(architecture, keys);
    return [shape?.cacheValuesPerToken, shape?.stateValues];
  };
  const ssm = { 'ssm.conv_kernel': count(4), 'ssm.inner_size': count(32), 'ssm.state_size': count(8) };
  const state = 3 * (32 + 2 * 8) + 8 * 32;
  const grouped = { ...ssm, 'ssm.group_count': count(1) };
  const heads = { 'attention.head_count_kv': counts(0, 0, 2, 0, 0, 2) };
  assert.deepEqual(await read('lfm2', { ...heads, 'shortconv.l_cache': count(3) }), [4 * 32, 4 * 2 * 64]);
  assert.deepEqual(await read('granitehybrid', { ...heads, ...grouped }), [4 * 32, 4 * state]);
  assert.deepEqual(await read('falcon-h1', grouped), [6 * 4 * 32, 6 * state]);
  assert.deepEqual(await read('qwen3next', { ...grouped, full_attention_interval: count(3) }), [2 * 4 * 32, 4 * state]);
  const listed = { type: 'bools', value: [true, true, false, true, true, true] } as const;
  assert.deepEqual(await read('qwen35', { ...grouped, 'attention.recurrent_layers': listed }), [4 * 32, 5 * state]);
  assert.deepEqual(await read('mamba', { ...ssm, 'attention.head_count': count(0) }), [0, 6 * (3 * 32 + 8 * 32)]);
  const wkv = { 'wkv.head_size': count(16), 'attention.head_count': count(0) };
  assert.deepEqual(await read('rwkv7', wkv), [0, 6 * 64 * (2 + 16)]);
  assert.deepEqual(await read('kimi-linear', { ...heads, 'kda.head_dim': count(8) }), [4 * 32, 4 * 4 * 8 * (9 + 8)]);
});

test('windows need cells for themselves and a batch, states the same for any context; checkpoints hold both', () => {
  const shape = {
    cacheValuesPerToken: 0,
    vocabulary: 0,
    window: { tokens: 512, valuesPerToken: 1_000 },
    stateValues: 50_000,
  };
  const bytesOf = (contextTokens: number, window: number, more: { kind?: 'text'; sequences?: number } = {}) => {
    const { kind = 'embedding' as const, sequences = 1 } = more;
    const size = { kind, sequences, fileBytes: 0, batchTokens: 512, contextTokens };
    return needOf({ ...size, shape: { ...shape, window: { ...shape.window, tokens: window } } }).baseBytes - 120e6;
  };
  assert.equal(bytesOf(100_000, 512), 1_024 * 2_000 + 200_000);
  assert.equal(bytesOf(100_000, 600), 1_280 * 2_000 + 200_000);
  assert.equal(bytesOf(700, 512), 700 * 2_000 + 200_000);
  // Four for each sequence, and the one that is being taken; no more than 64 MB of them are kept.
  const one = 1_024 * 2_000 + 200_000;
  assert.equal(bytesOf(100_000, 512, { kind: 'text', sequences: 2 }), 2 * one + 2 * 4 * one + one);
  assert.equal(bytesOf(100_000, 512, { kind: 'text', sequences: 8 }), 8 * one + 64e6 + one);
});
