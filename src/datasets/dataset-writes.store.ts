import type { Sql } from '#db';
import type { ExampleContent } from './example-content.ts';
import type { Issue } from './issues.ts';

export type Split = 'train' | 'test';
export type Origin = 'import' | 'manual' | 'chat' | 'inference' | 'retrieval_event';

/** A dataset whose row is locked: changes of one dataset come one after the other. */
export type LockedDataset = {
  id: string;
  projectId: string;
  kind: 'text' | 'embedding';
  headSeq: bigint;
  archived: boolean;
};

/** Locks a dataset until the transaction ends. */
export async function lockDataset(tx: Sql, datasetId: string): Promise<LockedDataset | null> {
  const [row] = await tx.query<LockedDataset>(
    `select id, project_id as "projectId", kind, head_seq as "headSeq", archived_at is not null as archived
       from datasets where id = $1 for no key update`,
    [datasetId],
  );
  return row ?? null;
}

/** A row of `examples` to be written. */
export type ExampleRow = {
  id: string;
  content: ExampleContent;
  contentHash: Buffer;
  searchText: string;
  split: Split;
  origin: Origin;
  originId: string | null;
  tokens: number | null;
  valid: boolean;
  issues: readonly Issue[];
  /** Kept from the row that this one replaces; null: now. */
  createdAt: Date | null;
};

/** Longest text that is indexed, characters: a search vector has a limit of its own. */
const maxSearchText = 100_000;

/** Adds rows that are alive from `seq` on. */
export async function insertExamples(
  tx: Sql,
  { datasetId, seq, rows }: { datasetId: string; seq: bigint; rows: readonly ExampleRow[] },
): Promise<void> {
  await tx.query(
    `insert into examples (dataset_id, id, added_seq, content, content_hash, search, split, origin, origin_id, tokens,
       valid, issues, created_at)
     select $1, row.id, $2, row.content::jsonb, decode(row.hash, 'hex'), to_tsvector('simple', row.text), row.split,
            row.origin, row.origin_id, row.tokens, row.valid, row.issues::jsonb, coalesce(row.created_at, now())
       from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::integer[],
                   $11::boolean[], $12::text[], $13::timestamptz[])
         as row (id, content, hash, text, split, origin, origin_id, tokens, valid, issues, created_at)`,
    [
      datasetId,
      seq,
      rows.map(({ id }) => id),
      rows.map(({ content }) => JSON.stringify(content)),
      rows.map(({ contentHash }) => contentHash.toString('hex')),
      rows.map(({ searchText }) => searchText.slice(0, maxSearchText)),
      rows.map(({ split }) => split),
      rows.map(({ origin }) => origin),
      rows.map(({ originId }) => originId),
      rows.map(({ tokens }) => tokens),
      rows.map(({ valid }) => valid),
      rows.map(({ issues }) => JSON.stringify(issues)),
      rows.map(({ createdAt }) => createdAt),
    ],
  );
}

/** Which of these contents the dataset has already, as hashes in hex. */
export async function findDuplicates(tx: Sql, datasetId: string, hashes: readonly Buffer[]): Promise<Set<string>> {
  const rows = await tx.query<{ hash: string }>(
    `select distinct encode(content_hash, 'hex') as hash from examples
      where dataset_id = $1 and removed_seq is null
        and content_hash = any(array(select decode(hash, 'hex') from unnest($2::text[]) as asked (hash)))`,
    [datasetId, hashes.map((hash) => hash.toString('hex'))],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** What a change adds to the sums of a dataset; negative numbers take away. */
export type CountChange = { train: number; test: number; invalid: number; tokens: number };

/** Makes `seq` the head of a locked dataset. */
export async function advanceHead(
  tx: Sql,
  { datasetId, seq, change }: { datasetId: string; seq: bigint; change: CountChange },
): Promise<void> {
  await tx.query(
    `update datasets set head_seq = $2, train_count = train_count + $3, test_count = test_count + $4,
            invalid_count = invalid_count + $5, token_total = token_total + $6, updated_at = now()
      where id = $1`,
    [datasetId, seq, change.train, change.test, change.invalid, change.tokens],
  );
}

export type ClosedExample = { split: Split; valid: boolean; tokens: number | null; createdAt: Date };

/** Ends the life of examples at `seq`. Returns what they were; of those that are gone, nothing. */
export async function closeExamples(
  tx: Sql,
  { datasetId, seq, ids }: { datasetId: string; seq: bigint; ids: readonly string[] },
): Promise<(ClosedExample & { id: string })[]> {
  return tx.query(
    `update examples set removed_seq = $2, updated_at = now()
      where dataset_id = $1 and removed_seq is null and id = any($3::text[])
     returning id, split, valid, tokens, created_at as "createdAt"`,
    [datasetId, seq, ids],
  );
}
