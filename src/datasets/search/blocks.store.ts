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

/**
 * The words of some examples of an addition, from id to id, a line for each; among them what lists filter by, in a form that
 * no word has.
 */
export async function readWords(
  sql: Sql,
  { datasetId, seq, fromId, endId }: { datasetId: string; seq: bigint; fromId: string; endId: string },
): Promise<{ examples: number; lines: string }> {
  const [row] = await sql.query<{ examples: number; lines: string | null }>(
    `select count(*)::integer as examples,
            string_agg(c.words || '=' || e.split || ' =' || e.origin || ' =' || e.valid, E'\\n' order by e.id) as lines
       from examples e join example_contents c on c.dataset_id = e.dataset_id and c.hash = e.content_hash
      where e.dataset_id = $1 and e.id >= $2 and e.id < $3 and e.added_seq = $4`,
    [datasetId, fromId, endId, seq],
    { name: 'datasets.read_words', timeoutMs: 60_000 },
  );
  return { examples: row?.examples ?? 0, lines: row?.lines ?? '' };
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
