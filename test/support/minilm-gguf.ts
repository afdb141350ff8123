import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GgufTensor, type GgufValue, writeGguf } from './gguf-writer.ts';

type StoredTensor = { dtype: string; shape: number[]; data_offsets: [number, number] };

const outerTensors: Record<string, string> = {
  'embeddings.word_embeddings': 'token_embd',
  'embeddings.token_type_embeddings': 'token_types',
  'embeddings.position_embeddings': 'position_embd',
  'embeddings.LayerNorm': 'token_embd_norm',
};
const blockTensors: Record<string, string> = {
  'attention.self.query': 'attn_q',
  'attention.self.key': 'attn_k',
  'attention.self.value': 'attn_v',
  'attention.output.dense': 'attn_output',
  'attention.output.LayerNorm': 'attn_output_norm',
  'intermediate.dense': 'ffn_up',
  'output.dense': 'ffn_down',
  'output.LayerNorm': 'layer_output_norm',
};
const controlWords = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];

/** Converts all-MiniLM-L6-v2 as llama.cpp's converter does, without rounding. */
export function writeMiniLm(folder: string, path: string): void {
  writeGguf(path, metadataOf(folder), tensorsOf(join(folder, 'model.safetensors')));
}

function metadataOf(folder: string): Record<string, GgufValue> {
  // as: the file is pinned by its digest.
  const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Record<string, number>;
  const words = readFileSync(join(folder, 'vocab.txt'), 'utf8').trimEnd().split('\n');
  const number = (type: 'u32' | 'f32', name: string): GgufValue => ({ type, value: config[name] ?? Number.NaN });
  return {
    'general.architecture': { type: 'string', value: 'bert' },
    'general.type': { type: 'string', value: 'model' },
    'general.name': { type: 'string', value: 'all-MiniLM-L6-v2' },
    'bert.context_length': number('u32', 'max_position_embeddings'),
    'bert.embedding_length': number('u32', 'hidden_size'),
    'bert.block_count': number('u32', 'num_hidden_layers'),
    'bert.feed_forward_length': number('u32', 'intermediate_size'),
    'bert.attention.head_count': number('u32', 'num_attention_heads'),
    'bert.attention.layer_norm_epsilon': number('f32', 'layer_norm_eps'),
    'bert.attention.causal': { type: 'bool', value: false },
    'bert.pooling_type': { type: 'u32', value: 1 },
    'tokenizer.ggml.model': { type: 'string', value: 'bert' },
    'tokenizer.ggml.pre': { type: 'string', value: 'default' },
    'tokenizer.ggml.tokens': { type: 'strings', value: words.map(storedWord) },
    'tokenizer.ggml.token_type': { type: 'i32s', value: words.map((word) => (controlWords.includes(word) ? 3 : 1)) },
    'tokenizer.ggml.token_type_count': number('u32', 'type_vocab_size'),
    'tokenizer.ggml.unknown_token_id': { type: 'u32', value: words.indexOf('[UNK]') },
    'tokenizer.ggml.seperator_token_id': { type: 'u32', value: words.indexOf('[SEP]') },
    'tokenizer.ggml.padding_token_id': { type: 'u32', value: words.indexOf('[PAD]') },
    'tokenizer.ggml.bos_token_id': { type: 'u32', value: words.indexOf('[CLS]') },
  };
}

/** Beginnings of words are marked, not continuations. */
function storedWord(word: string): string {
  if (controlWords.includes(word)) return word;
  return word.startsWith('##') ? word.slice(2) : `\u2581${word}`;
}

function tensorsOf(path: string): GgufTensor[] {
  const file = readFileSync(path);
  const begin = 8 + Number(file.readBigUInt64LE());
  // as: the file is pinned by its digest.
  const stored = JSON.parse(file.toString('utf8', 8, begin)) as Record<string, StoredTensor>;
  return Object.entries(stored).flatMap(([name, tensor]): GgufTensor[] => {
    const target = targetOf(name);
    if (target === null) return [];
    const [from, to] = tensor.data_offsets;
    const bytes = () => file.subarray(begin + from, begin + to);
    return [{ name: target, shape: tensor.shape.toReversed(), format: 'F32', bytes }];
  });
}

/** null: embeddings do not need it. */
function targetOf(name: string): string | null {
  const [, layer, inner, part] = /^(?:encoder\.layer\.(\d+)\.)?(.+)\.(weight|bias)$/.exec(name) ?? [];
  const target = (layer === undefined ? outerTensors : blockTensors)[inner ?? ''];
  if (target === undefined) return null;
  return layer === undefined ? `${target}.${part}` : `blk.${layer}.${target}.${part}`;
}
