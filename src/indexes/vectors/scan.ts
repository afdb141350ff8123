import { type FileHandle, open } from 'node:fs/promises';
import { exactSearch, MetricKind } from 'usearch';

/** Read at a time: small enough for the processor's cache, large enough that reading costs little. */
const blockBytes = 2 * 1024 * 1024;

/** A file of unit vectors, float32, little-endian, one behind the other. */
export type VectorFile = { path: string; dimensions: number; rows: number };

export type ScanRequest = { file: VectorFile; queries: Float32Array; count: number };

/** For each query in turn, as many positions as requested (all, where there are fewer), best first. */
export type ScanResult = {
  perQuery: number;
  positions: Int32Array;
  /** Inner products, which are cosines. */
  scores: Float32Array;
};

type ScoredPosition = { position: number; score: number };

/**
 * Compares every vector of a file with every query. While a block is compared the next one is read, so memory is two
 * blocks whatever the size of the file, and a file that was read lately comes out of the system's cache.
 */
export async function scan({ file, queries, count }: ScanRequest): Promise<ScanResult> {
  const { dimensions, rows } = file;
  const perQuery = Math.min(count, rows);
  // usearch 2.26 reads from the beginning of the buffer, wherever the view on it begins.
  const own = Float32Array.from(queries);
  const tops: ScoredPosition[][] = Array.from({ length: queries.length / dimensions }, () => []);
  const handle = await open(file.path, 'r');
  try {
    for await (const { vectors, firstPosition } of blocksOf(handle, file)) {
      const best = Math.min(perQuery, vectors.length / dimensions);
      compare({ vectors, firstPosition, queries: own, dimensions, best }, tops, perQuery);
    }
  } finally {
    await handle.close();
  }
  return {
    perQuery,
    positions: Int32Array.from(tops.flatMap((top) => top.map(({ position }) => position))),
    scores: Float32Array.from(tops.flatMap((top) => top.map(({ score }) => score))),
  };
}

type Block = { vectors: Float32Array; firstPosition: number };

/** Each block is valid until the next one is read. */
async function* blocksOf(handle: FileHandle, { dimensions, rows }: VectorFile): AsyncGenerator<Block> {
  const blockRows = Math.max(1, Math.floor(blockBytes / (4 * dimensions)));
  const buffers = [new Float32Array(blockRows * dimensions), new Float32Array(blockRows * dimensions)] as const;
  const read = (buffer: Float32Array, firstPosition: number) =>
    readWhole(
      handle,
      buffer.subarray(0, Math.min(blockRows, rows - firstPosition) * dimensions),
      firstPosition * dimensions * 4,
    );
  let [current, other] = buffers;
  let coming = rows > 0 ? read(current, 0) : null;
  for (let firstPosition = 0; coming !== null; firstPosition += blockRows) {
    const vectors: Float32Array = await coming;
    const next = firstPosition + blockRows;
    [current, other] = [other, current];
    coming = next < rows ? read(current, next) : null;
    // Nobody waits for it when the search ends before.
    coming?.catch(() => {});
    yield { vectors, firstPosition };
  }
}

async function readWhole(handle: FileHandle, into: Float32Array, position: number): Promise<Float32Array> {
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
  for (let got = 0; got < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, got, bytes.length - got, position + got);
    if (bytesRead === 0) throw new Error('The file of vectors is shorter than it should be.');
    got += bytesRead;
  }
  return into;
}

type Comparison = Block & { queries: Float32Array; dimensions: number; best: number };

/** Keeps the best positions of each query, best first; of equal scores, the first position. */
function compare(
  { vectors, firstPosition, queries, dimensions, best }: Comparison,
  tops: ScoredPosition[][],
  perQuery: number,
): void {
  const matches = exactSearch(vectors, queries, dimensions, best, MetricKind.IP, 1);
  for (const [index, top] of tops.entries()) {
    const { keys, distances } = 'get' in matches ? matches.get(index) : matches;
    for (const [at, key] of keys.entries())
      top.push({ position: firstPosition + Number(key), score: 1 - (distances[at] ?? 0) });
    top.sort((a, b) => b.score - a.score || a.position - b.position);
    top.splice(perQuery);
  }
}
