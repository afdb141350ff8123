import { type GgufBytes, GgufError, openGgufBytes, quoted, readGgufFile } from './bytes.ts';
import { type GgufScalar, readGgufCounts, readGgufEntries } from './metadata.ts';

export type GgufHeader = {
  version: number;
  values: ReadonlyMap<string, GgufScalar>;
  arrayLengths: ReadonlyMap<string, number>;
  tensorNames: ReadonlySet<string>;
  parameters: number;
  fileBytes: number;
};

/**
 * Reads and checks the whole header of a GGUF file (format: ggml's docs/gguf.md, versions 2 and 3). It runs before any
 * file of a user reaches llama.cpp's C++ parser, so it trusts nothing: counts, lengths and depths are bounded, and the
 * tensors must lie inside the file. The parsers on npm either materialise every array (a vocabulary is 150,000 strings)
 * or read zeros past the end of the file, so that the commonest fault, an incomplete download, passes.
 * Throws `GgufError` for anything unsound, and the file system's error where the file cannot be opened.
 */
export function readGgufHeader(path: string): GgufHeader {
  return readGgufFile(path, readHeader);
}

/**
 * The same from the first bytes of a file that has `fileBytes` in all. Throws `GgufError` also where the header ends after
 * these bytes.
 */
export function readGgufHeaderOf(head: Buffer, { fileBytes, name }: { fileBytes: number; name: string }): GgufHeader {
  return readHeader(
    openGgufBytes((target, from) => head.copy(target, 0, from), head.length, name),
    fileBytes,
  );
}

function readHeader(bytes: GgufBytes, fileBytes: number): GgufHeader {
  const { version, tensorCount, keyCount } = readGgufCounts(bytes);
  const values = new Map<string, GgufScalar>();
  const arrayLengths = new Map<string, number>();
  for (const entry of readGgufEntries(bytes, keyCount)) {
    if ('value' in entry) values.set(entry.key, entry.value);
    else arrayLengths.set(entry.key, entry.length);
  }
  const tensors = readGgufTensors(bytes, tensorCount);
  const alignment = alignmentOf(values, bytes.file);
  const dataStart = Math.ceil(bytes.position() / alignment) * alignment;
  if (tensorCount > 0 && dataStart + tensors.dataBytes > fileBytes) {
    throw new GgufError(
      `${bytes.file} is incomplete: it has ${fileBytes} bytes and its tensors need ${dataStart + tensors.dataBytes}.`,
    );
  }
  const { names: tensorNames, parameters } = tensors;
  return { version, values, arrayLengths, tensorNames, parameters, fileBytes };
}

function alignmentOf(values: ReadonlyMap<string, GgufScalar>, file: string): number {
  const alignment = values.get('general.alignment') ?? 32;
  if (typeof alignment !== 'number' || alignment < 1 || alignment > 65_536 || !Number.isInteger(Math.log2(alignment))) {
    throw new GgufError(`${file}: general.alignment must be a power of two.`);
  }
  return alignment;
}

const mostNameBytes = 128;
const mostDimensions = 4;

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

function readGgufTensors(bytes: GgufBytes, tensorCount: number) {
  const names = new Set<string>();
  let parameters = 0;
  let dataBytes = 0;
  for (let i = 0; i < tensorCount; i++) {
    const name = bytes.string(mostNameBytes, 'a tensor name');
    if (names.has(name)) throw new GgufError(`${bytes.file}: the tensor ${quoted(name)} occurs twice.`);
    names.add(name);
    const elements = readElementCount(bytes, name);
    const [blockElements, blockBytes] = tensorTypes.get(bytes.u32()) ?? [1, 0];
    const offset = bytes.count(Number.MAX_SAFE_INTEGER, `the offset of ${quoted(name)}`);
    parameters += elements;
    dataBytes = Math.max(dataBytes, offset + Math.ceil(elements / blockElements) * blockBytes);
  }
  return { names, parameters, dataBytes };
}

function readElementCount(bytes: GgufBytes, name: string): number {
  const { file } = bytes;
  const dimensions = bytes.u32();
  if (dimensions === 0 || dimensions > mostDimensions) {
    throw new GgufError(`${file}: the tensor ${quoted(name)} has ${dimensions} dimensions; the file is damaged.`);
  }
  let elements = 1;
  for (let i = 0; i < dimensions; i++) elements *= bytes.count(2 ** 40, `a dimension of ${quoted(name)}`);
  if (elements === 0 || elements > Number.MAX_SAFE_INTEGER) {
    throw new GgufError(`${file}: the tensor ${quoted(name)} has an impossible shape; the file is damaged.`);
  }
  return elements;
}
