import { type FileHandle, open } from 'node:fs/promises';
import { isFields } from '#kernel';
import { AdapterError } from './adapter-config.ts';

/** Bytes of an element. Other types make no adapter. */
const widths = { F32: 4, F16: 2, BF16: 2 } as const;
type ElementType = keyof typeof widths;

export type SafeTensor = {
  name: string;
  type: ElementType;
  shape: readonly number[];
  /** First and behind-last byte in the file. */
  start: number;
  end: number;
};

export type SafeTensorsFile = {
  tensors: ReadonlyMap<string, SafeTensor>;
  /** The values in single precision. Throws where one is not finite. */
  read: (tensor: SafeTensor) => Promise<Float32Array>;
  close: () => Promise<void>;
};

const maxHeaderBytes = 16 * 1024 * 1024;
const maxTensors = 65_536;
const maxNameLength = 256;
const maxElements = 2 ** 31;

/**
 * Opens a safetensors file for reading. Files come from trainers elsewhere and from people, so nothing in the header is taken
 * on trust: the tensors must fill the file exactly, one behind the other, which also means that no name occurs twice.
 */
export async function openSafeTensors(path: string): Promise<SafeTensorsFile> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const headerBytes = await readHeaderLength(file, size);
    const header = parseHeader((await readExactly(file, 8, headerBytes)).toString('utf8'));
    const tensors = readTensors(header, 8 + headerBytes, size);
    return { tensors, read: (tensor) => readValues(file, tensor), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readHeaderLength(file: FileHandle, size: number): Promise<number> {
  if (size < 10) throw new AdapterError('The weights are no safetensors file.');
  const length = (await readExactly(file, 0, 8)).readBigUInt64LE();
  if (length > BigInt(Math.min(maxHeaderBytes, size - 8))) {
    throw new AdapterError('The header of the weights is cut short or too large.');
  }
  return Number(length);
}

function parseHeader(text: string): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(text);
    if (isFields(header)) return header;
  } catch {
    // Refused below.
  }
  throw new AdapterError('The header of the weights is no JSON object.');
}

function readTensors(header: Record<string, unknown>, dataStart: number, fileBytes: number): Map<string, SafeTensor> {
  const entries = Object.entries(header).filter(([name]) => name !== '__metadata__');
  if (entries.length === 0) throw new AdapterError('The file holds no weights.');
  if (entries.length > maxTensors) throw new AdapterError('The file holds too many tensors.');
  const tensors = entries.map(([name, entry]) => readTensor(name, entry, dataStart));
  tensors.sort((a, b) => a.start - b.start);
  let at = dataStart;
  for (const { start, end } of tensors) {
    if (start !== at) throw new AdapterError('The tensors do not stand one behind the other.');
    at = end;
  }
  if (at !== fileBytes) throw new AdapterError('The tensors do not fill the file.');
  return new Map(tensors.map((tensor) => [tensor.name, tensor]));
}

function readTensor(name: string, entry: unknown, dataStart: number): SafeTensor {
  if (name.length > maxNameLength || !isFields(entry)) throw new AdapterError('The header of the weights is damaged.');
  const { dtype, shape, data_offsets: offsets } = entry;
  if (!isElementType(dtype)) throw new AdapterError('The weights must be of type F32, F16 or BF16.');
  if (!isSizes(shape) || shape.length > 4) throw new AdapterError('A tensor has an impossible shape.');
  const elements = shape.reduce((product, size) => product * size, 1);
  if (!isSizes(offsets) || offsets.length !== 2 || elements === 0 || elements > maxElements) {
    throw new AdapterError('A tensor has an impossible size.');
  }
  const [first = 0, last = 0] = offsets;
  if (last - first !== elements * widths[dtype])
    throw new AdapterError('A tensor does not have the size of its shape.');
  return { name, type: dtype, shape, start: dataStart + first, end: dataStart + last };
}

async function readValues(file: FileHandle, tensor: SafeTensor): Promise<Float32Array> {
  const bytes = await readExactly(file, tensor.start, tensor.end - tensor.start);
  const values = decode(bytes, tensor.type);
  if (!values.every(Number.isFinite)) throw new AdapterError('The weights hold values that are not finite.');
  return values;
}

function decode(bytes: Buffer, type: ElementType): Float32Array {
  const values = new Float32Array(bytes.length / widths[type]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // BF16 is the upper half of a single-precision number.
  const bits = new Uint32Array(values.buffer);
  for (let i = 0; i < values.length; i++) {
    if (type === 'BF16') bits[i] = view.getUint16(i * 2, true) << 16;
    else values[i] = type === 'F32' ? view.getFloat32(i * 4, true) : view.getFloat16(i * 2, true);
  }
  return values;
}

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  if (bytesRead < length) throw new AdapterError('The weights are cut short.');
  return bytes;
}

function isElementType(value: unknown): value is ElementType {
  return typeof value === 'string' && Object.hasOwn(widths, value);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}
