import { type Sql, timeText } from '#db';
import type { Listed, ListPosition } from '#kernel';
import type { Origin, Split } from '../examples/new-examples.ts';
import { examplesWithContent } from '../examples/same-content.store.ts';

export type VersionSource = { kind: 'manual' | 'import' | 'promotion' | 'training'; id: string | null };

export type TokenStats = { min: number; p50: number; p95: number; max: number; total: number };

/** Of counts in ascending order; zeros when nothing was counted. */
export function tokenStatsOf(sorted: Uint32Array): TokenStats {
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const total = sorted.reduce((sum, count) => sum + count, 0);
  return { min: at(0), p50: at(0.5), p95: at(0.95), max: at(1), total };
}

/** A frozen state of a dataset: the valid examples that were alive at `seq`. */
export type DatasetVersion = {
  id: string;
  datasetId: string;
  projectId: string;
  number: number;
  seq: bigint;
  label: string | null;
  /** Of the file that it can be downloaded as. */
  sha256: string;
  bytes: bigint;
  trainCount: number;
  testCount: number;
  tokenStats: TokenStats;
  parentVersionId: string | null;
  sourceKind: VersionSource['kind'];
  sourceId: string | null;
  usedBy: { trainingJobs: number; indexes: number };
  createdAt: Date;
};

/** Of the table `dataset_versions` by this name. A room that uses versions adds its line to `usedBy`. */
const columns = `id, dataset_id as "datasetId", project_id as "projectId", number, seq, label, sha256, bytes,
  train_count as "trainCount", test_count as "testCount", token_stats as "tokenStats",
  parent_version_id as "parentVersionId", source_kind as "sourceKind", source_id as "sourceId",
  json_build_object('trainingJobs', (
    select count(*)::integer from training_jobs j where j.dataset_version_id = dataset_versions.id), 'indexes', (
    select count(*)::integer from dataset_indexes i
     where i.version_id = dataset_versions.id and i.state in ('queued', 'building', 'ready'))) as "usedBy", created_at as "createdAt"`;

export async function findVersion(
  sql: Sql,
  { projectId, id }: { projectId: string; id: string },
): Promise<DatasetVersion | null> {
  const [row] = await sql.query<DatasetVersion>(
    `select ${columns} from dataset_versions where id = $1 and project_id = $2`,
    [id, projectId],
  );
  return row ?? null;
}

export async function findVersionAt(
  sql: Sql,
  { datasetId, seq }: { datasetId: string; seq: bigint },
): Promise<DatasetVersion | null> {
  const [row] = await sql.query<DatasetVersion>(
    `select ${columns} from dataset_versions where dataset_id = $1 and seq = $2`,
    [datasetId, seq],
  );
  return row ?? null;
}

export function listVersions(
  sql: Sql,
  { projectId, datasetId }: { projectId: string; datasetId: string | null },
  { after, limit }: { after: ListPosition; limit: number },
): Promise<Listed<DatasetVersion>[]> {
  return sql.query(
    `select ${columns}, ${timeText('created_at')} as position
       from dataset_versions
      where project_id = $1 and ($2::text is null or dataset_id = $2)
        and (created_at, id) < ($3::timestamptz, $4)
      order by created_at desc, id desc limit $5`,
    [projectId, datasetId, after.createdAt, after.id, limit],
  );
}

