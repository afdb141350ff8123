import { closeSync, openSync, writeSync } from 'node:fs';

/** Writes GGUF version 3 files: models with random weights for benchmarks, models and adapters for tests. */

export type GgufValue =
  | { type: 'u16' | 'u32' | 'i32' | 'f32'; value: number }
  | { type: 'bool'; value: boolean }
  | { type: 'string'; value: string }
  | { type: 'strings'; value: readonly string[] }
  | { type: 'i32s'; value: readonly number[] }
  | { type: 'bools'; value: readonly boolean[] };

export type GgufTensor = {
  name: string;
  /** Fastest dimension first, as ggml counts. */
  shape: readonly number[];
  format: 'F32' | 'F16' | 'Q8_0';
  /** Called once, when the tensor is written, so that only one tensor is in memory. */
  bytes: () => Uint8Array;
};

const alignment = 32;
const formatIds = { F32: 0, F16: 1, Q8_0: 8 } as const;

export function tensorBytes(shape: readonly number[], format: GgufTensor['format']): number {
  const elements = shape.reduce((product, size) => product * size, 1);
  // A Q8_0 block: one f16 scale and 32 signed bytes.
  return format === 'F32' ? elements * 4 : format === 'F16' ? elements * 2 : (elements / 32) * 34;
}

export function writeGguf(path: string, metadata: Record<string, GgufValue>, tensors: readonly GgufTensor[]): void {
  const file = openSync(path, 'w');
  try {
    let at = 0;
    const write = (bytes: Uint8Array) => {
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      at += bytes.length;
    };
    write(header(metadata, tensors));
    for (const tensor of tensors) {
      write(Buffer.alloc(padding(at)));
      write(tensor.bytes());
    }
    write(Buffer.alloc(padding(at)));
  } finally {
    closeSync(file);
  }
}

function header(metadata: Record<string, GgufValue>, tensors: readonly GgufTensor[]): Buffer {
  const entries = Object.entries(metadata);
  const parts = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(entries.length)];
  for (const [key, value] of entries) parts.push(text(key), Buffer.concat(encode(value)));
  let offset = 0;
  for (const tensor of tensors) {
    parts.push(text(tensor.name), u32(tensor.shape.length), ...tensor.shape.map(u64));
    parts.push(u32(formatIds[tensor.format]), u64(offset));
    offset += tensorBytes(tensor.shape, tensor.format);
    offset += padding(offset);
  }
  return Buffer.concat(parts);
}

function encode(value: GgufValue): Buffer[] {
  switch (value.type) {
    case 'u16':
      return [u32(2), Buffer.from(Uint16Array.of(value.value).buffer)];
    case 'u32':
      return [u32(4), u32(value.value)];
    case 'i32':
      return [u32(5), Buffer.from(Int32Array.of(value.value).buffer)];
    case 'f32':
      return [u32(6), f32(value.value)];
    case 'bool':
      return [u32(7), Buffer.of(value.value ? 1 : 0)];
    case 'string':
      return [u32(8), text(value.value)];
    case 'strings':
      return [u32(9), u32(8), u64(value.value.length), ...value.value.map(text)];
    case 'i32s':
      return [u32(9), u32(5), u64(value.value.length), Buffer.from(Int32Array.from(value.value).buffer)];
    case 'bools':
      return [u32(9), u32(7), u64(value.value.length), Buffer.from(value.value.map(Number))];
  }
}

function padding(offset: number): number {
  return (alignment - (offset % alignment)) % alignment;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}
