import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { BuildPhase, DatasetIndex, IndexError } from '../dataset-index.ts';
import type { IndexMetrics } from '../evaluation/metrics.ts';

/** An index that is being built by whoever has its lease. */
export type Build = Pick<
  DatasetIndex,
  | ('id' | 'projectId' | 'datasetId' | 'versionId' | 'accountId' | 'model' | 'modelRevision' | 'baseModelId')
  | (
      | 'baseModelSha256'
      | 'trainingJobId'
      | 'adapterSha256'
      | 'queryInstruction'
      | 'maxInputTokens'
      | 'dimensions'
      | 'rateMicroPerMinute'
    )
  | ('priceVersion' | 'documents' | 'embedded' | 'keyId' | 'keyName' | 'requestId' | 'createdBy')
> & {
  lease: string;
  /** Of the attempt before, if there was one. */
  formerLease: string | null;
  /** Since it got on last. */
  tries: number;
  datasetName: string;
  ownerSlug: string;
  projectSlug: string;
};

const columns = `i.id, i.project_id as "projectId", i.dataset_id as "datasetId", i.version_id as "versionId",
  i.account_id as "accountId", i.model, i.model_revision as "modelRevision", i.base_model_id as "baseModelId",
  i.base_model_sha256 as "baseModelSha256", i.training_job_id as "trainingJobId",
  i.adapter_sha256 as "adapterSha256", i.query_instruction as "queryInstruction",
  i.max_input_tokens as "maxInputTokens", i.dimensions, i.rate_micro_per_minute as "rateMicroPerMinute",
  i.price_version as "priceVersion", i.documents, i.embedded, i.key_id as "keyId", i.key_name as "keyName",
  i.request_id as "requestId", i.created_by as "createdBy", i.lease, i.former_lease as "formerLease", i.tries, d.name as "datasetName",
  a.slug as "ownerSlug", p.slug as "projectSlug"`;

/** Takes the lease of an index that is to be built; whoever had it before can write no more. Null: it has ended. */
export async function beginBuild(sql: Sql, { id, lease }: { id: string; lease: string }): Promise<Build | null> {
  const [row] = await sql.query<Build>(
    `with before as (
       select id, lease from dataset_indexes where id = $1 and state in ('queued', 'building') for update
     ), i as (
       update dataset_indexes
          set state = 'building', lease = $2, tries = tries + 1, started_at = coalesce(started_at, now()),
              phase = coalesce(phase, 'collecting')
         from before where dataset_indexes.id = before.id returning dataset_indexes.*, before.lease as former_lease
     )
     select ${columns} from i join datasets d on d.id = i.dataset_id join projects p on p.id = i.project_id
       join accounts a on a.id = p.account_id`,
    [id, lease],
  );
  return row ?? null;
}

type Leased = Pick<Build, 'id' | 'lease'>;

const isLeased = `id = $1 and lease = $2 and state = 'building'`;

/**
 * An attempt does not count that was interrupted through no fault of its own, nor one that lives to see that another one
 * has taken over (`lease` is null).
 */
export async function returnTry(sql: Sql, { id, lease }: { id: string; lease: string | null }): Promise<void> {
  await sql.query(
    `update dataset_indexes set tries = greatest(tries - 1, 0)
      where id = $1 and state = 'building' and ($2::text is null or lease = $2)`,
    [id, lease],
  );
}

/** False: the lease is lost. That the documents are known counts as getting on. */
export async function updateBuild(
  sql: Sql,
  { id, lease }: Leased,
  { phase, heldMicro, documents }: { phase?: BuildPhase; heldMicro?: Micro; documents?: number },
): Promise<boolean> {
  const rows = await sql.query(
    `update dataset_indexes
        set phase = coalesce($3, phase), held_micro = coalesce($4::bigint, held_micro),
            documents = coalesce($5::integer, documents), tries = case when $5::integer is null then tries else 1 end
      where ${isLeased} returning 1`,
    [id, lease, phase ?? null, heldMicro ?? null, documents ?? null],
  );
  return rows.length > 0;
}

