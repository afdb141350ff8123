import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AdapterError, maxRank, readAdapterConfig } from './adapter-config.ts';
import { type AdapterMetadata, writeGgufFile } from './gguf-file.ts';
import { openSafeTensors, type SafeTensor, type SafeTensorsFile } from './safetensors.ts';

/** Architectures that keep the order of rows that PEFT's weights have. */
const plainArchitectures = new Set(['qwen2', 'qwen3']);

export type AdapterConversion = {
  peftFolder: string;
  ggufPath: string;
  /** `general.architecture` of the base's GGUF file. */
  architecture: string;
  /** Needed for `llama` alone, whose file has the rows of queries and keys in another order. */
  heads?: Heads;
  provenance: Readonly<Record<string, string>>;
};

/**
 * Makes the GGUF LoRA that llama.cpp serves from a PEFT adapter. Throws `AdapterError` for what cannot be served exactly as it was
 * trained. The same adapter gives the same bytes.
 */
export async function convertAdapter(
  conversion: AdapterConversion,
): Promise<{ sha256: string; sizeBytes: number; rank: number }> {
  const { rank, alpha } = await readAdapterConfig(join(conversion.peftFolder, 'adapter_config.json'));
  const weights = await openSafeTensors(join(conversion.peftFolder, 'adapter_model.safetensors'));
  try {
    const tensors = findPairs(weights, rank).flatMap(({ tensor, a, b }) => {
      const inOrder = rowOrder(tensor, conversion);
      return [
        { name: `${tensor}.lora_a`, shape: a.shape.toReversed(), values: () => weights.read(a) },
        {
          name: `${tensor}.lora_b`,
          shape: b.shape.toReversed(),
          values: async () => inOrder(await weights.read(b), rank),
        },
      ];
    });
    const written = await writeGgufFile(conversion.ggufPath, metadataOf(conversion, alpha), tensors);
    return { ...written, rank };
  } finally {
    await weights.close();
  }
}

function metadataOf({ architecture, provenance }: AdapterConversion, alpha: number): AdapterMetadata[] {
  return [
    ['general.type', 'adapter'],
    ['general.architecture', architecture],
    ['general.name', 'adapter'],
    ['general.file_type', 0],
    ['adapter.type', 'lora'],
    ['adapter.lora.alpha', alpha],
    ...Object.entries(provenance).map(([key, value]): AdapterMetadata => [`fanfold.${key}`, value]),
  ];
}

type LayerPair = { tensor: string; a: SafeTensor; b: SafeTensor };

/** The two matrices of each layer, sorted by the name of the base's tensor. */
function findPairs(weights: SafeTensorsFile, rank: number): LayerPair[] {
  const found = new Map<string, { a?: SafeTensor; b?: SafeTensor }>();
  for (const tensor of weights.tensors.values()) {
    const { target, part } = readTensorName(tensor.name);
    const entry = found.get(target) ?? {};
    if (entry[part] !== undefined) throw new AdapterError(`The adapter has two weights for ${target}.`);
    entry[part] = tensor;
    found.set(target, entry);
  }
  return [...found]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([tensor, { a, b }]) => {
      if (a === undefined || b === undefined) throw new AdapterError(`The adapter has only half of ${tensor}.`);
      const own = a.shape[0] ?? 0;
      if (a.shape.length !== 2 || b.shape.length !== 2 || b.shape[1] !== own || own > maxRank)
        throw new AdapterError(`The two matrices for ${tensor} do not fit together.`);
      if (own !== rank) throw new AdapterError(`The weights for ${tensor} have rank ${own} instead of ${rank}.`);
      return { tensor, a, b };
    });
}

function rowOrder(
  tensor: string,
  { architecture, heads }: AdapterConversion,
): (values: Float32Array, rank: number) => Float32Array {
  if (plainArchitectures.has(architecture)) return (values) => values;
  if (architecture !== 'llama' || heads === undefined)
    throw new AdapterError(`Adapters for the architecture ${architecture} are not supported.`);
  if (tensor.endsWith('.attn_q.weight')) return (values, rank) => forLlama(values, rank, heads.query);
  if (tensor.endsWith('.attn_k.weight')) return (values, rank) => forLlama(values, rank, heads.keyValue);
  return (values) => values;
}

type Heads = { query: number; keyValue: number };

export async function readHeads(weightsFolder: string): Promise<Heads> {
  const config: Record<string, unknown> = JSON.parse(await readFile(join(weightsFolder, 'config.json'), 'utf8'));
  const { num_attention_heads: query, num_key_value_heads: keyValue = query } = config;
  if (typeof query === 'number' && typeof keyValue === 'number') return { query, keyValue };
  throw new AdapterError('The base model does not say how many heads it has.');
}

/**
 * Files of the architecture `llama` have the rows of each head of queries and keys interleaved: the first of the lower half, the first of
 * the upper half, the second of the lower half, and so on. A LoRA's outer matrix [rows, rank] must follow.
 */
function forLlama(values: Float32Array, rank: number, heads: number): Float32Array {
  const rows = values.length / rank;
  const half = rows / heads / 2;
  if (!Number.isInteger(half)) throw new AdapterError('The adapter does not fit the heads of the base model.');
  const ordered = new Float32Array(values.length);
  for (let head = 0; head < heads; head++) {
    for (let side = 0; side < 2; side++) {
      for (let i = 0; i < half; i++) {
        const from = (head * 2 * half + side * half + i) * rank;
        const to = (head * 2 * half + i * 2 + side) * rank;
        ordered.set(values.subarray(from, from + rank), to);
      }
    }
  }
  return ordered;
}

const layers: Record<string, string> = {
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

/** `base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight`; without the inner `model.` in embedding models. */
const loraName = /^base_model\.model\.(?:model\.)?layers\.(\d{1,4})\.([a-z_]+\.[a-z_]+)\.lora_([AB])\.weight$/;

function readTensorName(name: string): { target: string; part: 'a' | 'b' } {
  const [, block, layer = '', part] = loraName.exec(name) ?? [];
  const known = Object.hasOwn(layers, layer) ? layers[layer] : undefined;
  if (known === undefined)
    throw new AdapterError(`The adapter has a weight that is not supported: ${JSON.stringify(name.slice(0, 120))}.`);
  return { target: `blk.${Number(block)}.${known}.weight`, part: part === 'A' ? 'a' : 'b' };
}
