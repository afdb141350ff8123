import type { Sql, Transaction } from '#db';
import type { SearchTerm } from '../content/search-words.ts';
import { CopyRows } from '../examples/copy-rows.ts';
import type { WordPage } from './word-block.ts';

/** A stretch of an addition, from a place on. */
export type BlockPlace = { seq: bigint; first: number };

/** Some words of a block and where they are, for one of the terms that were asked for. */
export type FoundPage = { block: number; term: number; entries: Buffer };

/** The rows of blocks in which the terms stand, if they do. */
export function findPages(
  sql: Sql,
  datasetId: string,
  { blocks, terms }: { blocks: readonly BlockPlace[]; terms: readonly SearchTerm[] },
): Promise<FoundPage[]> {
  return sql.query<FoundPage>(
    `select b.place::integer - 1 as block, t.place::integer - 1 as term, p.entries
       from unnest($2::bigint[], $3::integer[]) with ordinality as b (seq, first, place)
      cross join unnest($4::text[], $5::boolean[]) with ordinality as t (word, begins, place)
      cross join lateral (
        (select entries from example_block_words w
          where w.dataset_id = $1 and w.seq = b.seq and w.first = b.first and w.word <= t.word
          order by w.word desc limit 1)
        union all
        select entries from example_block_words w
         where t.begins and w.dataset_id = $1 and w.seq = b.seq and w.first = b.first
           and w.word > t.word and w.word < t.word || U&'\\+10FFFF'
      ) p`,
    [
      datasetId,
      blocks.map(({ seq }) => seq),
      blocks.map(({ first }) => first),
      terms.map(({ word }) => word),
      terms.map(({ begins }) => begins),
    ],
    { name: 'datasets.find_pages' },
  );
}

/** The ids of examples of these changes that a state no longer has. */
export async function listEnded(
  sql: Sql,
  { datasetId, seq, additions }: { datasetId: string; seq: bigint; additions: readonly bigint[] },
): Promise<{ seq: bigint; ids: string[] }[]> {
  return sql.query<{ seq: bigint; ids: string[] }>(
    `select added_seq as seq, array_agg(id) as ids from examples
      where dataset_id = $1 and removed_seq <= $2 and removed_seq < 9223372036854775807 and added_seq = any($3::bigint[])
      group by added_seq`,
    [datasetId, seq, additions],
    { name: 'datasets.list_ended' },
  );
}

type LinesRead = { found: number; examples: number; lines: string };
const nothing: LinesRead = { found: 0, examples: 0, lines: '' };
type LinesAsked = { datasetId: string; seq: bigint; fromId: string; endId: string; bytes: number };

/**
 * The first of the examples of an addition from id to id, as many as have so many bytes, and how many there are: a line for
 * each, with what lists filter by and its content (`wordsOfLine`).
 */
export async function readLines(sql: Sql, { datasetId, seq, fromId, endId, bytes }: LinesAsked): Promise<LinesRead> {
  // JSON has no line break as it is.
  const [row] = await sql.query<LinesRead>(
    `select max(e.found)::integer as found, count(*)::integer as examples,
            string_agg('=' || e.split || ' =' || e.origin || ' =' || e.valid || ' ' || c.content, E'\\n' order by e.id) as lines
       from (
         select *, count(*) over () as found, sum(bytes) over (order by id) - bytes as bytes_before
           from examples where dataset_id = $1 and id >= $2 and id < $3 and added_seq = $4
       ) e
       join example_contents c on c.dataset_id = e.dataset_id and c.hash = e.content_hash
      where e.bytes_before < $5`,
    [datasetId, fromId, endId, seq, bytes],
    { name: 'datasets.read_lines', timeoutMs: 60_000 },
  );
  return row?.lines ? row : nothing;
}

/** The words that stand for a filter in blocks. */
export function filterTerms(filter: {
  split: string | null;
  origin: string | null;
  valid: boolean | null;
}): SearchTerm[] {
  const wanted = [filter.split, filter.origin, filter.valid === null ? null : String(filter.valid)];
  return wanted.flatMap((value) => (value === null ? [] : [{ word: `=${value}`, begins: false }]));
}

type NewBlock = BlockPlace & { datasetId: string; pages: readonly WordPage[] };

/** Stores the rows of a block. */
export async function copyPages(tx: Transaction, { datasetId, seq, first, pages }: NewBlock): Promise<void> {
  const rows = new CopyRows(5);
  for (const { word, entries } of pages) {
    rows.row();
    rows.text(datasetId);
    rows.int8(seq);
    rows.int4(first);
    rows.text(word);
    rows.bytes(entries);
  }
  await tx.copy(
    'copy example_block_words (dataset_id, seq, first, word, entries) from stdin (format binary)',
    rows.end(),
  );
}
