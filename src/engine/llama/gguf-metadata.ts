import { type GgufBytes, GgufError, readGgufFile } from '../gguf/bytes.ts';
import { readGgufCounts, readGgufEntries } from '../gguf/metadata.ts';

/** Values of a GGUF header by key; an array counts with its length. */
export type GgufMetadata = ReadonlyMap<string, string | number | boolean>;

/** Reads the metadata of a GGUF file. Throws where it is none, or broken; llama.cpp looks at the tensors itself. */
export function readMetadata(path: string): GgufMetadata {
  try {
    return readGgufFile(path, readValues);
  } catch (error) {
    throw error instanceof GgufError ? new Error(reasonOf(error, path), { cause: error }) : error;
  }
}

function readValues(bytes: GgufBytes): GgufMetadata {
  const metadata = new Map<string, string | number | boolean>();
  for (const entry of readGgufEntries(bytes, readGgufCounts(bytes).keyCount)) {
    const value = 'value' in entry ? entry.value : entry.length;
    metadata.set(entry.key, typeof value === 'bigint' ? Number(value) : value);
  }
  return metadata;
}

/** The engine's log is for those who know the whole path. */
function reasonOf({ problem, message }: GgufError, path: string): string {
  if (problem === 'foreign') return `${path} is not a GGUF file`;
  if (problem === 'cut') return `The header of ${path} is broken`;
  if (problem === 'bounds') return 'A length in the GGUF header is out of bounds';
  if (problem === 'unsound') return message;
  return `The GGUF header has a value of unknown type ${problem.unknownType}`;
}
