import type { VersionExample } from '#datasets';
import { type DocumentIdentity, embeddingContent, keyIn, type Wanted, wantedOf } from '../passages.ts';
import type { Found } from '../vectors/scan-protocol.ts';
import { depth, type Metrics, meanOf, type QueryScores, scoresOf } from './metrics.ts';

/** Documents that can be searched. */
export type Corpus = {
  search: (queries: readonly Float32Array[], count: number) => Promise<Found>;
  /** Who stands at these places. */
  identify: (places: readonly number[]) => Promise<ReadonlyMap<number, DocumentIdentity>>;
};

/** How a query of the version fared, for whoever compares two models query by query. */
export type EvaluatedQuery = QueryScores & {
  exampleId: string;
  /** Of the first right result; null: not within the first hundred. */
  rank: number | null;
};

export type Evaluation = {
  /** Null: the split has no examples. */
  metrics: Metrics | null;
  queries: EvaluatedQuery[];
};

export type EvaluationOptions = {
  /** In canonical order, which is by digest: the first ones are as good as drawn. */
  examples: AsyncIterable<readonly VersionExample[]>;
  corpus: Corpus;
  embedQueries: (queries: readonly string[]) => Promise<readonly Float32Array[]>;
  maxQueries: number;
  onProgress?: (done: number) => Promise<void>;
};

/** Queries that are embedded and searched together. */
const queriesAtOnce = 16;

/** Asks the corpus for each query and looks where the positives stand. */
export async function evaluate(options: EvaluationOptions): Promise<Evaluation> {
  const { maxQueries, onProgress } = options;
  const queries: EvaluatedQuery[] = [];
  for await (const batch of batches(options.examples, maxQueries)) {
    queries.push(...(await evaluateBatch(options, batch)));
    await onProgress?.(queries.length);
  }
  return { metrics: meanOf(queries), queries };
}

async function* batches(
  examples: EvaluationOptions['examples'],
  maxQueries: number,
): AsyncGenerator<readonly VersionExample[]> {
  let left = maxQueries;
  for await (const part of examples)
    for (let at = 0; at < part.length; at += queriesAtOnce) {
      const batch = part.slice(at, at + Math.min(queriesAtOnce, left));
      if (batch.length === 0) return;
      left -= batch.length;
      yield batch;
    }
}

async function evaluateBatch(
  { corpus, embedQueries }: EvaluationOptions,
  batch: readonly VersionExample[],
): Promise<EvaluatedQuery[]> {
  const contents = batch.map(({ content }) => embeddingContent(content));
  const vectors = await embedQueries(contents.map(({ query }) => query));
  const found = await corpus.search(vectors, depth);
  const identities = await corpus.identify([...new Set(found.places)]);
  return batch.map(({ id: exampleId }, index) => {
    const wanted = wantedOf(contents[index]?.positives ?? []);
    const places = found.places.subarray(index * found.perQuery, (index + 1) * found.perQuery);
    const ranks = ranksOf(
      wanted,
      [...places].map((place) => identities.get(place) ?? unknown),
    );
    return { exampleId, rank: ranks[0] ?? null, ...scoresOf({ ranks, positives: wanted.count }) };
  });
}

const unknown: DocumentIdentity = { hash: '', documentId: null };

/** Passages of one `document_id` are one result, at the place of the best; each positive counts once. */
export function ranksOf(wanted: Wanted, results: readonly DocumentIdentity[]): number[] {
  const ranks: number[] = [];
  const seen = new Set<string>();
  let rank = 0;
  for (const result of results) {
    const key = keyIn(wanted, result);
    const name = key ?? result.documentId ?? result.hash;
    if (seen.has(name)) continue;
    seen.add(name);
    rank += 1;
    if (key !== null) ranks.push(rank);
  }
  return ranks;
}
