import type { Sql, Transaction } from '#db';
import type { EmbeddingContent, ExampleKind } from '../content/example-content.ts';
import type { Origin, Split, StorableExample } from './new-examples.ts';
import { queryKey } from './query-key.ts';
import { isAlive } from './same-content.store.ts';

export type ExampleRow = { id: string; example: StorableExample };

type DatasetChange = { datasetId: string; seq: bigint };

/** Examples in the text format of `copy`. */
export type EncodedExamples = { write: (tx: Transaction) => Promise<void> };

/**
 * Examples that are alive from a change of a locked dataset on, and contents that it does not have yet, each once.
 * `isChange`: they replace former ones.
 */
export function copyRowsOf(
  { datasetId, seq }: DatasetChange,
  { kind, contents, rows }: { kind: ExampleKind; contents: readonly StorableExample[]; rows: readonly ExampleRow[] },
  { isChange = false } = {},
): EncodedExamples {
  const contentLines = contents.map(({ hash, json }) =>
    copyLine([datasetId, hash, json, kind === 'embedding' ? queryKey(datasetId, queryIn(json)) : null]),
  );
  const exampleLines = rows.map(({ id, example: { hash, bytes, split, origin, originId, tokens, valid, issues } }) =>
    copyLine([
      datasetId,
      id,
      seq,
      hash,
      bytes,
      split,
      origin,
      originId,
      tokens,
      valid,
      issues.length === 0 ? null : JSON.stringify(issues),
      isChange ? 'now' : null,
    ]),
  );
  const [contentBytes, exampleBytes] = [contentLines, exampleLines].map((lines) => Buffer.from(lines.join('')));
  return {
    async write(tx) {
      if (contents.length > 0 && contentBytes)
        await tx.copy('copy example_contents (dataset_id, hash, content, query_key) from stdin', [contentBytes]);
      if (rows.length > 0 && exampleBytes)
        await tx.copy(
          `copy examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, origin_id, tokens, valid, issues,
             updated_at) from stdin`,
          [exampleBytes],
        );
    },
  };
}

function queryIn(json: string): string {
  // as: the content of a valid embedding example.
  return (JSON.parse(json) as EmbeddingContent).query;
}

function copyLine(values: readonly (string | number | bigint | boolean | Buffer | null)[]): string {
  return `${values.map(copyValue).join('\t')}\n`;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function copyValue(value: string | number | bigint | boolean | Buffer | null): string {
  if (value === null) return '\\N';
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`;
  return typeof value === 'string'
    ? value.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? '')
    : String(value);
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
       select encode(candidate.hash, 'hex') as hash,
              (select true from example_contents c where c.dataset_id = $1 and c.hash = candidate.hash limit 1) is not null as "isStored",
              coalesce(${isAlive('candidate.hash')}, false) as "isLive"
         from (select decode(hash, 'hex') as hash from unnest(string_to_array($2, ',')) as sent (hash)) candidate
     ) known
      where "isStored" or "isLive"`,
    [datasetId, hashes.map((hash) => hash.toString('hex')).join(',')],
    { name: 'datasets.find_contents' },
  );
  return new Map(rows.map(({ hash, ...known }) => [hash, known]));
}

export type CountedExample = { split: Split; origin: Origin; valid: boolean; tokens: number | null; bytes: number };

/** Ends the life of an example at `seq`; null: it was not alive. */
export async function closeExample(
  tx: Sql,
  { datasetId, seq, id }: DatasetChange & { id: string },
): Promise<CountedExample | null> {
  const [row] = await tx.query<CountedExample>(
    `update examples set removed_seq = $2
      where dataset_id = $1 and id = $3 and removed_seq = 9223372036854775807
     returning split, origin, valid, tokens, bytes`,
    [datasetId, seq, id],
  );
  return row ?? null;
}

export type CountChange = Pick<CountedExample, 'split' | 'origin' | 'valid'> & {
  examples: number;
  tokens: number;
  bytes: number;
  /** Of contents that came, whatever has left. */
  addedBytes: number;
};

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
