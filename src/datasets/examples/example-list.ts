import { type CursorCodec, fault } from '#kernel';
import type { Dataset } from '../datasets.store.ts';
import { type SearchDeps, searchExamples } from '../search/search-examples.ts';
import type { DatasetVersion } from '../versions/versions.store.ts';
import type { ExampleFilter } from './example-filter.ts';
import {
  countLive,
  countState,
  endOfIds,
  type FilteredState,
  type Found,
  type ListedExample,
  listLive,
  listState,
  type Reading,
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

export type ExampleListDeps = SearchDeps & { cursors: CursorCodec };

/** One row more than `limit` when another page follows. Throws `invalid_cursor` for a cursor of another list. */
export async function listExamples(
  deps: ExampleListDeps,
  question: ExampleQuestion,
  { limit, cursor }: { limit: number; cursor: string | null },
): Promise<ListedPage> {
  const { cursors } = deps;
  const { dataset, version, split, origin, valid, q } = question;
  const filters = [version?.id ?? '', split ?? '', origin ?? '', String(valid ?? ''), q === null ? '' : `q ${q}`];
  const scope = ['examples', dataset.id, ...filters];
  const state = stateOf(question);
  const after = cursor === null ? firstPage : readPosition(cursors.decode(scope, cursor));
  const page = { before: after.id, limit: limit + 1 };
  // The same state gives the same count, so a page that follows need not count again.
  const known = after.seq === String(state.seq) ? after.total : null;
  const { rows, totalCount } = await read(deps, question, { state, page, known });
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

async function read(deps: ExampleListDeps, { version, q, valid }: ExampleQuestion, reading: Reading): Promise<Found> {
  const { sql } = deps;
  const { state, page, known } = reading;
  if (version && valid === false) return { rows: [], totalCount: 0 };
  if (q !== null) return searchExamples(deps, q, reading);
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
