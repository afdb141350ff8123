/** What each layer of a model keeps, from the keys of its GGUF header. Pure. */

export type ShapeValues = {
  architecture: string;
  /** By key without the architecture prefix. */
  values: ReadonlyMap<string, number | readonly number[]>;
};

export type Layer = {
  /** Key and value numbers that one token keeps. */
  cacheValues: number;
  /** It keeps them for the latest tokens only. */
  isWindowed: boolean;
  /** Numbers of its one state, where it is recurrent. */
  stateValues: number;
};

/** llama.cpp loads no more. */
const mostLayers = 512;

/**
 * Architectures whose layers llama.cpp gives windows: in each run of so many, all but one; 1: only where the file lists the
 * layers. With any other one, all layers count as attending to every token, which is never too little.
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

/** null: the header does not say enough. */
export function layersOf(read: ShapeValues): Layer[] | null {
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
