/** What the server and the child that searches (`scan-child.ts`) say to each other. */

/** A file of unit vectors, float32, little-endian, one behind the other. */
export type VectorFile = { path: string; dimensions: number; rows: number };

/** For each query in turn, as many places as were asked for (all, where there are fewer), best first. */
export type Found = {
  perQuery: number;
  places: Int32Array;
  /** Inner products, which are cosines. */
  scores: Float32Array;
};

export type ScanRequest = { file: VectorFile; queries: Float32Array; count: number };
