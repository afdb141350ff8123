import { searchWords } from '#datasets';

/** The words of a query as the search of examples knows them, between two spaces each. */
export function queryWords(query: string): string {
  return searchWords({ query, positives: [], negatives: [] });
}
