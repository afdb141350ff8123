import type { Sql } from '#db';
import {
  columns,
  content,
  type ExamplePage,
  type FilteredState,
  isInState,
  type ListedExample,
  valuesOf,
} from '../examples/example-list.store.ts';
import type { Addition } from './additions.store.ts';

/** Words that must occur: for the index, and as patterns for what is read one by one. */
export type SearchWords = { tsquery: string; patterns: readonly string[] };

/** `additions`: the large ones of the state, which are searched elsewhere. */
export type Search = { words: SearchWords; additions: readonly Addition[] };

/** Examples outside of large additions. These may be in the index, too, but are in blocks as a whole. */
const isAlone = 'e.searched and e.added_seq <> all($6::bigint[])';

/**
 * The index finds by words, and nothing but words: the dataset is one of them. Said in this form its id is only checked,
 * so that no plan reads the whole dataset instead.
 */
const isFound = `${isAlone} and example_words(e.dataset_id, e.content_hash) @@ $7::tsquery
  and e.dataset_id is not distinct from $1 and ${isInState}`;

const searchValues = (state: FilteredState, { words, additions }: Search) => [
  ...valuesOf(state),
  additions.map(({ seq }) => seq),
  words.tsquery,
];

/** What a search finds outside of large additions. */
export async function countFound(sql: Sql, state: FilteredState, search: Search): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total from examples e where ${isFound}`,
    searchValues(state, search),
    { name: 'datasets.count_found' },
  );
  return row?.total ?? 0;
}

/** An example that is known to match. */
type KnownMatch = { id: string; seq: bigint };

type PageAsked = { search: Search; page: ExamplePage; known: readonly KnownMatch[] };

const knownMatches = `select e.* from unnest($10::text[], $11::bigint[]) as known (id, seq)
  join examples e on e.dataset_id = $1 and e.id = known.id and e.added_seq = known.seq`;

const pageValues = ({ page, known }: PageAsked) => [
  page.before,
  page.limit,
  known.map(({ id }) => id),
  known.map(({ seq }) => seq),
];

/** Examples with few matches outside of large additions: the index gives all of them, the newest are taken. */
export function listFound(sql: Sql, state: FilteredState, asked: PageAsked): Promise<ListedExample[]> {
  return sql.query<ListedExample>(
    `select ${columns}
       from (
         (select e.* from examples e where ${isFound} and e.id < $8 order by e.id desc limit $9)
         union all
         ${knownMatches}
         order by id desc limit $9
       ) e ${content}
      order by e.id desc`,
    [...searchValues(state, asked.search), ...pageValues(asked)],
    { name: 'datasets.list_found' },
  );
}

/** Examples with many matches outside of large additions: reading from the newest on soon finds enough of them. */
export function listFrequent(sql: Sql, state: FilteredState, asked: PageAsked): Promise<ListedExample[]> {
  const { words, additions } = asked.search;
  return sql.query<ListedExample>(
    `select ${columns}
       from (
         (select e.* from examples e ${content}
           where e.dataset_id = $1 and e.id < $8 and c.words like all($7::text[]) and ${isAlone} and ${isInState}
           order by e.id desc limit $9)
         union all
         ${knownMatches}
         order by id desc limit $9
       ) e ${content}
      order by e.id desc`,
    [...valuesOf(state), additions.map(({ seq }) => seq), words.patterns, ...pageValues(asked)],
    { name: 'datasets.list_frequent' },
  );
}
