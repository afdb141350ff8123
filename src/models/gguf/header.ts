import { closeSync, fstatSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { ModelError, reasonOf } from '../model-error.ts';
import { type GgufBytes, openGgufBytes } from './bytes.ts';

/**
 * Reader of GGUF headers (format: ggml's docs/gguf.md, versions 2 and 3). It runs before any file of a user reaches
 * llama.cpp's C++ parser, so it trusts nothing: counts, lengths and depths are bounded, and the tensors must lie inside
 * the file. The parsers on npm either materialise every array (a vocabulary is 150,000 strings) or read zeros past the
 * end of the file, so that the commonest fault, an incomplete download, passes.
 */
export type GgufScalar = string | number | bigint | boolean;

export type GgufHeader = {
  version: number;
  /** Scalars and strings by key. */
  values: ReadonlyMap<string, GgufScalar>;
  /** Length of each array by key; elements are not kept. */
  arrayLengths: ReadonlyMap<string, number>;
  tensorCount: number;
  /** Sum of the tensors' elements. */
  parameters: number;
  fileBytes: number;
};

export const ggufLimits = {
  headerBytes: 128 * 1024 * 1024,
  keys: 4096,
  keyBytes: 512,
  stringBytes: 4 * 1024 * 1024,
  keptStringBytes: 16 * 1024 * 1024,
  arrayItems: 16_000_000,
  arrayDepth: 2,
  tensors: 65_536,
  tensorNameBytes: 128,
  tensorDimensions: 4,
} as const;

/** Reads and checks the header of a GGUF file. Throws `ModelError` with one line for anything unsound. */
export function readGgufHeader(path: string): GgufHeader {
  const file = basename(path);
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    throw new ModelError(`Cannot read ${path}: ${reasonOf(error)}`);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new ModelError(`${path} is not a file.`);
    const bytes = openGgufBytes(fd, Math.min(stat.size, ggufLimits.headerBytes), file);
    return readHeader(bytes, file, stat.size);
  } finally {
    closeSync(fd);
  }
}

function readHeader(bytes: GgufBytes, file: string, fileBytes: number): GgufHeader {
  if (fileBytes < 24 || bytes.u32() !== 0x46554747) throw new ModelError(`${file} is not a GGUF file.`);
  const version = bytes.u32();
  if (version >= 1 << 24) throw new ModelError(`${file} is a big-endian GGUF file; convert it to little-endian.`);
  if (version !== 2 && version !== 3) {
    throw new ModelError(`${file} has GGUF version ${version}; versions 2 and 3 can be read.`);
  }
  const tensorCount = bytes.count(ggufLimits.tensors, 'the number of tensors');
  const keyCount = bytes.count(ggufLimits.keys, 'the number of metadata keys');
  const { values, arrayLengths } = readMetadata(bytes, file, keyCount);
  const tensors = readTensors(bytes, file, tensorCount);
  const alignment = alignmentOf(values, file);
  const dataStart = Math.ceil(bytes.position() / alignment) * alignment;
  if (tensorCount > 0 && dataStart + tensors.dataBytes > fileBytes) {
    throw new ModelError(
      `${file} is incomplete: it has ${fileBytes} bytes and its tensors need ${dataStart + tensors.dataBytes}.`,
    );
  }
  return { version, values, arrayLengths, tensorCount, parameters: tensors.parameters, fileBytes };
}

function readMetadata(bytes: GgufBytes, file: string, keyCount: number) {
  const values = new Map<string, GgufScalar>();
  const arrayLengths = new Map<string, number>();
  let keptBytes = 0;
  for (let i = 0; i < keyCount; i++) {
    const key = bytes.string(ggufLimits.keyBytes, 'a metadata key');
    if (values.has(key) || arrayLengths.has(key)) throw new ModelError(`${file}: the key ${quoted(key)} occurs twice.`);
    const type = bytes.u32();
    if (type === arrayType) {
      arrayLengths.set(key, skipArray(bytes, file, key));
      continue;
    }
    const value = readScalar(bytes, type, `${file}: ${quoted(key)}`);
    if (typeof value === 'string') keptBytes += value.length;
    if (keptBytes > ggufLimits.keptStringBytes) throw new ModelError(`${file}: its metadata texts are too long.`);
    values.set(key, value);
  }
  return { values, arrayLengths };
}

const stringType = 8;
const arrayType = 9;
/** Size in bytes of the metadata types with a fixed size, by type id. */
const scalarBytes = new Map([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 4],
  [5, 4],
  [6, 4],
  [7, 1],
  [10, 8],
  [11, 8],
  [12, 8],
]);

