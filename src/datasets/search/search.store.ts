import type { Sql } from '#db';
import { idAt } from '../examples/example-ids.ts';
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

/** `additions`: those of the state, which are searched in blocks or, where these are not made yet, read one by one. */
export type Search = { words: SearchWords; additions: readonly Addition[] };

/**
 * The index finds by words, and nothing but words: the dataset is one of them. Said in this form its id is only checked,
 * so that no plan reads the whole dataset instead. Additions may be in it, too, but are in blocks as a whole.
 */
const isFound = `e.searched and example_words(e.dataset_id, e.content_hash) @@ $6::tsquery
  and e.dataset_id is not distinct from $1 and e.added_seq <> all($8::bigint[]) and ${isInState}`;

/** What is in no block is read one by one. `offset` keeps the conditions of states away from the choice of an index. */
const unsearched = `(select e.* from unnest($9::bigint[], $10::text[], $11::text[]) as rest (seq, from_id, to_id)
  cross join lateral (select * from examples e
    where e.dataset_id = $1 and e.id >= rest.from_id and e.id <= rest.to_id and e.added_seq = rest.seq offset 0) e
  offset 0) e ${content}`;
const isFoundUnsearched = `c.words like all($7::text[]) and ${isInState}`;

/** Reading a million examples takes seconds; that is no sign of a database in trouble. */
const patience = ({ additions }: Search) => (additions.some(hasRest) ? { timeoutMs: 120_000 } : {});

const blockEnd = ({ blockEnds }: Addition) => blockEnds.at(-1) ?? 0;
const hasRest = (addition: Addition) => blockEnd(addition) < addition.examples;

function searchValues(state: FilteredState, { words, additions }: Search): unknown[] {
  const rests = additions.filter(hasRest);
  return [
    ...valuesOf(state),
    words.tsquery,
    words.patterns,
    additions.map(({ seq }) => seq),
    rests.map(({ seq }) => seq),
    rests.map((rest) => idAt(rest.firstId, blockEnd(rest))),
    rests.map((rest) => idAt(rest.firstId, rest.examples - 1)),
  ];
}

/** What a search finds outside of blocks. */
export async function countFound(sql: Sql, state: FilteredState, search: Search): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select ((select count(*) from examples e where ${isFound})
           + (select count(*) from ${unsearched} where ${isFoundUnsearched}))::integer as total`,
    searchValues(state, search),
    { name: 'datasets.count_found', ...patience(search) },
  );
  return row?.total ?? 0;
}

/** An example that is known to match. */
export type KnownMatch = { id: string; seq: bigint };

/** Examples with few matches outside of blocks: the index gives all of them, the newest are taken. */
export function listFound(
  sql: Sql,
  state: FilteredState,
  { search, page, known }: { search: Search; page: ExamplePage; known: readonly KnownMatch[] },
): Promise<ListedExample[]> {
  return sql.query<ListedExample>(
    `select ${columns}
       from (
         (select e.* from examples e where ${isFound} and e.id < $12 order by e.id desc limit $13)
         union all
         (select e.* from ${unsearched} where ${isFoundUnsearched} and e.id < $12 order by e.id desc limit $13)
         union all
         select e.* from unnest($14::text[], $15::bigint[]) as known (id, seq)
           join examples e on e.dataset_id = $1 and e.id = known.id and e.added_seq = known.seq
         order by id desc limit $13
       ) e ${content}
      order by e.id desc`,
    [...searchValues(state, search), page.before, page.limit, known.map(({ id }) => id), known.map(({ seq }) => seq)],
    { name: 'datasets.list_found', ...patience(search) },
  );
}

/** Examples with many matches in a dataset: reading from the newest on soon finds enough of them. */
export function listFrequent(
  sql: Sql,
  state: FilteredState,
  { search, page }: { search: Pick<Search, 'words'>; page: ExamplePage },
): Promise<ListedExample[]> {
  return sql.query<ListedExample>(
    `select ${columns} from examples e ${content}
      where e.dataset_id = $1 and e.id < $7 and c.words like all($6::text[]) and ${isInState}
      order by e.id desc limit $8`,
    [...valuesOf(state), search.words.patterns, page.before, page.limit],
    { name: 'datasets.list_frequent' },
  );
}
