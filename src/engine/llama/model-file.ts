import { statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type GgufBytes, GgufError, openGgufBytes } from '../gguf/bytes.ts';
import { readGgufCounts, readGgufEntries } from '../gguf/metadata.ts';
import { modelFiles } from '../gguf/parts.ts';

/** `bytes`: of all files of a split model. */
export type ModelFile = { path: string; bytes: number; stamp: string; shape: ModelShape | null };

/** Identity of the present content of a model: path, size and change time of its files. Of a missing file: its path. */
export async function stampOf(path: string): Promise<string> {
  const stamps = modelFiles(path).map(async (file) => {
    const found = await stat(file).catch(() => null);
    return found === null ? file : `${file} ${found.size} ${found.mtimeMs} ${found.ino}`;
  });
  return (await Promise.all(stamps)).join(' ');
}

export async function readModelFile(path: string): Promise<ModelFile> {
  const stamp = await stampOf(path);
  const stats = await Promise.all(modelFiles(path).map((file) => stat(file)));
  return { path, bytes: stats.reduce((sum, { size }) => sum + size, 0), stamp, shape: await readShape(path) };
}

/** Size for an estimate before anything is loaded; 0 when there is no such file. */
export function fileBytes(path: string | undefined): number {
  if (path === undefined) return 0;
  return modelFiles(path).reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

export type ModelShape = {
  /** Key and value numbers that one token keeps in the cache, over all layers whose attention covers every token. */
  cacheValuesPerToken: number;
  /** Layers whose attention covers the latest tokens only: how many, and what one token keeps in them. null: there are none that we know of. */
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
    return shapeOfHead(buffer.subarray(0, bytesRead), basename(path));
  } finally {
    await file.close();
  }
}

/** The same from the first bytes of a file. */
export function shapeOfHead(head: Buffer, name: string): ModelShape | null {
  return shapeOf(valuesOf(openGgufBytes((target, from) => head.copy(target, 0, from), head.length, name)));
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

type ShapeValues = {
  architecture: string;
  /** By key without the architecture prefix. */
  values: ReadonlyMap<string, number | readonly number[]>;
};

type Layer = {
  cacheValues: number;
  isWindowed: boolean;
  stateValues: number;
};

/** llama.cpp loads no more. */
const mostLayers = 512;

/**
 * Architectures whose layers llama.cpp gives windows: in each run of so many, all but one; 1: only where the file lists the
 * layers. With any other one, the attention of all layers counts as covering every token, which is never too little.
 */
const windowPeriods = new Map([
  ['afmoe', 4],
  ['cohere2', 4],
  ['cohere2moe', 4],
  ['exaone-moe', 4],
  ['gemma2', 2],
  ['gemma3', 6],
  ['gemma3n', 5],
  ['gemma4', 1],
  ['gpt-oss', 2],
  ['granite_swa', 1],
  ['laguna', 4],
  ['maple', 1],
  ['mellum', 4],
  ['mimo2', 1],
  ['muse-glimmer', 4],
  ['olmo2', 4],
  ['plamo3', 8],
  ['smallthinker', 4],
  ['spark2_5', 1],
  ['step35', 1],
]);
/** The first layer of a run is the one without a window there; elsewhere it is the last. */
const fullFirst = new Set(['cohere2moe', 'laguna', 'smallthinker']);

function layersOf(read: ShapeValues): Layer[] | null {
  const { values } = read;
  const number = (key: string): number | undefined => {
    const value = values.get(key);
    return typeof value === 'number' ? value : undefined;
  };
  /** Of one layer; the largest where a list is too short. */
  const ofLayer = (key: string, layer: number): number | undefined => {
    const value = values.get(key);
    return typeof value === 'object' ? Math.max(0, value[layer] ?? Math.max(...value)) : value;
  };
  const count = number('block_count');
  const width = number('embedding_length');
  const heads = values.get('attention.head_count');
  if (count === undefined || count > mostLayers || width === undefined || heads === undefined) return null;
  const mostHeads = typeof heads === 'object' ? Math.max(0, ...heads) : heads;
  const state = stateOf(number, { width, heads: mostHeads });
  if (mostHeads === 0 && state === 0) return null;

  const isWindowed = windowsOf(read);
  const isRecurrent = recurrenceOf(values);
  const keyWidth = number('attention.key_length') ?? (mostHeads === 0 ? 0 : width / mostHeads);
  const valueWidth = number('attention.value_length') ?? keyWidth;
  return Array.from({ length: count }, (_, layer): Layer => {
    const windowed = isWindowed(layer);
    const recurrent = state > 0 ? isRecurrent(layer) : 'no';
    const cacheHeads = ofLayer('attention.head_count_kv', layer) ?? ofLayer('attention.head_count', layer) ?? 0;
    const widths = windowed
      ? (number('attention.key_length_swa') ?? keyWidth) + (number('attention.value_length_swa') ?? valueWidth)
      : keyWidth + valueWidth;
    return {
      cacheValues: recurrent === 'only' ? 0 : cacheHeads * widths,
      isWindowed: windowed,
      stateValues: recurrent === 'no' ? 0 : state,
    };
  });
}

function windowsOf({ architecture, values }: ShapeValues): (layer: number) => boolean {
  const period = windowPeriods.get(architecture);
  const window = values.get('attention.sliding_window');
  if (period === undefined || typeof window !== 'number' || window === 0) return () => false;
  const pattern = values.get('attention.sliding_window_pattern') ?? period;
  if (typeof pattern === 'object') return (layer) => (pattern[layer] ?? 0) !== 0;
  const fullAt = fullFirst.has(architecture) ? 0 : pattern - 1;
  // 0: all of them have windows.
  return (layer) => pattern === 0 || layer % pattern !== fullAt;
}

/** Which layers keep a state: beside the cells of their tokens, instead of them, or not at all. */
function recurrenceOf(values: ShapeValues['values']): (layer: number) => 'no' | 'only' | 'too' {
  const listed = values.get('attention.recurrent_layers');
  if (typeof listed === 'object') return (layer) => (listed[layer] === 1 ? 'only' : 'no');
  const cacheHeads = values.get('attention.head_count_kv');
  if (typeof cacheHeads === 'object' && cacheHeads.includes(0)) {
    return (layer) => (cacheHeads[layer] === 0 ? 'only' : 'no');
  }
  const interval = values.get('full_attention_interval');
  if (typeof interval === 'number' && interval > 0) return (layer) => ((layer + 1) % interval === 0 ? 'no' : 'only');
  return () => 'too';
}

/** Numbers in the state of one recurrent layer, as llama.cpp counts them; 0: there are no such layers. */
function stateOf(number: (key: string) => number | undefined, model: { width: number; heads: number }): number {
  const { width, heads } = model;
  const wkv = number('wkv.head_size');
  if (wkv) return width * ((number('token_shift_count') ?? 2) + wkv);
  const shortConvolution = number('shortconv.l_cache');
  if (shortConvolution) return width * (shortConvolution - 1);
  const convolution = Math.max(0, (number('ssm.conv_kernel') ?? 0) - 1);
  const kda = number('kda.head_dim');
  if (kda) return heads * kda * (3 * (convolution || 3) + kda);
  const inner = number('ssm.inner_size') ?? 0;
  const state = number('ssm.state_size') ?? 0;
  return convolution * (inner + 2 * (number('ssm.group_count') ?? 0) * state) + state * inner;
}