function readScalar(bytes: GgufBytes, type: number, where: string): GgufScalar {
  switch (type) {
    case 0:
      return bytes.u8();
    case 1:
      return (bytes.u8() << 24) >> 24;
    case 2:
      return bytes.u16();
    case 3:
      return bytes.i16();
    case 4:
      return bytes.u32();
    case 5:
      return bytes.i32();
    case 6:
      return bytes.f32();
    case 7:
      return bytes.u8() !== 0;
    case stringType:
      return bytes.string(ggufLimits.stringBytes, 'a metadata text');
    case 10:
      return bytes.u64();
    case 11:
      return bytes.i64();
    case 12:
      return bytes.f64();
    default:
      throw new ModelError(`${where} has the unknown value type ${type}; the file is damaged.`);
  }
}

/** Passes over an array without keeping it; returns its length. Depth counts arrays inside arrays. */
function skipArray(bytes: GgufBytes, file: string, key: string, depth = 1): number {
  if (depth > ggufLimits.arrayDepth) throw new ModelError(`${file}: ${quoted(key)} is nested too deeply.`);
  const type = bytes.u32();
  const length = bytes.count(ggufLimits.arrayItems, `the length of ${quoted(key)}`);
  const size = scalarBytes.get(type);
  if (size !== undefined) bytes.skip(length * size);
  else if (type === stringType) {
    for (let i = 0; i < length; i++) bytes.skip(bytes.count(ggufLimits.stringBytes, `a text of ${quoted(key)}`));
  } else if (type === arrayType) {
    for (let i = 0; i < length; i++) skipArray(bytes, file, key, depth + 1);
  } else throw new ModelError(`${file}: ${quoted(key)} has the unknown element type ${type}; the file is damaged.`);
  return length;
}

/**
 * Elements per block and bytes per block of ggml's tensor types, by type id (ggml.h). A type that is not here is newer
 * than this table: only its offset is checked, and llama.cpp decides whether it knows it.
 */
const tensorTypes = new Map<number, readonly [elements: number, bytes: number]>([
  [0, [1, 4]],
  [1, [1, 2]],
  [2, [32, 18]],
  [3, [32, 20]],
  [6, [32, 22]],
  [7, [32, 24]],
  [8, [32, 34]],
  [9, [32, 36]],
  [10, [256, 84]],
  [11, [256, 110]],
  [12, [256, 144]],
  [13, [256, 176]],
  [14, [256, 210]],
  [15, [256, 292]],
  [16, [256, 66]],
  [17, [256, 74]],
  [18, [256, 98]],
  [19, [256, 50]],
  [20, [32, 18]],
  [21, [256, 110]],
  [22, [256, 82]],
  [23, [256, 136]],
  [24, [1, 1]],
  [25, [1, 2]],
  [26, [1, 4]],
  [27, [1, 8]],
  [28, [1, 8]],
  [29, [256, 56]],
  [30, [1, 2]],
  [34, [256, 54]],
  [35, [256, 66]],
  [39, [32, 17]],
]);

function readTensors(bytes: GgufBytes, file: string, tensorCount: number) {
  const names = new Set<string>();
  let parameters = 0;
  let dataBytes = 0;
  for (let i = 0; i < tensorCount; i++) {
    const name = bytes.string(ggufLimits.tensorNameBytes, 'a tensor name');
    if (names.has(name)) throw new ModelError(`${file}: the tensor ${quoted(name)} occurs twice.`);
    names.add(name);
    const elements = readElementCount(bytes, file, name);
    const [blockElements, blockBytes] = tensorTypes.get(bytes.u32()) ?? [1, 0];
    const offset = bytes.count(Number.MAX_SAFE_INTEGER, `the offset of ${quoted(name)}`);
    parameters += elements;
    dataBytes = Math.max(dataBytes, offset + Math.ceil(elements / blockElements) * blockBytes);
  }
  return { parameters, dataBytes };
}

function readElementCount(bytes: GgufBytes, file: string, name: string): number {
  const dimensions = bytes.u32();
  if (dimensions === 0 || dimensions > ggufLimits.tensorDimensions) {
    throw new ModelError(`${file}: the tensor ${quoted(name)} has ${dimensions} dimensions; the file is damaged.`);
  }
  let elements = 1;
  for (let i = 0; i < dimensions; i++) elements *= bytes.count(2 ** 40, `a dimension of ${quoted(name)}`);
  if (elements === 0 || elements > Number.MAX_SAFE_INTEGER) {
    throw new ModelError(`${file}: the tensor ${quoted(name)} has an impossible shape; the file is damaged.`);
  }
  return elements;
}

function alignmentOf(values: ReadonlyMap<string, GgufScalar>, file: string): number {
  const alignment = values.get('general.alignment') ?? 32;
  if (typeof alignment !== 'number' || alignment < 1 || alignment > 65_536 || !Number.isInteger(Math.log2(alignment))) {
    throw new ModelError(`${file}: general.alignment must be a power of two.`);
  }
  return alignment;
}

/** A name from the file, safe to print: one line, escaped, at most 80 characters. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}...` : name).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    '?',
  );
}
