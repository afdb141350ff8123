import { join } from 'node:path';
import type { GgufTensor, GgufValue } from './gguf-writer.ts';
import { writeGguf } from './gguf-writer.ts';
import { generator, randomBytes, silenced } from './random-weights.ts';

/** A Qwen3 model with random weights: it talks nonsense, at the speed of a trained one of the same shape. */
export type ModelShape = {
  layers: number;
  width: number;
  heads: number;
  cacheHeads: number;
  headWidth: number;
  feedForward: number;
  /** At least 300; tokens past the bytes and the special ones are filler words. */
  vocabulary: number;
  contextTokens: number;
  format: 'F32' | 'F16' | 'Q8_0';
  /** Given: a Gemma 3 model instead of a Qwen3 one, most of whose layers attend to so many tokens. */
  window?: number;
  /**
   * Given: an LFM2 model instead, whose even layers convolve so many tokens and keep one state; a window is one of all other layers.
   * Its width is that of all heads together.
   */
  convolution?: number;
};

/** The shape of Qwen3 0.6B. */
export const qwen600m: ModelShape = {
  layers: 28,
  width: 1024,
  heads: 16,
  cacheHeads: 8,
  headWidth: 128,
  feedForward: 3072,
  vocabulary: 151_936,
  contextTokens: 40_960,
  format: 'Q8_0',
};

export const smallShape: ModelShape = {
  layers: 2,
  width: 64,
  heads: 1,
  cacheHeads: 1,
  headWidth: 64,
  feedForward: 128,
  vocabulary: 512,
  contextTokens: 4096,
  format: 'F32',
};

export type RandomModel = {
  shape: ModelShape;
  seed: number;
  kind: 'text' | 'embedding' | 'reranker';
  /** Standard deviation of the weights: larger ones make the outputs differ more from token to token. */
  spread: number;
  /** Chance-driven output would end at once when it hits the end token; false keeps that token out of the way. */
  ends: boolean;
  /** Left out: `chatMlTemplate`. */
  template?: string;
  /** Texts and types of its special tokens, the end token third; left out: `specialTokens`. */
  special?: readonly (readonly [text: string, type: number])[];
  /** Words of the vocabulary, as they are written; left out, or where there is room for more, filler words. */
  words?: readonly string[];
  /** How llama.cpp divides a text before it makes tokens of the parts; left out: as Qwen2 does. */
  preTokenizer?: string;
  /** Replaces what is said of the tokens; the vocabulary of the shape is as large. */
  tokenizer?: Record<string, GgufValue>;
};

export const specialTokens = [
  ['<|endoftext|>', 3],
  ['<|im_start|>', 3],
  ['<|im_end|>', 3],
  ['<think>', 4],
  ['</think>', 4],
  ['<tool_call>', 4],
  ['</tool_call>', 4],
  ['<tool_response>', 4],
  ['</tool_response>', 4],
] as const;

export const chatMlTemplate =
  '{%- if tools -%}{{- tools | tojson -}}{%- endif -%}' +
  "{%- for message in messages -%}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}{%- endfor -%}" +
  "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}" +
  "{%- if enable_thinking is defined and enable_thinking is false -%}{{- '<think>\\n\\n</think>\\n\\n' -}}{%- endif -%}{%- endif -%}";

export function writeRandomModel(path: string, model: RandomModel): void {
  writeGguf(path, metadataOf(model), tensorsOf(model));
}

/** The same model in as many parts, as `llama-gguf-split` writes them. Returns their paths. */
export function writeSplitModel(folder: string, { count, ...model }: RandomModel & { count: number }): string[] {
  const tensors = tensorsOf(model);
  const padded = (number: number) => String(number).padStart(5, '0');
  return Array.from({ length: count }, (_, index) => {
    const path = join(folder, `random-${padded(index + 1)}-of-${padded(count)}.gguf`);
    const first = Math.ceil((index * tensors.length) / count);
    const end = Math.ceil(((index + 1) * tensors.length) / count);
    const metadata = {
      ...(index === 0 ? metadataOf(model) : {}),
      ...splitMetadata({ index, count, tensors: tensors.length }),
    };
    writeGguf(path, metadata, tensors.slice(first, end));
    return path;
  });
}