export async function countVersions(
  sql: Sql,
  { projectId, datasetId }: { projectId: string; datasetId: string | null },
): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total from dataset_versions
      where project_id = $1 and ($2::text is null or dataset_id = $2)`,
    [projectId, datasetId],
  );
  return row?.total ?? 0;
}

export type Head = { seq: bigint; archived: boolean; versions: number };

export async function findHead(sql: Sql, datasetId: string): Promise<Head | null> {
  const [row] = await sql.query<Head>(
    `select head_seq as seq, archived_at is not null as archived, version_count as versions from datasets where id = $1`,
    [datasetId],
  );
  return row ?? null;
}

export type NewVersion = Pick<
  DatasetVersion,
  'id' | 'datasetId' | 'seq' | 'label' | 'sha256' | 'bytes' | 'trainCount' | 'testCount' | 'tokenStats'
> & { source: VersionSource };

/**
 * Writes a version under the next number; null when this state or a later one has a version already, or the dataset may not
 * get one. The dataset is locked, so numbers have no gaps, and the time is that of now and not of the transaction's beginning: one that
 * began earlier may come later.
 */
export async function insertVersion(
  tx: Sql,
  version: NewVersion,
  maxVersions: number,
): Promise<(DatasetVersion & { datasetName: string }) | null> {
  const { id, datasetId, seq, label, sha256, bytes, trainCount, testCount, tokenStats, source } = version;
  const [row] = await tx.query<DatasetVersion & { datasetName: string }>(
    `with dataset as (
       update datasets set version_count = version_count + 1
        where id = $2 and archived_at is null and version_count < $12
          and not exists (select from dataset_versions where dataset_id = $2 and seq >= $3)
       returning project_id, version_count, name
     ), version as (
     insert into dataset_versions (id, dataset_id, project_id, number, seq, label, sha256, bytes, train_count, test_count,
       token_stats, parent_version_id, source_kind, source_id, created_at)
     select $1, $2, dataset.project_id, dataset.version_count, $3, $4, $5, $6, $7, $8, $9,
            (select id from dataset_versions where dataset_id = $2 and number = dataset.version_count - 1), $10, $11,
            clock_timestamp()
       from dataset
     on conflict (dataset_id, seq) do nothing
     returning *
     )
     select ${columns}, (select name from dataset) as "datasetName" from version as dataset_versions`,
    [
      ...[id, datasetId, seq, label, sha256, bytes, trainCount, testCount, JSON.stringify(tokenStats)],
      ...[source.kind, source.id, maxVersions],
    ],
  );
  return row ?? null;
}

export type StoredExample = {
  id: string;
  json: string;
  split: Split;
  origin: Origin;
  originId: string | null;
  tokens: number | null;
  hash: Buffer;
};

/** Place in the canonical order: by content, then by split. Ids only keep equal ones apart. */
export type VersionPosition = Pick<StoredExample, 'hash' | 'split' | 'id'>;

/** Some valid examples of a state of a dataset, in canonical order, after a given one; as many as are good to hold at once. */
export function listExamplesAt(
  sql: Sql,
  { datasetId, seq, split }: { datasetId: string; seq: bigint; split: Split | null },
  { after, limit, bytes }: { after: VersionPosition | null; limit: number; bytes: number },
): Promise<StoredExample[]> {
  // Contents in their order, and for each its examples. As a join, PostgreSQL may read all rows of the dataset each time.
  return sql.query<StoredExample>(
    `select id, json, split, origin, "originId", tokens, hash
       from (
         select *, sum(bytes) over (order by hash, split, id) - bytes as bytes_before
           from (
             select c.hash, c.content as json, e.id, e.split, e.origin, e.origin_id as "originId", e.tokens, e.bytes
               from example_contents c
              cross join lateral (
                select * from ${examplesWithContent('c.hash')} e
                 where e.added_seq <= $2 and e.removed_seq > $2 and e.valid and ($3::text is null or e.split = $3)
                offset 0
              ) e
              where c.dataset_id = $1 and c.hash >= $4 and (c.hash, e.split, e.id) > ($4, $5, $6)
              order by c.hash, e.split, e.id limit $7
           ) few
       ) e
      where bytes_before < $8
      order by hash, split, id limit $7`,
    [datasetId, seq, split, after?.hash ?? Buffer.alloc(0), after?.split ?? '', after?.id ?? '', limit, bytes],
    { name: 'datasets.examples_at', timeoutMs: 60_000 },
  );
}
