import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AdapterError } from './adapter-error.ts';

export type Heads = { query: number; keyValue: number };

/** The heads of a model in Hugging Face form. */
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
export function forLlama(values: Float32Array, rank: number, heads: number): Float32Array {
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
