import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeGguf } from '#test/gguf-writer.ts';
import { readMetadata } from './gguf-metadata.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-metadata-'));
const path = join(folder, 'file');
after(() => rmSync(folder, { recursive: true }));

test('values are read behind long lists, which count with their length', () => {
  const words = Array.from({ length: 200_000 }, (_, i) => `word ${i}`);
  writeGguf(
    path,
    {
      'general.architecture': { type: 'string', value: 'qwen3' },
      'tokenizer.ggml.tokens': { type: 'strings', value: words },
      'tokenizer.ggml.token_type': { type: 'i32s', value: words.map(() => 1) },
      'qwen3.attention.causal': { type: 'bool', value: false },
      'qwen3.rope.freq_base': { type: 'f32', value: 0.5 },
      'tokenizer.chat_template': { type: 'string', value: 'é' },
    },
    [],
  );
  assert.deepEqual(Object.fromEntries(readMetadata(path)), {
    'general.architecture': 'qwen3',
    'tokenizer.ggml.tokens': 200_000,
    'tokenizer.ggml.token_type': 200_000,
    'qwen3.attention.causal': false,
    'qwen3.rope.freq_base': 0.5,
    'tokenizer.chat_template': 'é',
  });
});

test('a file that is cut, broken or something else is refused', () => {
  writeGguf(path, { a: { type: 'string', value: 'text' }, b: { type: 'u32', value: 7 } }, []);
  const whole = readFileSync(path);
  const end = 24 + (8 + 1 + 4 + 8 + 4) + (8 + 1 + 4 + 4);
  for (let bytes = 0; bytes < end; bytes++) {
    writeFileSync(path, whole.subarray(0, bytes));
    assert.throws(() => readMetadata(path), /not a GGUF file|broken/);
  }
  const hugeLength = Buffer.from(whole);
  hugeLength.writeBigUInt64LE(2n ** 60n, 24);
  writeFileSync(path, hugeLength);
  assert.throws(() => readMetadata(path), /out of bounds/);
  const unknownType = Buffer.from(whole);
  unknownType.writeUInt32LE(99, 24 + 9);
  writeFileSync(path, unknownType);
  assert.throws(() => readMetadata(path), /unknown type 99/);
});
