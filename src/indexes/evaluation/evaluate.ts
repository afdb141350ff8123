import type { VersionExample } from '#datasets';
import { type DocumentIdentity, embeddingContent, identityOf, keyIn, type Wanted, wantedAmong } from '../passages.ts';
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
  /** The first example that asks it. */
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
  const questions = await gather(options);
  const queries: EvaluatedQuery[] = [];
  for (let at = 0; at < questions.length; at += queriesAtOnce) {
    queries.push(...(await ask(options, questions.slice(at, at + queriesAtOnce))));
    await options.onProgress?.(queries.length);
  }
  return { metrics: meanOf(queries), queries };
}

/** A query with all that it should find. */
type Question = { exampleId: string; query: string; wanted: Wanted };

/**
 * The first queries of the split, each once: what other examples of the same query call right is right, and no wrong result
 * that happens to stand before it.
 */
async function gather({ examples, maxQueries, onProgress }: EvaluationOptions): Promise<Question[]> {
  const found = new Map<string, { exampleId: string; positives: DocumentIdentity[] }>();
  for await (const part of examples) {
    for (const { id: exampleId, content } of part) {
      const { query, positives } = embeddingContent(content);
      const known = found.get(query);
      if (known) known.positives.push(...positives.map(identityOf));
      else if (found.size < maxQueries) found.set(query, { exampleId, positives: positives.map(identityOf) });
    }
    await onProgress?.(0);
  }
  return [...found].map(([query, { exampleId, positives }]) => ({ exampleId, query, wanted: wantedAmong(positives) }));
}

async function ask({ corpus, embedQueries }: EvaluationOptions, questions: readonly Question[]) {
  const vectors = await embedQueries(questions.map(({ query }) => query));
  const found = await corpus.search(vectors, depth);
  const identities = await corpus.identify([...new Set(found.places)]);
  return questions.map(({ exampleId, wanted }, index): EvaluatedQuery => {
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
