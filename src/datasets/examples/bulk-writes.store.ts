import type { Sql, Transaction } from '#db';
import { CopyRows } from './copy-rows.ts';
import type { ExampleRow } from './example-writes.store.ts';
import type { StorableExample } from './new-examples.ts';
import { isAlive } from './same-content.store.ts';

/**
 * A content: its canonical JSON, as text or as UTF-8. `cameWith`: the id of the example that is added together with
 * it and whose row says so too; null: there is none.
 */
export type NewContent = { hash: Buffer; json: string | Buffer; cameWith: string | null };

/** Contents that the dataset does not have yet, each once, as `copyContents` takes them. Their words come into blocks. */
export function encodeContents(datasetId: string, contents: readonly NewContent[]): Buffer[] {
  const rows = new CopyRows(4);
  for (const { hash, json, cameWith } of contents) {
    rows.row();
    rows.text(datasetId);
    rows.bytes(hash);
    if (typeof json === 'string') rows.text(json);
    else rows.bytes(json);
    rows.text(cameWith);
  }
  return rows.end();
}

export function copyContents(tx: Transaction, data: readonly Buffer[]): Promise<void> {
  return tx.copy('copy example_contents (dataset_id, hash, content, example_id) from stdin (format binary)', data);
}

export type NewRow = Omit<ExampleRow, 'example'> & {
  example: Omit<StorableExample, 'json' | 'words'>;
  /** The content of the example is new, and its row names this example (`cameWith`). */
  cameWithContent: boolean;
};

/** Examples that are alive from `seq` on, as `copyExamples` takes them. */
export function encodeExamples(
  { datasetId, seq }: { datasetId: string; seq: bigint },
  examples: readonly NewRow[],
): Buffer[] {
  const rows = new CopyRows(13);
  for (const { id, example, searched, cameWithContent } of examples) {
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
    rows.bool(searched);
    rows.bool(cameWithContent);
  }
  return rows.end();
}

export function copyExamples(tx: Transaction, data: readonly Buffer[]): Promise<void> {
  return tx.copy(
    `copy examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, origin_id, tokens, valid, issues,
       searched, came_with_content) from stdin (format binary)`,
    data,
  );
}

/** Which of these contents a locked dataset has; true: a live example has it. By their hashes in hex. */
export async function findContents(
  sql: Sql,
  datasetId: string,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, boolean>> {
  if (hashes.length === 0) return new Map();
  // Written so that each row is looked up in the indexes. With joins, PostgreSQL may read all rows of the dataset each
  // time.
  const rows = await sql.query<{ hash: string; live: boolean }>(
    `select encode(asked.hash, 'hex') as hash,
            ${isAlive('asked.hash')} is not null as live
       from (select decode(hash, 'hex') as hash from unnest(string_to_array($2, ',')) as sent (hash)) asked
      where (select true from example_contents c where c.dataset_id = $1 and c.hash = asked.hash limit 1)`,
    [datasetId, hashes.map((hash) => hash.toString('hex')).join(',')],
    { name: 'datasets.find_contents' },
  );
  return new Map(rows.map(({ hash, live }) => [hash, live]));
}
