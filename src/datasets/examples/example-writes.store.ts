import type { Sql } from '#db';
import type { Origin, Split, StorableExample } from './new-examples.ts';
import { isAlive } from './same-content.store.ts';

/** An example with the id that it gets. */
export type ExampleRow = { id: string; example: StorableExample };

type Where = { datasetId: string; seq: bigint };

/** JSON text contains no line break, so texts that are joined by one can be split again without escaping. */
const joined = (texts: readonly string[]) => texts.join('\n');

/** Stores contents that the locked dataset does not have yet. */
export async function insertContents(
  tx: Sql,
  datasetId: string,
  contents: readonly Pick<StorableExample, 'hash' | 'json'>[],
): Promise<void> {
  await tx.query(
    `insert into example_contents (dataset_id, hash, content)
     select $1, decode(hash, 'hex'), content
       from unnest(string_to_array($2, E'\\n'), string_to_array($3, E'\\n')) as row (hash, content)
     on conflict do nothing`,
    [datasetId, joined(contents.map(({ hash }) => hash.toString('hex'))), joined(contents.map(({ json }) => json))],
    { name: 'datasets.insert_contents' },
  );
}

const incoming = `(
  select row.id, decode(row.hash, 'hex') as hash, row.bytes::integer, row.split, row.origin, row.origin_id,
         nullif(row.tokens, '')::integer as tokens, row.valid::boolean, nullif(row.issues, '')::jsonb as issues,
         row.place
    from unnest(string_to_array($3, E'\\n'), string_to_array($4, E'\\n'), string_to_array($5, E'\\n'),
                string_to_array($6, E'\\n'), string_to_array($7, E'\\n'), $8::text[], string_to_array($9, E'\\n'),
                string_to_array($10, E'\\n'), string_to_array($11, E'\\n'))
      with ordinality as row (id, hash, bytes, split, origin, origin_id, tokens, valid, issues, place))`;

const sources = {
  none: `${incoming} as row`,
  /** The first of equal contents, unless a live example has the same. */
  // Written so that each row is looked up in the index. With `not exists`, PostgreSQL reads all examples of the dataset
  // each time.
  exact: `(select distinct on (hash) * from ${incoming} as every order by hash, place) as row
      where ${isAlive('row.hash')} is null`,
};

export type Dedupe = keyof typeof sources;

/**
 * Adds examples that are alive from `seq` on, or takes the place of former ones; gives the ids of those that are no
 * duplicates. Their contents are stored.
 */
export async function insertExamples(
  tx: Sql,
  { datasetId, seq }: Where,
  { rows, dedupe, isChange = false }: { rows: readonly ExampleRow[]; dedupe: Dedupe; isChange?: boolean },
): Promise<Set<string>> {
  const examples = rows.map(({ example }) => example);
  const added = await tx.query<{ id: string }>(
    `insert into examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, origin_id, tokens, valid, issues,
       updated_at)
     select $1, id, $2, hash, bytes, split, origin, origin_id, tokens, valid, issues, case when $12 then now() end
       from ${sources[dedupe]}
      order by place
     returning id`,
    [
      datasetId,
      seq,
      joined(rows.map(({ id }) => id)),
      joined(examples.map(({ hash }) => hash.toString('hex'))),
      joined(examples.map(({ bytes }) => String(bytes))),
      joined(examples.map(({ split }) => split)),
      joined(examples.map(({ origin }) => origin)),
      examples.map(({ originId }) => originId),
      joined(examples.map(({ tokens }) => (tokens === null ? '' : String(tokens)))),
      joined(examples.map(({ valid }) => String(valid))),
      joined(examples.map(({ issues }) => (issues.length === 0 ? '' : JSON.stringify(issues)))),
      isChange,
    ],
    { name: `datasets.insert_examples_${dedupe}` },
  );
  return new Set(added.map(({ id }) => id));
}

/** What the counts of a dataset know of an example. */
export type CountedExample = { split: Split; origin: Origin; valid: boolean; tokens: number | null; bytes: number };

/** Ends the life of an example at `seq`; null: it was not alive. */
export async function closeExample(
  tx: Sql,
  { datasetId, seq, id }: Where & { id: string },
): Promise<CountedExample | null> {
  const [row] = await tx.query<CountedExample>(
    `update examples set removed_seq = $2
      where dataset_id = $1 and id = $3 and removed_seq = 9223372036854775807
     returning split, origin, valid, tokens, bytes`,
    [datasetId, seq, id],
  );
  return row ?? null;
}

/** A change of the counts of one kind of examples; negative numbers take away. */
export type CountChange = Pick<CountedExample, 'split' | 'origin' | 'valid'> & {
  examples: number;
  tokens: number;
  bytes: number;
  /** Of contents that came, whatever has left. */
  addedBytes: number;
};

/** Changes what is counted about a locked dataset. */
export async function changeCounts(tx: Sql, datasetId: string, changes: readonly CountChange[]): Promise<void> {
  await tx.query(
    `merge into example_counts counted
     using unnest($2::text[], $3::text[], $4::boolean[], $5::integer[], $6::bigint[], $7::bigint[])
       as change (split, origin, valid, examples, tokens, bytes)
     on counted.dataset_id = $1 and counted.split = change.split and counted.origin = change.origin
       and counted.valid = change.valid
     when matched then update set examples = counted.examples + change.examples,
       tokens = counted.tokens + change.tokens, bytes = counted.bytes + change.bytes
     when not matched then insert (dataset_id, split, origin, valid, examples, tokens, bytes)
       values ($1, change.split, change.origin, change.valid, change.examples, change.tokens, change.bytes)`,
    [
      datasetId,
      changes.map(({ split }) => split),
      changes.map(({ origin }) => origin),
      changes.map(({ valid }) => valid),
      changes.map(({ examples }) => examples),
      changes.map(({ tokens }) => tokens),
      changes.map(({ bytes }) => bytes),
    ],
    { name: 'datasets.change_counts' },
  );
}
