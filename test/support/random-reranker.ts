import type { GgufTensor, GgufValue } from './gguf-writer.ts';
import { writeGguf } from './gguf-writer.ts';
import { generator, randomBytes } from './random-weights.ts';

const shape = { layers: 2, width: 32, heads: 2, feedForward: 64, contextTokens: 256 };
const epsilon = 1e-12;
const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789.,?!'];
const words = ['red', 'lamp', 'door', 'pass', 'word', 'reset', 'how', 'the', 'is'];

/** The words of its vocabulary, as BERT writes them: those that go on with a word begin with `##`. */
export const rerankerVocabulary: readonly string[] = [
  ...special,
  ...words,
  ...letters,
  ...[...words, ...letters].map((text) => `##${text}`),
];
export const bertTokens = { unknown: 1, cls: 2, separator: 3 } as const;

/** Writes a reranker of the architecture of BERT with random weights, a head of two layers and no word about its pooling. */
export function writeRandomReranker(
  path: string,
  { seed = 1 }: { seed?: number } = {},
): { score: (ids: readonly number[]) => number } {
  const tensors = tensorsOf(seed);
  writeGguf(path, metadata(), tensors);
  const byName = new Map(tensors.map((tensor) => [tensor.name, floatsOf(tensor)]));
  return { score: (ids) => scoreOf((name) => byName.get(name) ?? new Float32Array(), ids) };
}

function metadata(): Record<string, GgufValue> {
  const number = (value: number): GgufValue => ({ type: 'u32', value });
  return {
    'general.architecture': { type: 'string', value: 'bert' },
    'general.type': { type: 'string', value: 'model' },
    'general.name': { type: 'string', value: 'random reranker' },
    'bert.context_length': number(shape.contextTokens),
    'bert.embedding_length': number(shape.width),
    'bert.block_count': number(shape.layers),
    'bert.feed_forward_length': number(shape.feedForward),
    'bert.attention.head_count': number(shape.heads),
    'bert.attention.layer_norm_epsilon': { type: 'f32', value: epsilon },
    'bert.attention.causal': { type: 'bool', value: false },
    'tokenizer.ggml.model': { type: 'string', value: 'bert' },
    'tokenizer.ggml.token_type_count': number(2),
    'tokenizer.ggml.tokens': {
      type: 'strings',
      value: rerankerVocabulary.map((text, id) =>
        id < special.length ? text : text.startsWith('##') ? text.slice(2) : `\u2581${text}`,
      ),
    },
    'tokenizer.ggml.token_type': {
      type: 'i32s',
      value: rerankerVocabulary.map((_, id) => (id < special.length ? 3 : 1)),
    },
    'tokenizer.ggml.bos_token_id': number(bertTokens.cls),
    'tokenizer.ggml.seperator_token_id': number(bertTokens.separator),
    'tokenizer.ggml.unknown_token_id': number(bertTokens.unknown),
    'tokenizer.ggml.padding_token_id': number(0),
    'tokenizer.ggml.mask_token_id': number(4),
  };
}

function tensorsOf(seed: number): GgufTensor[] {
  const { width, feedForward, contextTokens, layers } = shape;
  const random = generator(seed);
  const tensor = (name: string, sizes: readonly number[], spread: number): GgufTensor => {
    const bytes = randomBytes(sizes, { format: 'F32', spread, random });
    return { name, shape: sizes, format: 'F32', bytes: () => bytes };
  };
  const linear = (name: string, input: number, output: number) => [
    tensor(`${name}.weight`, [input, output], 0.4),
    tensor(`${name}.bias`, [output], 0.2),
  ];
  const norm = (name: string) => [tensor(`${name}.weight`, [width], 1), tensor(`${name}.bias`, [width], 0.2)];
  return [
    tensor('token_embd.weight', [width, rerankerVocabulary.length], 1),
    tensor('token_types.weight', [width, 2], 0.5),
    tensor('position_embd.weight', [width, contextTokens], 0.5),
    ...norm('token_embd_norm'),
    ...Array.from({ length: layers }, (_, layer) => [
      ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].flatMap((name) => linear(`blk.${layer}.${name}`, width, width)),
      ...norm(`blk.${layer}.attn_output_norm`),
      ...linear(`blk.${layer}.ffn_up`, width, feedForward),
      ...linear(`blk.${layer}.ffn_down`, feedForward, width),
      ...norm(`blk.${layer}.layer_output_norm`),
    ]).flat(),
    ...linear('cls', width, width),
    ...linear('cls.output', width, 1),
  ];
}

