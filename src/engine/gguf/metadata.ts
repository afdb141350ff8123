import { type GgufBytes, GgufError, quoted } from './bytes.ts';

export type GgufScalar = string | number | bigint | boolean;

/** A key of the metadata with its value; of an array the length is kept. */
export type GgufEntry = { key: string; value: GgufScalar } | { key: string; length: number };

const limits = {
  tensors: 65_536,
  keys: 4096,
  keyBytes: 512,
  stringBytes: 4 * 1024 * 1024,
  keptStringBytes: 16 * 1024 * 1024,
  arrayItems: 16_000_000,
  arrayDepth: 2,
} as const;

const stringType = 8;
const arrayType = 9;
/** The metadata types with a fixed size, by type id. */
const scalarTypes = new Map<number, { size: number; read: (bytes: GgufBytes) => GgufScalar }>([
  [0, { size: 1, read: (bytes) => bytes.u8() }],
  [1, { size: 1, read: (bytes) => (bytes.u8() << 24) >> 24 }],
  [2, { size: 2, read: (bytes) => bytes.u16() }],
  [3, { size: 2, read: (bytes) => bytes.i16() }],
  [4, { size: 4, read: (bytes) => bytes.u32() }],
  [5, { size: 4, read: (bytes) => bytes.i32() }],
  [6, { size: 4, read: (bytes) => bytes.f32() }],
  [7, { size: 1, read: (bytes) => bytes.u8() !== 0 }],
  [10, { size: 8, read: (bytes) => bytes.u64() }],
  [11, { size: 8, read: (bytes) => bytes.i64() }],
  [12, { size: 8, read: (bytes) => bytes.f64() }],
]);

/** Reads the first 24 bytes. Throws `GgufError` for what is no GGUF file of version 2 or 3. */
export function readGgufCounts(bytes: GgufBytes): { version: number; tensorCount: number; keyCount: number } {
  const { file } = bytes;
  if (bytes.end < 24 || bytes.u32() !== 0x46554747) throw new GgufError(`${file} is not a GGUF file.`);
  const version = bytes.u32();
  if (version >= 1 << 24) {
    throw new GgufError(`${file} is a big-endian GGUF file; convert it to little-endian.`);
  }
  if (version !== 2 && version !== 3) {
    throw new GgufError(`${file} has GGUF version ${version}; versions 2 and 3 can be read.`);
  }
  const tensorCount = bytes.count(limits.tensors, 'the number of tensors');
  return { version, tensorCount, keyCount: bytes.count(limits.keys, 'the number of metadata keys') };
}

/** Reads the metadata behind the counts, in the order of the file. Throws `GgufError`. */
export function* readGgufEntries(bytes: GgufBytes, keyCount: number): Generator<GgufEntry, void> {
  const { file } = bytes;
  const seen = new Set<string>();
  let keptBytes = 0;
  for (let i = 0; i < keyCount; i++) {
    const key = bytes.string(limits.keyBytes, 'a metadata key');
    if (seen.has(key)) throw new GgufError(`${file}: the key ${quoted(key)} occurs twice.`);
    seen.add(key);
    const type = bytes.u32();
    if (type === arrayType) {
      const array = readArrayHead(bytes, key);
      yield { key, length: array.length };
      skipItems(bytes, key, array);
      continue;
    }
    const value = readScalar(bytes, type, key);
    if (typeof value === 'string') keptBytes += value.length;
    if (keptBytes > limits.keptStringBytes) {
      throw new GgufError(`${file}: its metadata texts are too long.`);
    }
    yield { key, value };
  }
}

function readScalar(bytes: GgufBytes, type: number, key: string): GgufScalar {
  if (type === stringType) return bytes.string(limits.stringBytes, 'a metadata text');
  const scalar = scalarTypes.get(type);
  if (scalar === undefined) throw unknownType(bytes, key, `value type ${type}`);
  return scalar.read(bytes);
}

type ArrayHead = { type: number; length: number };

function readArrayHead(bytes: GgufBytes, key: string): ArrayHead {
  return { type: bytes.u32(), length: bytes.count(limits.arrayItems, `the length of ${quoted(key)}`) };
}

/** Passes over the items of an array. Depth counts arrays inside arrays. */
function skipItems(bytes: GgufBytes, key: string, { type, length }: ArrayHead, depth = 1): void {
  const size = scalarTypes.get(type)?.size;
  if (size !== undefined) bytes.skip(length * size);
  else if (type === stringType) {
    const what = `a text of ${quoted(key)}`;
    for (let i = 0; i < length; i++) bytes.skip(bytes.count(limits.stringBytes, what));
  } else if (type === arrayType) {
    for (let i = 0; i < length; i++) {
      if (depth === limits.arrayDepth) {
        throw new GgufError(`${bytes.file}: ${quoted(key)} is nested too deeply.`);
      }
      skipItems(bytes, key, readArrayHead(bytes, key), depth + 1);
    }
  } else throw unknownType(bytes, key, `element type ${type}`);
}

function unknownType(bytes: GgufBytes, key: string, what: string): GgufError {
  return new GgufError(`${bytes.file}: ${quoted(key)} has the unknown ${what}; the file is damaged.`);
}
