import type { GgufTensor } from './gguf-writer.ts';
import { tensorBytes } from './gguf-writer.ts';

/** Rows of zeros give logit 0, which loses against the best of many random ones. */
export function silenced(tensor: GgufTensor, first: number, count: number): GgufTensor {
  return {
    ...tensor,
    bytes: () => {
      const bytes = tensor.bytes();
      const rowBytes = tensorBytes([tensor.shape[0] ?? 0], tensor.format);
      return bytes.fill(0, first * rowBytes, (first + count) * rowBytes);
    },
  };
}

type Random = () => number;

/** xorshift32: full 32-bit words. */
export function generator(seed: number): Random {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Uniform values with the given standard deviation. */
export function randomBytes(
  shape: readonly number[],
  { format, spread, random }: { format: GgufTensor['format']; spread: number; random: Random },
): Uint8Array {
  const elements = shape.reduce((product, size) => product * size, 1);
  const width = spread * Math.sqrt(12);
  if (format !== 'Q8_0') {
    const values = Float32Array.from({ length: elements }, () => (random() / 2 ** 32 - 0.5) * width);
    return new Uint8Array(format === 'F32' ? values.buffer : new Float16Array(values).buffer);
  }
  const bytes = new Uint8Array(tensorBytes(shape, format));
  const words = new Uint32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
  for (let i = 0; i < words.length; i++) words[i] = random();
  const scale = new Uint8Array(new Float16Array([width / 255]).buffer);
  for (let block = 0; block < bytes.length; block += 34) bytes.set(scale, block);
  return bytes;
}
