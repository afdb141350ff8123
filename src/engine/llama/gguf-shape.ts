import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { type GgufBytes, GgufError, openGgufBytes } from '../gguf/bytes.ts';
import { readGgufCounts, readGgufEntries } from '../gguf/metadata.ts';
import { type Layer, layersOf, type ShapeValues } from './gguf-layers.ts';

/** What the memory plan needs from a GGUF header. */
export type ModelShape = {
  /** Key and value numbers that one token keeps in the cache, over all layers that attend to every token. */
  cacheValuesPerToken: number;
  /** Layers that attend to the latest tokens only: to how many, and what one token keeps in them. null: there are none that we know of. */
  window: { tokens: number; valuesPerToken: number } | null;
  /** Numbers that the recurrent layers keep for one sequence, however long it is. */
  stateValues: number;
  vocabulary: number;
};

/** The architecture's keys stand before the vocabulary, at the start of the file. */
const headBytes = 256 * 1024;
const architectureKey = 'general.architecture';
const vocabularyKey = 'tokenizer.ggml.tokens';

/** Reads the head of a GGUF file. null: not readable as one; the engine itself says why when it loads. */
export async function readShape(path: string): Promise<ModelShape | null> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return shapeOf(valuesOf(openGgufBytes((target, from) => buffer.copy(target, 0, from), bytesRead, basename(path))));
  } finally {
    await file.close();
  }
}

/** Numbers and short lists of numbers by key without the architecture prefix, up to the vocabulary; any other list counts with its length. */
function valuesOf(head: GgufBytes): ShapeValues {
  const values = new Map<string, number | readonly number[]>();
  let architecture = '';
  try {
    for (const entry of readGgufEntries(head, readGgufCounts(head).keyCount)) {
      const value = 'value' in entry ? entry.value : (entry.numbers ?? entry.length);
      if (entry.key === architectureKey) architecture = String(value);
      if ((typeof value === 'number' && value >= 0) || typeof value === 'object') {
        values.set(entry.key.slice(entry.key.indexOf('.') + 1), value);
      }
      if (entry.key === vocabularyKey) break;
    }
  } catch (error) {
    // The head ends in the middle of a value, or is damaged: what was read before it counts.
    if (!(error instanceof GgufError)) throw error;
  }
  return { architecture, values };
}

function shapeOf(read: ShapeValues): ModelShape | null {
  const layers = layersOf(read);
  if (layers === null) return null;
  const sum = (value: (layer: Layer) => number) => layers.reduce((total, layer) => total + value(layer), 0);
  const windowed = sum((layer) => (layer.isWindowed ? layer.cacheValues : 0));
  const tokens = read.values.get('attention.sliding_window');
  const vocabulary = read.values.get('ggml.tokens');
  return {
    cacheValuesPerToken: sum((layer) => layer.cacheValues) - windowed,
    window: windowed > 0 && typeof tokens === 'number' ? { tokens, valuesPerToken: windowed } : null,
    stateValues: sum((layer) => layer.stateValues),
    vocabulary: typeof vocabulary === 'number' ? vocabulary : (vocabulary?.length ?? 0),
  };
}
