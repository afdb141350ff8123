import { type Sql, timeText } from '#db';
import type { Listed, ListPosition } from '#kernel';
import type { ExampleKind } from './content/example-content.ts';

export type Dataset = {
  id: string;
  projectId: string;
  name: string;
  description: string | null;
  kind: ExampleKind;
  targetModel: string | null;
  headSeq: bigint;
  trainCount: number;
  testCount: number;
  invalidCount: number;
  tokenTotal: bigint;
  /** Of the head; null: it has changed since the latest version. */
  headSha256: string | null;
  latestVersion: { id: string; number: number } | null;
  pendingRetrievalEvents: number;
  archivedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** A room that keeps something about datasets adds its line here. */
const columns = `d.id, d.project_id as "projectId", d.name, d.description, d.kind, d.target_model as "targetModel",
  d.head_seq as "headSeq", coalesce(counted.train, 0) as "trainCount", coalesce(counted.test, 0) as "testCount",
  coalesce(counted.invalid, 0) as "invalidCount", coalesce(counted.tokens, 0)::bigint as "tokenTotal",
  case when v.seq = d.head_seq then v.sha256 end as "headSha256",
  case when v.id is not null then json_build_object('id', v.id, 'number', v.number) end as "latestVersion",
  (select coalesce(sum(r.events), 0)::integer from retrieval_event_counts r
    where r.dataset_id = d.id and r.state = 'pending') as "pendingRetrievalEvents",
  d.archived_at as "archivedAt", d.created_at as "createdAt", d.updated_at as "updatedAt"`;

const tables = `datasets d
  left join lateral (
    select sum(examples) filter (where split = 'train')::integer as train,
           sum(examples) filter (where split = 'test')::integer as test,
           sum(examples) filter (where not valid)::integer as invalid, sum(tokens) as tokens
      from example_counts c where c.dataset_id = d.id
  ) counted on true
  left join dataset_versions v on v.dataset_id = d.id and v.number = d.version_count`;

export async function findDataset(sql: Sql, address: { projectId: string; id: string }): Promise<Dataset | null> {
  const [row] = await sql.query<Dataset>(
    `select ${columns} from ${tables} where d.id = $1 and d.project_id = $2`,
    [address.id, address.projectId],
    { name: 'datasets.find' },
  );
  return row ?? null;
}

/** `q` is folded text. */
export type DatasetFilter = { projectId: string; archived: boolean; q: string | null };

const matches = `d.project_id = $1 and (d.archived_at is not null) = $2
  and ($3::text is null or position($3 in d.search_text) > 0)`;

export function listDatasets(
  sql: Sql,
  { projectId, archived, q }: DatasetFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<Listed<Dataset>[]> {
  return sql.query(
    `select ${columns}, ${timeText('d.created_at')} as position
       from ${tables}
      where ${matches} and (d.created_at, d.id) < ($4::timestamptz, $5)
      order by d.created_at desc, d.id desc limit $6`,
    [projectId, archived, q, after.createdAt, after.id, limit],
  );
}

export async function countDatasets(sql: Sql, { projectId, archived, q }: DatasetFilter): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total from datasets d where ${matches}`,
    [projectId, archived, q],
  );
  return row?.total ?? 0;
}

export type NewDatasetRow = Pick<Dataset, 'id' | 'projectId' | 'name' | 'description' | 'kind' | 'targetModel'> & {
  searchText: string;
};

export async function insertDataset(tx: Sql, row: NewDatasetRow): Promise<void> {
  await tx.query(
    `insert into datasets (id, project_id, name, description, kind, target_model, search_text)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.id, row.projectId, row.name, row.description, row.kind, row.targetModel, row.searchText],
  );
}

/** Until the transaction ends, nobody else adds a dataset to the project: take it late, and be brief. */
export async function lockContents(tx: Sql, projectId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('datasets of ' || $1, 0))`, [projectId]);
}

export async function countOpen(sql: Sql, projectId: string): Promise<number> {
  const [row] = await sql.query<{ open: number }>(
    'select count(*)::integer as open from datasets where project_id = $1 and archived_at is null',
    [projectId],
  );
  return row?.open ?? 0;
}

/** A dataset whose row is locked: changes of one dataset come one after the other. */
export type LockedDataset = Pick<
  Dataset,
  'id' | 'projectId' | 'name' | 'description' | 'kind' | 'targetModel' | 'headSeq'
> & {
  archived: boolean;
  /** Live ones. */
  examples: number;
};

const lockTimeout = '4s';

/** Locks a dataset until the transaction ends. Fails with SQLSTATE 55P03 while an import holds it. */
export async function lockDataset(tx: Sql, datasetId: string): Promise<LockedDataset | null> {
  await tx.query(`select set_config('lock_timeout', $1, true)`, [lockTimeout]);
  const locked = await tx.query(`select from datasets where id = $1 for no key update`, [datasetId]);
  if (locked.length === 0) return null;
  // Counted in a statement after the lock: another transaction may have changed the counts while this one waited for
  // it.
  const [row] = await tx.query<LockedDataset>(
    `select id, project_id as "projectId", name, description, kind, target_model as "targetModel",
            head_seq as "headSeq", archived_at is not null as archived,
            (select coalesce(sum(examples), 0)::integer from example_counts where dataset_id = d.id) as examples
       from datasets d where id = $1`,
    [datasetId],
    { name: 'datasets.locked' },
  );
  return row ?? null;
}

export async function updateDataset(
  tx: Sql,
  row: Pick<Dataset, 'id' | 'name' | 'description'> & { searchText: string; archived: boolean },
): Promise<void> {
  await tx.query(
    `update datasets set name = $2, description = $3, search_text = $4, updated_at = now(),
            archived_at = case when $5 then coalesce(archived_at, now()) end
      where id = $1`,
    [row.id, row.name, row.description, row.searchText, row.archived],
  );
}

export async function advanceHead(tx: Sql, { datasetId, seq }: { datasetId: string; seq: bigint }): Promise<void> {
  await tx.query('update datasets set head_seq = $2, updated_at = now() where id = $1', [datasetId, seq], {
    name: 'datasets.advance_head',
  });
}

export async function findUsed(
  sql: Sql,
  projectId: string,
): Promise<{ datasets: number; examples: number; bytes: bigint }> {
  const [row] = await sql.query<{ datasets: number; examples: number; bytes: bigint }>(
    `select count(distinct d.id) filter (where d.archived_at is null)::integer as datasets,
            coalesce(sum(c.examples), 0)::integer as examples, coalesce(sum(c.bytes), 0)::bigint as bytes
       from datasets d left join example_counts c on c.dataset_id = d.id where d.project_id = $1`,
    [projectId],
  );
  return row ?? { datasets: 0, examples: 0, bytes: 0n };
}
