import type { Sql } from '#db';
import type { Issue } from '../content/issues.ts';
import type { ExampleFilter, Origin, Split } from './new-examples.ts';

export type ListedExample = {
  id: string;
  datasetId: string;
  json: string;
  split: Split;
  origin: Origin;
  originId: string | null;
  tokens: number | null;
  valid: boolean;
  issues: Issue[];
  hash: Buffer;
  /** Null: since it was added, which its id shows. */
  updatedAt: Date | null;
};

/** Rows before this id, newest first. */
export type ExamplePage = { before: string; limit: number };

/** A page of a state; `knownCount`: its exact count, from the page before. */
export type ReadingPage = { state: FilteredState; page: ExamplePage; knownCount: number | null };

export type FoundExamples = {
  rows: ListedExample[];
  totalCount: number;
  /** False: there are more, or may be. */
  isExact: boolean;
};

/** Stands behind every id. */
export const endOfIds = 'ex_~';

export const columns = `e.id, e.dataset_id as "datasetId", c.content as json, e.split, e.origin, e.origin_id as "originId",
  e.tokens, e.valid, coalesce(e.issues, '[]'::jsonb) as issues, e.content_hash as hash, e.updated_at as "updatedAt"`;
export const content = 'join example_contents c on c.dataset_id = e.dataset_id and c.hash = e.content_hash';

export async function findExample(sql: Sql, datasetId: string, id: string): Promise<ListedExample | null> {
  const [row] = await sql.query<ListedExample>(
    `select ${columns} from examples e ${content}
      where e.dataset_id = $1 and e.id = $2 and e.removed_seq = 9223372036854775807`,
    [datasetId, id],
    { name: 'datasets.find_example' },
  );
  return row ?? null;
}

/**
 * Live examples, newest first: a merge of the groups of the index that match the filter, so that a page costs the
 * same whatever the filter and however deep. The dataset is compared so that the primary key cannot be used instead, which reads
 * all that the filter does not want.
 */
export function listLive(
  sql: Sql,
  { datasetId, split, origin, valid }: ExampleFilter & { datasetId: string },
  { before, limit }: ExamplePage,
): Promise<ListedExample[]> {
  return sql.query<ListedExample>(
    `with filter_groups as materialized (
       select split, origin, valid from example_counts
        where dataset_id = $1 and examples > 0 and ($2::text is null or split = $2)
          and ($3::text is null or origin = $3) and ($4::boolean is null or valid = $4)
     )
     select ${columns}
       from (
         select few.* from filter_groups s cross join lateral (
           select e.* from examples e
            where example_group_key(e.dataset_id, e.split, e.origin, e.valid)
                = example_group_key($1, s.split, s.origin, s.valid)
              and e.removed_seq = 9223372036854775807 and e.id < $5
              and e.dataset_id || '' = $1 and e.split = s.split and e.origin = s.origin and e.valid = s.valid
            order by e.id desc limit $6
         ) few
         order by few.id desc limit $6
       ) e ${content}
      order by e.id desc`,
    [datasetId, split, origin, valid, before, limit],
    { name: 'datasets.list_live' },
  );
}

export async function countLive(
  sql: Sql,
  { datasetId, split, origin, valid }: ExampleFilter & { datasetId: string },
): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select coalesce(sum(examples), 0)::integer as total from example_counts
      where dataset_id = $1 and ($2::text is null or split = $2) and ($3::text is null or origin = $3)
        and ($4::boolean is null or valid = $4)`,
    [datasetId, split, origin, valid],
    { name: 'datasets.count_live' },
  );
  return row?.total ?? 0;
}

/** A state of a dataset under a filter. `valid` is true for versions, which have no others. */
export type FilteredState = ExampleFilter & { datasetId: string; seq: bigint };

const isInState = `e.added_seq <= $2 and e.removed_seq > $2 and ($3::text is null or e.split = $3)
  and ($4::text is null or e.origin = $4) and ($5::boolean is null or e.valid = $5)`;

const valuesOf = ({ datasetId, seq, split, origin, valid }: FilteredState) => [datasetId, seq, split, origin, valid];

export function listState(sql: Sql, state: FilteredState, { before, limit }: ExamplePage): Promise<ListedExample[]> {
  return sql.query<ListedExample>(
    `select ${columns}
       from (select * from examples e where e.dataset_id = $1 and e.id < $6 and ${isInState}
              order by e.id desc limit $7) e ${content}
      order by e.id desc`,
    [...valuesOf(state), before, limit],
    { name: 'datasets.list_state' },
  );
}

export async function countState(sql: Sql, state: FilteredState): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total from examples e where e.dataset_id = $1 and ${isInState}`,
    valuesOf(state),
  );
  return row?.total ?? 0;
}

/** Behind every change: the live state. */
const now = 9223372036854775806n;

/** How many valid examples of a state (null: the live one) have more tokens than this. Those that were not counted are not among them. */
export async function countLongExamples(
  sql: Sql,
  { datasetId, seq, tokens }: { datasetId: string; seq: bigint | null; tokens: number },
): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total from examples
      where dataset_id = $1 and added_seq <= $2 and removed_seq > $2 and valid and tokens > $3`,
    [datasetId, seq ?? now, tokens],
    { name: 'datasets.count_long_examples' },
  );
  return row?.total ?? 0;
}