export type EmbeddedBatch = {
  firstPosition: number;
  count: number;
  /** float32, little-endian. */
  vectors: Buffer;
  truncated: number;
  promptTokens: number;
  activeMs: number;
};

/** Stores the vectors of the next documents, with what they took. False: somebody else builds it now, or nobody. */
export async function saveBatch(tx: Sql, { id, lease }: Leased, batch: EmbeddedBatch): Promise<boolean> {
  const rows = await tx.query(
    `with index as (
       update dataset_indexes
          set embedded = embedded + $4, truncated = truncated + $6, prompt_tokens = prompt_tokens + $7,
              active_ms = active_ms + $8, tries = 1
        where ${isLeased} and embedded = $3 returning id
     )
     insert into index_vectors (index_id, first_position, count, vectors) select id, $3, $4, $5 from index returning 1`,
    [
      ...[
        id,
        lease,
        batch.firstPosition,
        batch.count,
        batch.vectors,
        batch.truncated,
        batch.promptTokens,
        batch.activeMs,
      ],
    ],
    { name: 'indexes.save_batch' },
  );
  return rows.length > 0;
}

/** How well an index finds, and what finding that out took; null: there was nothing to measure. */
export type Measurement = { metrics: IndexMetrics | null; promptTokens: number; activeMs: number } | null;

/** What an index that has ended has to pay for. */
export type EndedBuild = {
  activeMs: number;
  promptTokens: bigint;
  heldMicro: Micro;
  lease: string | null;
};

const ended = `active_ms as "activeMs", prompt_tokens as "promptTokens", held_micro as "heldMicro", lease`;

/** What measuring took counts with the end only: whoever dies before measures again, and that is paid once. */
export async function endAsReady(tx: Sql, { id, lease }: Leased, measured: Measurement): Promise<EndedBuild | null> {
  const { metrics = null, promptTokens = 0, activeMs = 0 } = measured ?? {};
  const [row] = await tx.query<EndedBuild>(
    `update dataset_indexes set state = 'ready', charged_micro = 0, metrics = $3, ready_at = now(), finished_at = now(), phase = null,
            prompt_tokens = prompt_tokens + $4, active_ms = active_ms + $5
      where ${isLeased} returning ${ended}`,
    [id, lease, metrics && JSON.stringify(metrics), promptTokens, activeMs],
  );
  return row ?? null;
}

/** Nothing is charged. */
export async function endAsFailed(tx: Sql, { id, lease }: Leased, error: IndexError): Promise<boolean> {
  const rows = await tx.query(
    `update dataset_indexes set state = 'failed', charged_micro = 0, error = $3, finished_at = now(), phase = null
      where ${isLeased} returning 1`,
    [id, lease, JSON.stringify(error)],
  );
  return rows.length > 0;
}

/** Null: it has ended already. */
export async function endAsCanceled(tx: Sql, id: string): Promise<EndedBuild | null> {
  const [row] = await tx.query<EndedBuild>(
    `update dataset_indexes set state = 'canceled', charged_micro = 0, finished_at = now(), phase = null
      where id = $1 and state in ('queued', 'building') returning ${ended}`,
    [id],
  );
  return row ?? null;
}

export async function noteCharge(tx: Sql, id: string, chargedMicro: Micro): Promise<void> {
  await tx.query('update dataset_indexes set charged_micro = $2 where id = $1', [id, chargedMicro]);
}

export async function listUnfinished(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from dataset_indexes where state in ('queued', 'building') order by id`,
  );
  return rows.map(({ id }) => id);
}

export async function accountOfIndex(sql: Sql, id: string): Promise<string | null> {
  const [row] = await sql.query<{ accountId: string }>(
    'select account_id as "accountId" from dataset_indexes where id = $1',
    [id],
  );
  return row?.accountId ?? null;
}
