import type { Sql } from '#db';
import type { Origin, Split } from './dataset-writes.store.ts';
import type { ExampleContent } from './example-content.ts';

/** What made a version. */
export type VersionSource = { kind: 'manual' | 'import' | 'promotion' | 'training'; id: string | null };

export type TokenStats = { min: number; p50: number; p95: number; max: number; total: number };

export type DatasetVersion = {
  id: string;
  datasetId: string;
  projectId: string;
  number: number;
  seq: bigint;
  label: string | null;
  sha256: string;
  trainCount: number;
  testCount: number;
  tokenStats: TokenStats;
  parentVersionId: string | null;
  sourceKind: VersionSource['kind'];
  sourceId: string | null;
  createdAt: Date;
};

const columns = `id, dataset_id as "datasetId", project_id as "projectId", number, seq, label, sha256,
  train_count as "trainCount", test_count as "testCount", token_stats as "tokenStats",
  parent_version_id as "parentVersionId", source_kind as "sourceKind", source_id as "sourceId",
  created_at as "createdAt"`;

export async function findVersion(sql: Sql, id: string): Promise<DatasetVersion | null> {
  const [row] = await sql.query<DatasetVersion>(`select ${columns} from dataset_versions where id = $1`, [id]);
  return row ?? null;
}

export async function findVersionAt(sql: Sql, datasetId: string, seq: bigint): Promise<DatasetVersion | null> {
  const [row] = await sql.query<DatasetVersion>(
    `select ${columns} from dataset_versions where dataset_id = $1 and seq = $2`,
    [datasetId, seq],
  );
  return row ?? null;
}

export type NewVersion = Omit<DatasetVersion, 'number' | 'parentVersionId' | 'createdAt' | 'projectId'>;

/**
 * Writes a version under the next number; null when this state of the dataset has one already. The dataset's row is
 * locked first, so numbers are without gaps.
 */
export async function insertVersion(tx: Sql, version: NewVersion): Promise<DatasetVersion | null> {
  const [row] = await tx.query<DatasetVersion>(
    `with dataset as (
       update datasets set version_count = version_count + 1
        where id = $2 and not exists (select from dataset_versions where dataset_id = $2 and seq = $3)
       returning id, project_id, version_count
     )
     insert into dataset_versions (id, dataset_id, project_id, number, seq, label, sha256, train_count, test_count,
       token_stats, parent_version_id, source_kind, source_id)
     select $1, dataset.id, dataset.project_id, dataset.version_count, $3, $4, $5, $6, $7, $8,
            (select id from dataset_versions where dataset_id = $2 and seq < $3 order by seq desc limit 1), $9, $10
       from dataset
     returning ${columns}`,
    [
      version.id,
      version.datasetId,
      version.seq,
      version.label,
      version.sha256,
      version.trainCount,
      version.testCount,
      JSON.stringify(version.tokenStats),
      version.sourceKind,
      version.sourceId,
    ],
  );
  return row ?? null;
}

/** An example as it was in a version. */
export type VersionedExample = {
  id: string;
  content: ExampleContent;
  split: Split;
  origin: Origin;
  originId: string | null;
  tokens: number | null;
  contentHash: Buffer;
};

/** Some examples of a state of a dataset, in the order of their ids, after a given one. */
export function listExamplesAt(
  sql: Sql,
  state: { datasetId: string; seq: bigint; split: Split | null },
  { afterId, limit }: { afterId: string; limit: number },
): Promise<VersionedExample[]> {
  return sql.query<VersionedExample>(
    `select id, content, split, origin, origin_id as "originId", tokens, content_hash as "contentHash"
       from examples
      where dataset_id = $1 and added_seq <= $2 and (removed_seq is null or removed_seq > $2)
        and ($3::text is null or split = $3) and valid and id > $4
      order by id limit $5`,
    [state.datasetId, state.seq, state.split, afterId, limit],
    { name: 'datasets.examples_at' },
  );
}
