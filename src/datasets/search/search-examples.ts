import type { Sql } from '#db';
import { type SearchTerm, searchTerms } from '../content/search-words.ts';
import type { ExampleFilter } from '../examples/example-filter.ts';
import { countLive, type FilteredState, type Found, type Reading } from '../examples/example-list.store.ts';
import { awaitBlocks, type IsMaking } from './await-blocks.ts';
import type { RestSearch } from './rest-search.ts';
import { countFound, listFound, listFrequent, type SearchWords } from './search.store.ts';
import { searchBlocks } from './search-blocks.ts';

export type SearchDeps = { sql: Sql; rests: RestSearch; isMaking: IsMaking };

/**
 * Finds examples by their words: those of large additions in blocks, the others in the index. A text without words finds
 * nothing.
 */
export async function searchExamples(
  { sql, rests, isMaking }: SearchDeps,
  text: string,
  { state, page, known }: Reading,
): Promise<Found> {
  const terms = searchTerms(text);
  if (terms.length === 0) return { rows: [], totalCount: 0 };
  const search = { words: wordsOf(terms, state.datasetId), additions: await awaitBlocks(sql, state, { isMaking }) };
  const [blocks, others] = await Promise.all([
    searchBlocks(sql, state, { terms, additions: search.additions, rests }),
    countFound(sql, state, search),
  ]);
  const totalCount = known ?? blocks.count + others;
  if (totalCount === 0) return { rows: [], totalCount };
  const list = (await isFrequent(sql, state, others)) ? listFrequent : listFound;
  const found = blocks.newest(page.before, page.limit);
  return { rows: await list(sql, state, { search, page, known: found }), totalCount };
}

/**
 * Where one example in so many matches, reading them from the newest on finds a page sooner than the index, which gives
 * its matches in no order.
 */
const frequent = { share: 0.02, matches: 1_000 };

async function isFrequent(sql: Sql, state: FilteredState, matches: number): Promise<boolean> {
  return matches > frequent.matches && matches > frequent.share * (await countLive(sql, { ...state, ...everything }));
}

const everything: ExampleFilter = { split: null, origin: null, valid: null };

function wordsOf(terms: readonly SearchTerm[], datasetId: string): SearchWords {
  return {
    // Words are letters and digits: nothing in them has a meaning here.
    tsquery: [`'${datasetId}'`, ...terms.map(({ word, begins }) => `'${word}'${begins ? ':*' : ''}`)].join(' & '),
    patterns: terms.map(({ word, begins }) => `% ${word}${begins ? '' : ' '}%`),
  };
}
