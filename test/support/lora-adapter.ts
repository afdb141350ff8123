import { type GgufTensor, writeGguf } from './gguf-writer.ts';
import type { ModelShape } from './random-model.ts';
import { generator, randomBytes } from './random-weights.ts';

/** A LoRA adapter with random weights for a model of `random-model.ts`. */
export function writeRandomAdapter(
  path: string,
  adapter: {
    shape: ModelShape;
    rank: number;
    alpha: number;
    seed: number;
    /** 0 leaves the base as it is. */
    spreadOfB: number;
  },
): void {
  const { shape, rank } = adapter;
  const random = generator(adapter.seed);
  const queries = shape.heads * shape.headWidth;
  const part = (name: string, size: readonly number[], spread: number): GgufTensor => ({
    name,
    shape: size,
    format: 'F32',
    bytes: () => randomBytes(size, { format: 'F32', spread, random }),
  });
  const tensors: GgufTensor[] = [];
  for (let layer = 0; layer < shape.layers; layer++) {
    for (const [name, input, output] of [
      ['attn_q', shape.width, queries],
      ['attn_output', queries, shape.width],
      ['ffn_down', shape.feedForward, shape.width],
    ] as const) {
      tensors.push(
        part(`blk.${layer}.${name}.weight.lora_a`, [input, rank], 0.1),
        part(`blk.${layer}.${name}.weight.lora_b`, [rank, output], adapter.spreadOfB),
      );
    }
  }
  writeGguf(
    path,
    {
      'general.type': { type: 'string', value: 'adapter' },
      'general.architecture': { type: 'string', value: 'qwen3' },
      'adapter.type': { type: 'string', value: 'lora' },
      'adapter.lora.alpha': { type: 'f32', value: adapter.alpha },
    },
    tensors,
  );
}
