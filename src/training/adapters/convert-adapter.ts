import { join } from 'node:path';
import { type AdapterConfig, mostRank, patternFor, readAdapterConfig } from './adapter-config.ts';
import { AdapterError } from './adapter-error.ts';
import { type GgufEntry, type GgufTensor, writeGgufFile } from './gguf-file.ts';
import { forLlama, type Heads } from './rope-order.ts';
import { openSafeTensors, type SafeTensor, type SafeTensorsFile } from './safetensors.ts';
import { readTensorName } from './tensor-names.ts';

/** Architectures that keep the order of rows that PEFT's weights have. */
const plainArchitectures = new Set(['qwen2', 'qwen3']);

export type Conversion = {
  /** Holds `adapter_config.json` and `adapter_model.safetensors`. */
  peftFolder: string;
  ggufPath: string;
  /** `general.architecture` of the base's GGUF file. */
  architecture: string;
  /** Needed for `llama` alone, whose file has the rows of queries and keys in another order. */
  heads?: Heads;
  /** Where the adapter comes from, written into the file below `fanfold.`. */
  provenance: Readonly<Record<string, string>>;
};

/**
 * Makes the GGUF LoRA that llama.cpp serves from a PEFT adapter. Throws `AdapterError` for what cannot be served exactly as it was
 * trained. The same adapter gives the same bytes.
 */
export async function convertAdapter(
  conversion: Conversion,
): Promise<{ sha256: string; sizeBytes: number; rank: number }> {
  const config = await readAdapterConfig(join(conversion.peftFolder, 'adapter_config.json'));
  const weights = await openSafeTensors(join(conversion.peftFolder, 'adapter_model.safetensors'));
  try {
    const pairs = findPairs(weights, config);
    // llama.cpp multiplies with alpha / r, r being that of each tensor.
    const alpha = config.isRankStabilised ? config.alpha * Math.sqrt(config.rank) : config.alpha;
    const tensors = pairs.flatMap((pair) => tensorsOf(pair, { weights, config, alpha, conversion }));
    const written = await writeGgufFile(conversion.ggufPath, entriesOf(conversion, alpha), tensors);
    return { ...written, rank: Math.max(...pairs.map(({ rank }) => rank)) };
  } finally {
    await weights.close();
  }
}

function entriesOf({ architecture, provenance }: Conversion, alpha: number): GgufEntry[] {
  return [
    ['general.type', 'adapter'],
    ['general.architecture', architecture],
    ['general.name', 'adapter'],
    ['general.file_type', 0],
    ['adapter.type', 'lora'],
    ['adapter.lora.alpha', alpha],
    ...Object.entries(provenance).map(([key, value]): GgufEntry => [`fanfold.${key}`, value]),
  ];
}

type Halves = { module: string; a?: SafeTensor; b?: SafeTensor };
type Pair = { module: string; tensor: string; rank: number; a: SafeTensor; b: SafeTensor };

/** The two matrices of each layer, sorted by the name of the base's tensor. */
function findPairs(weights: SafeTensorsFile, config: AdapterConfig): Pair[] {
  const found = new Map<string, Halves>();
  for (const tensor of weights.tensors.values()) {
    const { module, tensor: target, part } = readTensorName(tensor.name);
    const entry = found.get(target) ?? { module };
    if (entry[part] !== undefined) throw new AdapterError(`The adapter has two weights for ${target}.`);
    entry[part] = tensor;
    found.set(target, entry);
  }
  return [...found]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([target, halves]) => checkPair(target, halves, config));
}

function checkPair(target: string, { module, a, b }: Halves, config: AdapterConfig): Pair {
  if (a === undefined || b === undefined) throw new AdapterError(`The adapter has only half of ${target}.`);
  const rank = a.shape[0] ?? 0;
  if (a.shape.length !== 2 || b.shape.length !== 2 || b.shape[1] !== rank || rank > mostRank) {
    throw new AdapterError(`The two matrices for ${target} do not fit together.`);
  }
  const wanted = patternFor(config.ranks, module) ?? config.rank;
  if (rank !== wanted) throw new AdapterError(`The weights for ${target} have rank ${rank} instead of ${wanted}.`);
  return { module, tensor: target, rank, a, b };
}

type Adapter = { weights: SafeTensorsFile; config: AdapterConfig; alpha: number; conversion: Conversion };

function tensorsOf(pair: Pair, { weights, config, alpha, conversion }: Adapter): GgufTensor[] {
  const { tensor, a, b, rank } = pair;
  const own = patternFor(config.alphas, pair.module) ?? config.alpha;
  const strength = config.isRankStabilised ? own / Math.sqrt(rank) : own / rank;
  const factor = strength / (alpha / rank);
  const ordered = rowOrder(tensor, conversion);
  return [
    { name: `${tensor}.lora_a`, shape: a.shape.toReversed(), values: () => weights.read(a) },
    {
      name: `${tensor}.lora_b`,
      shape: b.shape.toReversed(),
      values: async () => ordered(scaled(await weights.read(b), factor), rank),
    },
  ];
}

/** Strengths that differ from layer to layer cannot be written down, so they go into the weights. */
function scaled(values: Float32Array, factor: number): Float32Array {
  return Math.abs(factor - 1) < 1e-12 ? values : values.map((value) => value * factor);
}

function rowOrder(
  tensor: string,
  { architecture, heads }: Conversion,
): (values: Float32Array, rank: number) => Float32Array {
  if (plainArchitectures.has(architecture)) return (values) => values;
  if (architecture !== 'llama' || heads === undefined) {
    throw new AdapterError(`Adapters for the architecture ${architecture} are not supported.`);
  }
  if (tensor.endsWith('.attn_q.weight')) return (values, rank) => forLlama(values, rank, heads.query);
  if (tensor.endsWith('.attn_k.weight')) return (values, rank) => forLlama(values, rank, heads.keyValue);
  return (values) => values;
}
