import type { Database } from '#db';
import { type CursorCodec, fault } from '#kernel';
import type { Dataset } from '../datasets.store.ts';
import { searchExamples } from '../search/search-examples.ts';
import type { DatasetVersion } from '../versions/versions.store.ts';
import {
  countLive,
  countState,
  endOfIds,
  type FilteredState,
  type FoundExamples,
  type ListedExample,
  listLive,
  listState,
  type ReadingPage,
} from './example-list.store.ts';
import type { ExampleFilter } from './new-examples.ts';

export type ExampleQuery = ExampleFilter & {
  dataset: Dataset;
  /** Null: the head. */
  version: DatasetVersion | null;
  q: string | null;
};

export type ListedPage = {
  rows: ListedExample[];
  limit: number;
  totalCount: number;
  /** False: there are more examples than that, or may be. */
  isExact: boolean;
  cursorOf: (row: ListedExample) => string;
};

export type ExampleListDeps = { database: Database; cursors: CursorCodec };

export async function listExamples(
  deps: ExampleListDeps,
  query: ExampleQuery,
  { limit, cursor }: { limit: number; cursor: string | null },
): Promise<ListedPage> {
  const { cursors } = deps;
  const { dataset, version, split, origin, valid, q } = query;
  const filters = [version?.id ?? '', split ?? '', origin ?? '', String(valid ?? ''), q === null ? '' : `q ${q}`];
  const scope = ['examples', dataset.id, ...filters];
  const state = stateOf(query);
  const after = cursor === null ? firstPage : readPosition(cursors.decode(scope, cursor));
  const page = { before: after.id, limit: limit + 1 };
  // The same state gives the same count, so a page that follows need not count again.
  const knownCount = after.seq === String(state.seq) ? after.total : null;
  const { rows, totalCount, isExact } = await read(deps, query, { state, page, knownCount });
  return {
    rows,
    limit,
    totalCount,
    isExact,
    cursorOf: ({ id }) => cursors.encode(scope, [id, String(state.seq), isExact ? String(totalCount) : '']),
  };
}

type Position = { id: string; seq: string; total: number | null };

const firstPage: Position = { id: endOfIds, seq: '', total: null };

function readPosition([id, seq, total]: readonly string[]): Position {
  if (id === undefined || seq === undefined || total === undefined) throw fault('invalid_cursor', { param: 'cursor' });
  return { id, seq, total: total === '' ? null : Number(total) };
}

function stateOf({ dataset, version, split, origin, valid }: ExampleQuery): FilteredState {
  const state = { datasetId: dataset.id, seq: version?.seq ?? dataset.headSeq, split, origin };
  // A version has valid examples only.
  return { ...state, valid: version && valid === null ? true : valid };
}

async function read(
  { database }: ExampleListDeps,
  { version, q, valid }: ExampleQuery,
  reading: ReadingPage,
): Promise<FoundExamples> {
  const { state, page, knownCount } = reading;
  if (version && valid === false) return { rows: [], totalCount: 0, isExact: true };
  if (q !== null) return searchExamples(database, q, reading);
  if (!version) {
    const [rows, totalCount] = await Promise.all([listLive(database, state, page), countLive(database, state)]);
    return { rows, totalCount, isExact: true };
  }
  const rows = await listState(database, state, page);
  const count = async () => (state.origin === null ? countOf(version, state) : countState(database, state));
  return { rows, totalCount: knownCount ?? (await count()), isExact: true };
}

function countOf({ trainCount, testCount }: DatasetVersion, { split }: FilteredState): number {
  if (split === null) return trainCount + testCount;
  return split === 'train' ? trainCount : testCount;
}
