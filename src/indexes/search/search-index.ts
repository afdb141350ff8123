import type { Sql } from '#db';
import { listDocumentTextsAt } from '../documents.store.ts';
import type { EmbeddingEngine } from '../embedding.ts';
import { type Embedder, embedTexts } from '../embedding.ts';
import type { Searchable } from '../index-access.ts';
import { corpusOf, type SearchDeps } from '../index-corpus.ts';
import type { EmbeddingUsage } from '../paid-run.ts';

export type SearchResult = { rank: number; documentId: string | null; text: string; score: number };

export type IndexSearchResult = { results: SearchResult[]; spent: EmbeddingUsage };

export type IndexSearch = {
  index: Searchable;
  embedder: Embedder;
  query: string;
  topK: number;
  signal: AbortSignal;
};

/** Finds the documents nearest to a query, compared with every one of them. */
export async function searchIndex(
  deps: SearchDeps & { engine: EmbeddingEngine },
  { index, embedder, query, topK, signal }: IndexSearch,
): Promise<IndexSearchResult> {
  const { vectors, activeMs, promptTokens } = await embedTexts(deps.engine, {
    embedder,
    role: 'query',
    texts: [query],
    truncate: false,
    signal,
  });
  const { positions, scores } = await corpusOf(deps, index).search(vectors, topK);
  return { results: await resultsOf(deps.sql, { id: index.id, positions, scores }), spent: { activeMs, promptTokens } };
}

type Ranked = { id: string; positions: Int32Array; scores: Float32Array };

async function resultsOf(sql: Sql, { id, positions, scores }: Ranked): Promise<SearchResult[]> {
  const documents = new Map((await listDocumentTextsAt(sql, id, [...positions])).map((row) => [row.position, row]));
  return [...positions].flatMap((position, at) => {
    const document = documents.get(position);
    if (!document) return [];
    const { documentId, text } = document;
    return [{ rank: at + 1, documentId, text, score: scores[at] ?? 0 }];
  });
}
