import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { type GgufBytes, GgufError, openGgufBytes } from '../gguf/bytes.ts';
import { readGgufCounts, readGgufEntries } from '../gguf/metadata.ts';

/** What the memory plan needs from a GGUF header. */
export type ModelShape = {
  /** Key and value numbers that one token keeps in the cache, over all layers. */
  cacheValuesPerToken: number;
  vocabulary: number;
};

/** The architecture's keys stand before the vocabulary, at the start of the file. */
const headBytes = 256 * 1024;
const vocabularyKey = 'tokenizer.ggml.tokens';

/** Reads the head of a GGUF file. null: not readable as one; the engine itself says why when it loads. */
export async function readShape(path: string): Promise<ModelShape | null> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return shapeOf(numbersOf(openGgufBytes((target, from) => buffer.copy(target, 0, from), bytesRead, basename(path))));
  } finally {
    await file.close();
  }
}

/** Numeric values by key without the architecture prefix, up to the vocabulary; an array counts with its length. */
function numbersOf(head: GgufBytes): Map<string, number> {
  const numbers = new Map<string, number>();
  try {
    for (const entry of readGgufEntries(head, readGgufCounts(head).keyCount)) {
      const value = 'value' in entry ? entry.value : entry.length;
      if (typeof value === 'number' && value >= 0) numbers.set(entry.key.slice(entry.key.indexOf('.') + 1), value);
      if (entry.key === vocabularyKey) break;
    }
  } catch (error) {
    // The head ends in the middle of a value, or is damaged: what was read before it counts.
    if (!(error instanceof GgufError)) throw error;
  }
  return numbers;
}

function shapeOf(numbers: Map<string, number>): ModelShape | null {
  const layers = numbers.get('block_count');
  const width = numbers.get('embedding_length');
  const heads = numbers.get('attention.head_count');
  if (layers === undefined || width === undefined || heads === undefined || heads === 0) return null;
  const cacheHeads = numbers.get('attention.head_count_kv') ?? heads;
  const keyWidth = numbers.get('attention.key_length') ?? width / heads;
  const valueWidth = numbers.get('attention.value_length') ?? keyWidth;
  return {
    cacheValuesPerToken: layers * cacheHeads * (keyWidth + valueWidth),
    vocabulary: numbers.get('ggml.tokens') ?? 0,
  };
}
