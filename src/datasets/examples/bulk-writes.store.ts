import type { Sql, Transaction } from '#db';
import { CopyRows } from './copy-rows.ts';
import type { ExampleRow } from './example-writes.store.ts';
import type { StorableExample } from './new-examples.ts';
import { isAlive } from './same-content.store.ts';

type NewContent = Pick<StorableExample, 'hash' | 'json'>;

/** Contents that the dataset does not have yet, each once, as `copyContents` takes them. */
export function encodeContents(datasetId: string, contents: readonly NewContent[]): Buffer[] {
  const rows = new CopyRows(3);
  for (const { hash, json } of contents) {
    rows.row();
    rows.text(datasetId);
    rows.bytes(hash);
    rows.text(json);
  }
  return rows.end();
}

export function copyContents(tx: Transaction, data: readonly Buffer[]): Promise<void> {
  return tx.copy('copy example_contents (dataset_id, hash, content) from stdin (format binary)', data);
}

/** Examples that are alive from `seq` on, as `copyExamples` takes them. */
export function encodeExamples(
  { datasetId, seq }: { datasetId: string; seq: bigint },
  examples: readonly ExampleRow[],
): Buffer[] {
  const rows = new CopyRows(11);
  for (const { id, example } of examples) {
    rows.row();
    rows.text(datasetId);
    rows.text(id);
    rows.int8(seq);
    rows.bytes(example.hash);
    rows.int4(example.bytes);
    rows.text(example.split);
    rows.text(example.origin);
    rows.text(example.originId);
    rows.int4(example.tokens);
    rows.bool(example.valid);
    if (example.issues.length === 0) rows.null();
    else rows.jsonb(example.issues);
  }
  return rows.end();
}

export function copyExamples(tx: Transaction, data: readonly Buffer[]): Promise<void> {
  return tx.copy(
    `copy examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, origin_id, tokens, valid, issues)
       from stdin (format binary)`,
    data,
  );
}

/** `isStored`: among the contents, where examples with rows find it; `isLive`: a live example has it. */
export type KnownContent = { isStored: boolean; isLive: boolean };

/** Which of these contents a locked dataset has, by their hashes in hex. */
export async function findContents(
  sql: Sql,
  datasetId: string,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, KnownContent>> {
  if (hashes.length === 0) return new Map();
  // Written so that each row is looked up in the indexes. With joins, PostgreSQL may read all rows of the dataset each
  // time.
  const rows = await sql.query<KnownContent & { hash: string }>(
    `select * from (
       select encode(asked.hash, 'hex') as hash,
              (select true from example_contents c where c.dataset_id = $1 and c.hash = asked.hash limit 1) is not null as "isStored",
              coalesce(${isAlive('asked.hash')}, false) as "isLive"
         from (select decode(hash, 'hex') as hash from unnest(string_to_array($2, ',')) as sent (hash)) asked
     ) known
      where "isStored" or "isLive"`,
    [datasetId, hashes.map((hash) => hash.toString('hex')).join(',')],
    { name: 'datasets.find_contents' },
  );
  return new Map(rows.map(({ hash, ...known }) => [hash, known]));
}