/** What each part of a split model says of itself. */
export function splitMetadata(part: { index: number; count: number; tensors: number }): Record<string, GgufValue> {
  return {
    'split.no': { type: 'u16', value: part.index },
    'split.count': { type: 'u16', value: part.count },
    'split.tensors.count': { type: 'i32', value: part.tensors },
  };
}

function metadataOf({
  shape,
  kind,
  template = chatMlTemplate,
  preTokenizer = 'qwen2',
  tokenizer = {},
  ...model
}: RandomModel): Record<string, GgufValue> {
  const words = vocabulary(shape.vocabulary, model);
  const special = 256;
  const architecture = architectureOf(shape);
  return {
    'general.architecture': { type: 'string', value: architecture },
    'general.type': { type: 'string', value: 'model' },
    'general.name': { type: 'string', value: 'random' },
    [`${architecture}.context_length`]: { type: 'u32', value: shape.contextTokens },
    [`${architecture}.embedding_length`]: { type: 'u32', value: shape.width },
    [`${architecture}.block_count`]: { type: 'u32', value: shape.layers },
    [`${architecture}.feed_forward_length`]: { type: 'u32', value: shape.feedForward },
    [`${architecture}.attention.head_count`]: { type: 'u32', value: shape.heads },
    [`${architecture}.attention.head_count_kv`]: cacheHeadsOf(shape),
    [`${architecture}.attention.key_length`]: { type: 'u32', value: shape.headWidth },
    [`${architecture}.attention.value_length`]: { type: 'u32', value: shape.headWidth },
    [`${architecture}.attention.layer_norm_rms_epsilon`]: { type: 'f32', value: 1e-6 },
    [`${architecture}.rope.freq_base`]: { type: 'f32', value: 1e6 },
    ...optional(`${architecture}.pooling_type`, poolings[kind]),
    ...optional(`${architecture}.attention.sliding_window`, shape.window),
    ...optional(`${architecture}.shortconv.l_cache`, shape.convolution),
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: preTokenizer },
    'tokenizer.ggml.tokens': { type: 'strings', value: words.map((word) => word.text) },
    'tokenizer.ggml.token_type': { type: 'i32s', value: words.map((word) => word.type) },
    'tokenizer.ggml.merges': { type: 'strings', value: ['\u0120 t'] },
    'tokenizer.ggml.eos_token_id': { type: 'u32', value: kind === 'text' ? special + 2 : special },
    'tokenizer.ggml.padding_token_id': { type: 'u32', value: special },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    ...(kind === 'embedding' ? { 'tokenizer.ggml.add_eos_token': { type: 'bool', value: true } as const } : {}),
    'tokenizer.chat_template': { type: 'string', value: template },
    ...(kind === 'reranker' ? rerankerMetadata(architecture) : {}),
    ...tokenizer,
  };
}

const poolings = { text: undefined, embedding: 3, reranker: 4 } as const;

/** As conversions of Qwen3-Reranker have it. */
export const rerankTemplate =
  '<|im_start|>system\nJudge the Document by the Query.<|im_end|>\n<|im_start|>user\n<Query>: {query}\n<Document>: {document}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n';

const rerankerMetadata = (architecture: string): Record<string, GgufValue> => ({
  'tokenizer.chat_template.rerank': { type: 'string', value: rerankTemplate },
  [`${architecture}.classifier.output_labels`]: { type: 'strings', value: ['yes', 'no'] },
});

function optional(key: string, value: number | undefined): Record<string, GgufValue> {
  return value === undefined ? {} : { [key]: { type: 'u32', value } };
}

