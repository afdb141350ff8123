import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';

export type AdapterMetadata = readonly [key: string, value: string | number];

/** A tensor in single precision; `shape` has the fastest dimension first, as ggml counts. */
export type GgufTensor = { name: string; shape: readonly number[]; values: () => Promise<Float32Array> };

const alignment = 32;
const types = { u32: 4, f32: 6, string: 8 } as const;
const f32Tensor = 0;

/**
 * Writes a GGUF file (version 3), one tensor in memory at a time. It appears whole or not at all. Whole numbers are written
 * as u32 and others as f32; a key that ends with `.alpha` is always f32.
 */
export async function writeGgufFile(
  path: string,
  entries: readonly AdapterMetadata[],
  tensors: readonly GgufTensor[],
): Promise<{ sha256: string; sizeBytes: number }> {
  const draft = `${path}.part`;
  const file = await open(draft, 'w');
  try {
    const written = await writeAll(file, entries, tensors);
    await file.sync();
    await file.close();
    await rename(draft, path);
    return written;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeAll(file: FileHandle, entries: readonly AdapterMetadata[], tensors: readonly GgufTensor[]) {
  const digest = createHash('sha256');
  let sizeBytes = 0;
  const write = async (bytes: Uint8Array) => {
    digest.update(bytes);
    for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten;
    sizeBytes += bytes.length;
  };
  await write(header(entries, tensors));
  for (const { values } of tensors) {
    await write(Buffer.alloc(padding(sizeBytes)));
    const numbers = await values();
    await write(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  }
  await write(Buffer.alloc(padding(sizeBytes)));
  return { sha256: digest.digest('hex'), sizeBytes };
}

function header(entries: readonly AdapterMetadata[], tensors: readonly GgufTensor[]): Buffer {
  const parts = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(entries.length)];
  for (const [key, value] of entries) parts.push(text(key), ...encode(key, value));
  let offset = 0;
  for (const { name, shape } of tensors) {
    parts.push(text(name), u32(shape.length), ...shape.map(u64), u32(f32Tensor), u64(offset));
    offset += shape.reduce((product, size) => product * size, 4);
    offset += padding(offset);
  }
  return Buffer.concat(parts);
}

function encode(key: string, value: string | number): Buffer[] {
  if (typeof value === 'string') return [u32(types.string), text(value)];
  if (Number.isInteger(value) && !key.endsWith('.alpha')) return [u32(types.u32), u32(value)];
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return [u32(types.f32), bytes];
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
