import type { Sql } from '#db';
import { type CursorCodec, fault } from '#kernel';
import { searchTerms } from '../content/search-words.ts';
import type { Dataset } from '../datasets.store.ts';
import type { DatasetVersion } from '../versions/versions.store.ts';
import {
  countFound,
  countLive,
  countState,
  type ExampleFilter,
  type ExamplePage,
  endOfIds,
  type FilteredState,
  type ListedExample,
  listFound,
  listFrequent,
  listLive,
  listState,
  type SearchWords,
} from './example-list.store.ts';

export type ExampleQuestion = ExampleFilter & {
  dataset: Dataset;
  /** Null: the head. */
  version: DatasetVersion | null;
  /** Search text as it was sent; null: no search. */
  q: string | null;
};

export type ListedPage = {
  rows: ListedExample[];
  limit: number;
  totalCount: number;
  cursorOf: (row: ListedExample) => string;
};

/** One row more than `limit` when another page follows. Throws `invalid_cursor` for a cursor of another list. */
export async function listExamples(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  question: ExampleQuestion,
  { limit, cursor }: { limit: number; cursor: string | null },
): Promise<ListedPage> {
  const { dataset, version, split, origin, valid, q } = question;
  const filters = [version?.id ?? '', split ?? '', origin ?? '', String(valid ?? ''), q === null ? '' : `q ${q}`];
  const scope = ['examples', dataset.id, ...filters];
  const state = stateOf(question);
  const after = cursor === null ? firstPage : readPosition(cursors.decode(scope, cursor));
  const page = { before: after.id, limit: limit + 1 };
  // The same state gives the same count, so a page that follows need not count again.
  const known = after.seq === String(state.seq) ? after.total : null;
  const { rows, totalCount } = await read(sql, question, { state, page, known });
  return {
    rows,
    limit,
    totalCount,
    cursorOf: ({ id }) => cursors.encode(scope, [id, String(state.seq), String(totalCount)]),
  };
}

type Position = { id: string; seq: string; total: number | null };

const firstPage: Position = { id: endOfIds, seq: '', total: null };

function readPosition([id, seq, total]: readonly string[]): Position {
  if (id === undefined || seq === undefined || total === undefined) throw fault('invalid_cursor', { param: 'cursor' });
  return { id, seq, total: Number(total) };
}

function stateOf({ dataset, version, split, origin, valid }: ExampleQuestion): FilteredState {
  const state = { datasetId: dataset.id, seq: version?.seq ?? dataset.headSeq, split, origin };
  // A version has valid examples only.
  return { ...state, valid: version && valid === null ? true : valid };
}

type Reading = { state: FilteredState; page: ExamplePage; known: number | null };
type Found = { rows: ListedExample[]; totalCount: number };

async function read(sql: Sql, { dataset, version, q, valid }: ExampleQuestion, reading: Reading): Promise<Found> {
  const { state, page, known } = reading;
  if (version && valid === false) return { rows: [], totalCount: 0 };
  if (q !== null) return search(sql, { q, unsearched: dataset.unsearched }, reading);
  if (!version) {
    const [rows, totalCount] = await Promise.all([listLive(sql, state, page), countLive(sql, state)]);
    return { rows, totalCount };
  }
  const rows = await listState(sql, state, page);
  return {
    rows,
    totalCount: known ?? (state.origin === null ? countOf(version, state) : await countState(sql, state)),
  };
}

function countOf({ trainCount, testCount }: DatasetVersion, { split }: FilteredState): number {
  if (split === null) return trainCount + testCount;
  return split === 'train' ? trainCount : testCount;
}

/**
 * Where one example in so many matches, reading them from the newest on finds a page sooner than the index, which gives
 * its matches in no order.
 */
const frequent = { share: 0.02, matches: 1_000 };

async function search(
  sql: Sql,
  { q, unsearched }: { q: string; unsearched: boolean },
  reading: Reading,
): Promise<Found> {
  const { state, page, known } = reading;
  const words = wordsOf(q, state.datasetId);
  if (!words) return { rows: [], totalCount: 0 };
  const found = { words, unsearched };
  const totalCount = known ?? (await countFound(sql, state, found));
  if (totalCount === 0) return { rows: [], totalCount };
  const list = (await isFrequent(sql, state, totalCount)) ? listFrequent : listFound;
  return { rows: await list(sql, state, { search: found, page }), totalCount };
}

async function isFrequent(sql: Sql, state: FilteredState, matches: number): Promise<boolean> {
  return matches > frequent.matches && matches > frequent.share * (await countLive(sql, { ...state, ...everything }));
}

const everything: ExampleFilter = { split: null, origin: null, valid: null };

/** Null: the text has no word, so it finds nothing. */
function wordsOf(q: string, datasetId: string): SearchWords | null {
  const terms = searchTerms(q);
  if (terms.length === 0) return null;
  return {
    // Words are letters and digits: nothing in them has a meaning here.
    tsquery: [`'${datasetId}'`, ...terms.map(({ word, begins }) => `'${word}'${begins ? ':*' : ''}`)].join(' & '),
    patterns: terms.map(({ word, begins }) => `% ${word}${begins ? '' : ' '}%`),
  };
}
