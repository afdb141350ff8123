import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Weight = { name: string; shape: readonly number[]; type?: string; values?: ArrayLike<number> };

/** Bytes of a safetensors file; `change` damages its header. */
export function safeTensors(
  weights: readonly Weight[],
  change: (header: Header) => unknown = (header) => header,
): Buffer {
  const header: Header = {};
  const parts: Buffer[] = [];
  let at = 0;
  for (const { name, shape, type = 'F32', values } of weights) {
    const count = shape.reduce((product, size) => product * size, 1);
    const numbers = Float32Array.from({ length: count }, (_, i) => values?.[i] ?? i + 1);
    const bytes = encode(numbers, type);
    header[name] = { dtype: type, shape, data_offsets: [at, at + bytes.length] };
    parts.push(bytes);
    at += bytes.length;
  }
  const text = Buffer.from(JSON.stringify(change(header)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...parts]);
}

export type Header = Record<string, { dtype: string; shape: readonly number[]; data_offsets: number[] }>;

function encode(numbers: Float32Array, type: string): Buffer {
  const bytes = Buffer.alloc(numbers.length * (type === 'F32' ? 4 : 2));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const [i, value] of numbers.entries()) {
    if (type === 'F32') view.setFloat32(i * 4, value, true);
    else if (type === 'F16') view.setFloat16(i * 2, value, true);
    else view.setUint16(i * 2, (new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0) >>> 16, true);
  }
  return bytes;
}

/** A PEFT folder. */
export function writeAdapter(folder: string, config: Record<string, unknown>, weights: Buffer): string {
  mkdirSync(folder, { recursive: true });
  const plain = {
    peft_type: 'LORA',
    r: 2,
    lora_alpha: 4,
    target_modules: ['q_proj', 'k_proj', 'up_proj'],
    bias: 'none',
  };
  writeFileSync(join(folder, 'adapter_config.json'), JSON.stringify({ ...plain, ...config }));
  writeFileSync(join(folder, 'adapter_model.safetensors'), weights);
  return folder;
}

/** Both matrices of a layer. */
export function pairOf(module: string, input: number, output: number, rank = 2): Weight[] {
  return [
    { name: `base_model.model.${module}.lora_A.weight`, shape: [rank, input] },
    { name: `base_model.model.${module}.lora_B.weight`, shape: [output, rank] },
  ];
}