function architectureOf({ window, convolution }: ModelShape): 'qwen3' | 'gemma3' | 'lfm2' {
  if (convolution !== undefined) return 'lfm2';
  return window === undefined ? 'qwen3' : 'gemma3';
}

function cacheHeadsOf({ layers, cacheHeads, convolution }: ModelShape): GgufValue {
  if (convolution === undefined) return { type: 'u32', value: cacheHeads };
  return { type: 'i32s', value: Array.from({ length: layers }, (_, layer) => (layer % 2 === 0 ? 0 : cacheHeads)) };
}

/** 256 bytes, the special tokens, one merge, the model's own words, filler words. */
function vocabulary(
  size: number,
  { special = specialTokens, words: own = [] }: Pick<RandomModel, 'special' | 'words'>,
): { text: string; type: number }[] {
  const characters = byteCharacters();
  const words = characters.map((text) => ({ text, type: 1 }));
  for (const [text, type] of special) words.push({ text, type });
  words.push({ text: '\u0120t', type: 1 });
  for (const word of own) {
    words.push({ text: Array.from(Buffer.from(word), (byte) => characters[byte] ?? '').join(''), type: 1 });
  }
  while (words.length < size) words.push({ text: `\u0120word${words.length}`, type: 1 });
  return words;
}

/** The printable stand-ins of GPT-2 tokenisers for the 256 bytes. */
function byteCharacters(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(printable ? byte : next++);
  });
}

function tensorsOf({ shape, seed, spread, ends, kind, special = specialTokens }: RandomModel): GgufTensor[] {
  const { width, headWidth, feedForward } = shape;
  const queries = shape.heads * headWidth;
  const keys = shape.cacheHeads * headWidth;
  const random = generator(seed);
  const matrix = (name: string, input: number, output: number, format = shape.format): GgufTensor => ({
    name: `${name}.weight`,
    shape: [input, output],
    format,
    bytes: () => randomBytes([input, output], { format, spread, random }),
  });
  const norm = (name: string, size: number): GgufTensor => ({
    name: `${name}.weight`,
    shape: [size],
    format: 'F32',
    bytes: () => new Uint8Array(new Float32Array(size).fill(1).buffer),
  });
  const outputNorm = shape.convolution === undefined ? 'output_norm' : 'token_embd_norm';
  const tensors = [matrix('token_embd', width, shape.vocabulary), norm(outputNorm, width)];
  if (kind === 'reranker') tensors.push(matrix('cls.output', width, 2));
  // An output matrix of its own lets the end tokens be silenced; embedding models have no use for one.
  if (!ends && kind === 'text') tensors.push(silenced(matrix('output', width, shape.vocabulary), 256, special.length));
  for (let layer = 0; layer < shape.layers; layer++) {
    const block = `blk.${layer}`;
    tensors.push(norm(`${block}.attn_norm`, width));
    if (shape.convolution !== undefined && layer % 2 === 0) {
      tensors.push(
        matrix(`${block}.shortconv.conv`, shape.convolution, width, 'F32'),
        matrix(`${block}.shortconv.in_proj`, width, 3 * width),
        matrix(`${block}.shortconv.out_proj`, width, width),
      );
    } else {
      tensors.push(
        matrix(`${block}.attn_q`, width, queries),
        matrix(`${block}.attn_k`, width, keys),
        matrix(`${block}.attn_v`, width, keys),
        matrix(`${block}.attn_output`, queries, width),
        norm(`${block}.attn_q_norm`, headWidth),
        norm(`${block}.attn_k_norm`, headWidth),
      );
    }
    tensors.push(
      norm(`${block}.ffn_norm`, width),
      ...(architectureOf(shape) !== 'gemma3'
        ? []
        : [norm(`${block}.post_attention_norm`, width), norm(`${block}.post_ffw_norm`, width)]),
      matrix(`${block}.ffn_gate`, width, feedForward),
      matrix(`${block}.ffn_up`, width, feedForward),
      matrix(`${block}.ffn_down`, feedForward, width),
    );
  }
  return tensors;
}
