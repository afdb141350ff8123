import { type Sql, timeText } from '#db';
import type { Listed, ListPosition } from '#kernel';
import type { DatasetIndex, IndexState } from './dataset-index.ts';

/** SHA-256 of the installed base models, by id: an index whose model was replaced is stale. */
export type Digests = Readonly<Record<string, string>>;

const stateNow = `case when i.state <> 'ready' then i.state
  when d.version_count > v.number
    or (i.model_revision is not null and h.revision is distinct from i.model_revision)
    or coalesce($1::jsonb ->> i.base_model_id, '') <> i.base_model_sha256 then 'stale'
  else 'ready' end`;

const columns = `i.id, i.project_id as "projectId", i.dataset_id as "datasetId", i.version_id as "versionId",
  i.account_id as "accountId", i.model, i.model_revision as "modelRevision", i.base_model_id as "baseModelId",
  i.base_model_sha256 as "baseModelSha256", i.training_job_id as "trainingJobId",
  i.adapter_sha256 as "adapterSha256", i.query_instruction as "queryInstruction",
  i.max_input_tokens as "maxInputTokens", i.dimensions, i.rate_micro_per_minute as "rateMicroPerMinute",
  i.query_rate_micro_per_minute as "queryRateMicroPerMinute", i.price_version as "priceVersion",
  ${stateNow} as state, i.phase, i.documents, i.embedded, i.truncated, i.prompt_tokens as "promptTokens",
  i.active_ms as "activeMs", i.charged_micro as "chargedMicro", i.metrics, i.error, i.created_by as "createdBy",
  i.key_id as "keyId", i.key_name as "keyName", i.request_id as "requestId", i.created_at as "createdAt",
  i.ready_at as "readyAt"`;

const tables = `dataset_indexes i
  join dataset_versions v on v.id = i.version_id
  join datasets d on d.id = i.dataset_id
  left join hosted_models h on h.project_id = i.project_id and h.alias = i.model`;

export type IndexAddress = { projectId: string; id: string };

export async function findIndex(
  sql: Sql,
  { projectId, id }: IndexAddress,
  digests: Digests,
): Promise<DatasetIndex | null> {
  const [row] = await sql.query<DatasetIndex>(
    `select ${columns} from ${tables} where i.id = $2 and i.project_id = $3`,
    [JSON.stringify(digests), id, projectId],
    { name: 'indexes.find' },
  );
  return row ?? null;
}

export async function lockIndex(tx: Sql, id: string): Promise<void> {
  await tx.query('select from dataset_indexes where id = $1 for update', [id]);
}

export type IndexFilter = {
  projectId: string;
  datasetId: string | null;
  state: IndexState | null;
  digests: Digests;
};

export function listIndexes(
  sql: Sql,
  { projectId, datasetId, state, digests }: IndexFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<Listed<DatasetIndex>[]> {
  return sql.query(
    `select ${columns}, ${timeText('i.created_at')} as position
       from ${tables}
      where i.project_id = $2 and ($3::text is null or i.dataset_id = $3) and ($4::text is null or ${stateNow} = $4)
        and (i.created_at, i.id) < ($5::timestamptz, $6)
      order by i.created_at desc, i.id desc limit $7`,
    [JSON.stringify(digests), projectId, datasetId, state, after.createdAt, after.id, limit],
  );
}

export async function countIndexes(sql: Sql, { projectId, datasetId, state, digests }: IndexFilter): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total from ${tables}
      where i.project_id = $2 and ($3::text is null or i.dataset_id = $3) and ($4::text is null or ${stateNow} = $4)`,
    [JSON.stringify(digests), projectId, datasetId, state],
  );
  return row?.total ?? 0;
}

/** Indexes of a project that keep vectors, or will. Until the transaction ends, nobody else adds one to it. */
export async function countStored(tx: Sql, projectId: string): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('indexes of ' || $1, 0))`, [projectId]);
  const [row] = await tx.query<{ stored: number }>(
    `select count(*)::integer as stored from dataset_indexes
      where project_id = $1 and state in ('queued', 'building', 'ready')`,
    [projectId],
  );
  return row?.stored ?? 0;
}

export async function countBuilding(tx: Sql, projectId: string): Promise<number> {
  const [row] = await tx.query<{ building: number }>(
    `select count(*)::integer as building from dataset_indexes
      where project_id = $1 and state in ('queued', 'building')`,
    [projectId],
  );
  return row?.building ?? 0;
}

export async function listBuilding(sql: Sql, projectId: string): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from dataset_indexes where project_id = $1 and state in ('queued', 'building') order by id`,
    [projectId],
  );
  return rows.map(({ id }) => id);
}

export type NewIndex = Omit<
  DatasetIndex,
  | ('state' | 'phase' | 'documents' | 'embedded' | 'truncated' | 'promptTokens' | 'activeMs' | 'chargedMicro')
  | ('metrics' | 'error' | 'createdAt' | 'readyAt')
>;

export async function insertIndex(tx: Sql, index: NewIndex): Promise<void> {
  await tx.query(
    `insert into dataset_indexes (id, project_id, dataset_id, version_id, account_id, model, model_revision, base_model_id,
       base_model_sha256, training_job_id, adapter_sha256, query_instruction, max_input_tokens, dimensions, rate_micro_per_minute,
       query_rate_micro_per_minute, price_version, created_by, key_id, key_name, request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
    [
      ...[index.id, index.projectId, index.datasetId, index.versionId, index.accountId, index.model],
      ...[index.modelRevision, index.baseModelId, index.baseModelSha256, index.trainingJobId, index.adapterSha256],
      ...[index.queryInstruction, index.maxInputTokens, index.dimensions, index.rateMicroPerMinute],
      ...[index.queryRateMicroPerMinute, index.priceVersion, JSON.stringify(index.createdBy)],
      ...[index.keyId, index.keyName, index.requestId],
    ],
  );
}

export async function deleteIndex(tx: Sql, id: string): Promise<void> {
  await tx.query('delete from dataset_indexes where id = $1', [id]);
}