function floatsOf({ bytes }: GgufTensor): Float32Array {
  const copy = Uint8Array.from(bytes());
  return new Float32Array(copy.buffer);
}

type Weights = (name: string) => Float32Array;
type Row = readonly number[];

/** The logit of BERT with a classification head, by the book and without any library. */
function scoreOf(weights: Weights, ids: readonly number[]): number {
  const { width, heads, layers } = shape;
  const linear = (name: string, row: Row): Row => {
    const [weight, bias] = [weights(`${name}.weight`), weights(`${name}.bias`)];
    return Array.from(bias, (offset, output) =>
      row.reduce((sum, value, input) => sum + value * (weight[output * row.length + input] ?? 0), offset),
    );
  };
  const norm = (name: string, row: Row): Row => {
    const [weight, bias] = [weights(`${name}.weight`), weights(`${name}.bias`)];
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
    return row.map((value, i) => ((value - mean) / Math.sqrt(variance + epsilon)) * (weight[i] ?? 0) + (bias[i] ?? 0));
  };
  const add = (a: Row, b: Row): Row => a.map((value, i) => value + (b[i] ?? 0));
  const rowOf = (name: string, index: number): Row => [...weights(name).slice(index * width, (index + 1) * width)];
  const gelu = (x: number) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

  let rows = ids.map((id, place) =>
    norm(
      'token_embd_norm',
      add(add(rowOf('token_embd.weight', id), rowOf('token_types.weight', 0)), rowOf('position_embd.weight', place)),
    ),
  );
  for (let layer = 0; layer < layers; layer++) {
    const block = `blk.${layer}`;
    const [queries, keys, values] = ['attn_q', 'attn_k', 'attn_v'].map((name) =>
      rows.map((row) => linear(`${block}.${name}`, row)),
    );
    const attended = (queries ?? []).map((query) =>
      Array.from({ length: heads }, (_, head) => attend(query, { keys, values, head })).flat(),
    );
    rows = rows.map((row, place) => {
      const afterAttention = norm(
        `${block}.attn_output_norm`,
        add(row, linear(`${block}.attn_output`, attended[place] ?? [])),
      );
      const fed = linear(`${block}.ffn_down`, linear(`${block}.ffn_up`, afterAttention).map(gelu));
      return norm(`${block}.layer_output_norm`, add(afterAttention, fed));
    });
  }
  return linear('cls.output', linear('cls', rows[0] ?? []).map(Math.tanh))[0] ?? Number.NaN;
}

function attend(
  query: Row,
  { keys = [], values = [], head }: { keys: Row[] | undefined; values: Row[] | undefined; head: number },
): Row {
  const size = shape.width / shape.heads;
  const part = (row: Row) => row.slice(head * size, (head + 1) * size);
  const scores = keys.map(
    (key) => part(query).reduce((sum, value, i) => sum + value * (part(key)[i] ?? 0), 0) / Math.sqrt(size),
  );
  const exponentials = scores.map((score) => Math.exp(score - Math.max(...scores)));
  const total = exponentials.reduce((sum, value) => sum + value, 0);
  return Array.from({ length: size }, (_, i) =>
    values.reduce((sum, value, place) => sum + ((exponentials[place] ?? 0) / total) * (part(value)[i] ?? 0), 0),
  );
}
