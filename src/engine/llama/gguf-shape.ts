import { open } from 'node:fs/promises';

/** What the memory plan needs from a GGUF header. */
export type ModelShape = {
  /** Key and value numbers that one token keeps in the cache, over all layers. */
  cacheValuesPerToken: number;
  vocabulary: number;
};

/** The architecture's keys stand before the vocabulary, at the start of the file. */
const headBytes = 256 * 1024;
const stringType = 8;
const arrayType = 9;
/** Bytes of the fixed-size value types, by type number. */
const fixedBytes = new Map([
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

/** Reads the head of a GGUF file (version 2 or 3). null: not readable as one; the engine itself says why when it loads. */
export async function readShape(path: string): Promise<ModelShape | null> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return shapeOf(numbersOf(buffer.subarray(0, bytesRead)));
  } finally {
    await file.close();
  }
}

/** Numeric values by key without the architecture prefix; an array counts with its length. */
function numbersOf(head: Buffer): Map<string, number> {
  const numbers = new Map<string, number>();
  if (head.length < 24 || head.toString('latin1', 0, 4) !== 'GGUF') return numbers;
  const pairs = Number(head.readBigUInt64LE(16));
  let at = 24;
  const readLength = (): number => {
    const length = Number(head.readBigUInt64LE(at));
    at += 8;
    return length;
  };
  try {
    for (let pair = 0; pair < pairs; pair++) {
      const keyBytes = readLength();
      const key = head.toString('utf8', at, at + keyBytes);
      at += keyBytes;
      const type = head.readUInt32LE(at);
      at += 4;
      if (type === stringType) {
        const textBytes = readLength();
        at += textBytes;
      } else if (type === arrayType) {
        const itemType = head.readUInt32LE(at);
        at += 4;
        const items = readLength();
        numbers.set(key.slice(key.indexOf('.') + 1), items);
        const itemBytes = fixedBytes.get(itemType);
        if (itemBytes === undefined) break;
        at += items * itemBytes;
      } else {
        const bytes = fixedBytes.get(type);
        if (bytes === undefined) break;
        if (type === 4 || type === 5) numbers.set(key.slice(key.indexOf('.') + 1), head.readUInt32LE(at));
        at += bytes;
      }
    }
  } catch (error) {
    // The head ends in the middle of a value: what was read before it counts.
    if (!(error instanceof RangeError)) throw error;
  }
  return numbers;
}

function shapeOf(numbers: Map<string, number>): ModelShape | null {
  const layers = numbers.get('block_count');
  const width = numbers.get('embedding_length');
  const heads = numbers.get('attention.head_count');
  if (layers === undefined || width === undefined || heads === undefined || heads === 0) return null;
  const cacheHeads = numbers.get('attention.head_count_kv') ?? heads;
  const keyWidth = numbers.get('attention.key_length') ?? width / heads;
  const valueWidth = numbers.get('attention.value_length') ?? keyWidth;
  return {
    cacheValuesPerToken: layers * cacheHeads * (keyWidth + valueWidth),
    vocabulary: numbers.get('ggml.tokens') ?? 0,
  };
}
