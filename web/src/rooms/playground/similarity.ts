/** Cosine similarity. */
function cosine(a: readonly number[], b: readonly number[]): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let at = 0; at < a.length; at++) {
    const x = a[at] ?? 0;
    const y = b[at] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}

export function matrixOf(vectors: readonly (readonly number[])[]): number[][] {
  return vectors.map((row) => vectors.map((column) => cosine(row, column)));
}

export type Ranked = { index: number; score: number };

/** Indices of the vectors by their similarity to the query. */
export function rank(query: readonly number[], vectors: readonly (readonly number[])[]): Ranked[] {
  return vectors
    .map((vector, index) => ({ index, score: cosine(query, vector) }))
    .toSorted((a, b) => b.score - a.score || a.index - b.index);
}
