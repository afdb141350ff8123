import type { Split, VersionExample } from '#datasets';
import {
  type DocumentIdentity,
  embeddingContent,
  identityOf,
  keyIn,
  type RelevantDocuments,
  relevantOf,
} from '../passages.ts';
import type { ScanResult } from '../vectors/scan.ts';
import { depth, type IndexMetrics, meanOf, type QueryScores, scoresOf } from './metrics.ts';

export type Corpus = {
  search: (queries: readonly Float32Array[], count: number) => Promise<ScanResult>;
  /** Who stands at these positions. */
  identify: (positions: readonly number[]) => Promise<ReadonlyMap<number, DocumentIdentity>>;
};

export type EvaluationOptions = {
  /** In canonical order, which is by digest: the first ones are as good as drawn. */
  examplesOf: (split: Split) => AsyncIterable<readonly VersionExample[]>;
  split: Split;
  corpus: Corpus;
  embedQueries: (queries: readonly string[]) => Promise<readonly Float32Array[]>;
  maxQueries: number;
  onProgress?: (done: number) => Promise<void>;
};

const queriesAtOnce = 16;

/** Asks the corpus for each query and looks where the positives stand. Null: the split has no examples. */
export async function evaluate(options: EvaluationOptions): Promise<IndexMetrics | null> {
  const queries = await gather(options);
  const scores: QueryScores[] = [];
  for (let at = 0; at < queries.length; at += queriesAtOnce) {
    scores.push(...(await scoreQueries(options, queries.slice(at, at + queriesAtOnce))));
    await options.onProgress?.(scores.length);
  }
  return meanOf(scores);
}

/** A query with all that it should find, and what only examples of the other split call right. */
type EvaluationQuery = { query: string; relevant: RelevantDocuments; beside: RelevantDocuments };

/**
 * The first queries of the split, each once: what other examples of the same query call right is right, and no wrong result
 * that happens to stand before it. An answer that is in the other split was learned, perhaps: finding it proves nothing, and it is
 * not wrong either.
 */
async function gather({ examplesOf, split, maxQueries, onProgress }: EvaluationOptions): Promise<EvaluationQuery[]> {
  type Gathered = { positives: DocumentIdentity[]; beside: DocumentIdentity[] };
  const found = new Map<string, Gathered>();
  for await (const part of examplesOf(split)) {
    for (const { content } of part) {
      const { query, positives } = embeddingContent(content);
      if (!found.has(query) && found.size < maxQueries) found.set(query, { positives: [], beside: [] });
      found.get(query)?.positives.push(...positives.map(identityOf));
    }
    await onProgress?.(0);
  }
  if (found.size === 0) return [];
  for await (const part of examplesOf(split === 'test' ? 'train' : 'test')) {
    for (const { content } of part) {
      const { query, positives } = embeddingContent(content);
      found.get(query)?.beside.push(...positives.map(identityOf));
    }
    await onProgress?.(0);
  }
  return [...found].map(([query, { positives, beside }]) => ({
    query,
    relevant: relevantOf(positives),
    beside: relevantOf(beside),
  }));
}

async function scoreQueries({ corpus, embedQueries }: EvaluationOptions, queries: readonly EvaluationQuery[]) {
  const vectors = await embedQueries(queries.map(({ query }) => query));
  const found = await corpus.search(vectors, depth);
  const identities = await corpus.identify([...new Set(found.positions)]);
  return queries.map((each, index): QueryScores => {
    const first = index * found.perQuery;
    const positions = [...found.positions.subarray(first, first + found.perQuery)];
    const results = positions.map((position, behind) => ({
      ...(identities.get(position) ?? unknown),
      score: found.scores[first + behind] ?? 0,
    }));
    return scoresOf({ ranks: ranksOf(each, results), positives: each.relevant.count });
  });
}

const unknown: DocumentIdentity = { hash: '', documentId: null };

type Result = DocumentIdentity & { score: number };

/**
 * Passages of one `document_id` are one result, at the position of the best; each positive counts once. Equal scores count against the
 * query: a model to which all documents are the same must not look good.
 */
export function ranksOf(
  { relevant, beside }: Pick<EvaluationQuery, 'relevant' | 'beside'>,
  results: readonly Result[],
): number[] {
  const ranks: number[] = [];
  const seen = new Set<string>();
  let rank = 0;
  const found = results.map((result) => ({ ...result, key: keyIn(relevant, result) }));
  for (const { key, ...result } of found.sort((a, b) => b.score - a.score || Number(!!a.key) - Number(!!b.key))) {
    if (key === null && keyIn(beside, result) !== null) continue;
    const name = key ?? result.documentId ?? result.hash;
    if (seen.has(name)) continue;
    seen.add(name);
    rank += 1;
    if (key !== null) ranks.push(rank);
  }
  return ranks;
}
