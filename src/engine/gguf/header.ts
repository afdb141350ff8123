import { type GgufBytes, GgufError, readGgufFile } from './bytes.ts';
import { type GgufScalar, readGgufCounts, readGgufEntries } from './metadata.ts';
import { readGgufTensors } from './tensors.ts';

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
      'unsound',
      `${bytes.file} is incomplete: it has ${fileBytes} bytes and its tensors need ${dataStart + tensors.dataBytes}.`,
    );
  }
  return { version, values, arrayLengths, tensorCount, parameters: tensors.parameters, fileBytes };
}

function alignmentOf(values: ReadonlyMap<string, GgufScalar>, file: string): number {
  const alignment = values.get('general.alignment') ?? 32;
  if (typeof alignment !== 'number' || alignment < 1 || alignment > 65_536 || !Number.isInteger(Math.log2(alignment))) {
    throw new GgufError('unsound', `${file}: general.alignment must be a power of two.`);
  }
  return alignment;
}
