import type { Database, Transaction } from '#db';
import { searchTerms } from '../content/search-words.ts';
import type { FoundExamples, ReadingPage } from '../examples/example-list.store.ts';
import { hasUnindexed } from './index-examples.store.ts';
import { tsqueryOf } from './lexemes.ts';
import { avoidTableScans, countMatches, listFrequent, listRare } from './search-examples.store.ts';

/** More matches are not counted. */
const mostCounted = 10_000;

/** Finds examples by their words. A text without words finds nothing. */
export function searchExamples(database: Database, text: string, reading: ReadingPage): Promise<FoundExamples> {
  return database.transaction((tx) => searchInTransaction(tx, text, reading));
}

export async function searchInTransaction(
  tx: Transaction,
  text: string,
  { state, page, knownCount }: ReadingPage,
): Promise<FoundExamples> {
  const terms = searchTerms(text);
  if (terms.length === 0) return { rows: [], totalCount: 0, isExact: true };
  const search = { ...state, tsquery: tsqueryOf(state.datasetId, terms, state) };
  await avoidTableScans(tx);
  // Asked for first: what is indexed meanwhile is counted.
  const isIncomplete = await hasUnindexed(tx, state);
  const total = knownCount ?? (await countMatches(tx, search, mostCounted + 1));
  if (total === 0) return { rows: [], totalCount: 0, isExact: !isIncomplete };
  const list = total > mostCounted ? listFrequent : listRare;
  return {
    rows: await list(tx, search, page),
    totalCount: Math.min(total, mostCounted),
    isExact: total <= mostCounted && !isIncomplete,
  };
}
