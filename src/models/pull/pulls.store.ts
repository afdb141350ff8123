import type { Sql } from '#db';
import type { ListPosition } from '#kernel';

export type PullState = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled';

/** A pull that an operator has asked for. */
export type ModelPull = {
  id: string;
  model: string;
  modelId: string | null;
  isWeights: boolean;
  isForced: boolean;
  state: PullState;
  cancelRequested: boolean;
  phase: 'download' | 'check' | null;
  receivedBytes: bigint;
  totalBytes: bigint | null;
  bytesPerSecond: bigint;
  note: string | null;
  error: string | null;
  baseModelId: string | null;
  createdAt: Date;
  updatedAt: Date;
  position: string;
};

const columns = `id, model, model_id as "modelId", is_weights as "isWeights", is_forced as "isForced", state,
  cancel_requested as "cancelRequested", phase, received_bytes as "receivedBytes", total_bytes as "totalBytes",
  bytes_per_second as "bytesPerSecond", note, error, base_model_id as "baseModelId", created_at as "createdAt",
  updated_at as "updatedAt", created_at::text as position`;

export type NewPull = Pick<ModelPull, 'id' | 'model' | 'modelId' | 'isWeights' | 'isForced'> & { createdBy: string };

/** Null: the same is waiting or in flight. */
export async function insertPull(sql: Sql, pull: NewPull): Promise<ModelPull | null> {
  const { id, model, modelId, isWeights, isForced, createdBy } = pull;
  const [row] = await sql.query<ModelPull>(
    `insert into model_pulls (id, model, model_id, is_weights, is_forced, created_by) values ($1, $2, $3, $4, $5, $6)
     on conflict (model, coalesce(model_id, ''), is_weights) where state in ('queued', 'running') do nothing
     returning ${columns}`,
    [id, model, modelId, isWeights, isForced, createdBy],
  );
  return row ?? null;
}

export async function findLivePull(
  sql: Sql,
  { model, modelId, isWeights }: Pick<ModelPull, 'model' | 'modelId' | 'isWeights'>,
): Promise<ModelPull | null> {
  const [row] = await sql.query<ModelPull>(
    `select ${columns} from model_pulls
     where model = $1 and coalesce(model_id, '') = $2 and is_weights = $3 and state in ('queued', 'running')`,
    [model, modelId ?? '', isWeights],
  );
  return row ?? null;
}

export async function findPull(sql: Sql, id: string): Promise<ModelPull | null> {
  const [row] = await sql.query<ModelPull>(`select ${columns} from model_pulls where id = $1`, [id]);
  return row ?? null;
}

export function listPulls(sql: Sql, { after, limit }: { after: ListPosition; limit: number }): Promise<ModelPull[]> {
  return sql.query<ModelPull>(
    `select ${columns} from model_pulls where (created_at, id) < ($1::timestamptz, $2)
     order by created_at desc, id desc limit $3`,
    [after.createdAt, after.id, limit],
  );
}

export async function countPulls(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: number }>('select count(*)::integer as count from model_pulls');
  return row?.count ?? 0;
}

/** Null: it has ended, or is to end. */
export async function beginPull(sql: Sql, id: string): Promise<ModelPull | null> {
  const [row] = await sql.query<ModelPull>(
    `update model_pulls set state = 'running', updated_at = now()
     where id = $1 and state in ('queued', 'running') and not cancel_requested returning ${columns}`,
    [id],
  );
  return row ?? null;
}

export type PullProgress = Pick<ModelPull, 'phase' | 'receivedBytes' | 'totalBytes' | 'bytesPerSecond' | 'note'>;

/** Returns whether it may go on: nobody has canceled it. */
export async function updatePullProgress(sql: Sql, id: string, progress: PullProgress): Promise<boolean> {
  const { phase, receivedBytes, totalBytes, bytesPerSecond, note } = progress;
  const rows = await sql.query(
    `update model_pulls set phase = $2, received_bytes = $3, total_bytes = $4, bytes_per_second = $5, note = $6,
            updated_at = now()
     where id = $1 and state = 'running' and not cancel_requested returning id`,
    [id, phase, receivedBytes, totalBytes, bytesPerSecond, note],
  );
  return rows.length > 0;
}

export type PullEnd =
  | { state: 'succeeded'; baseModelId: string }
  | { state: 'failed'; error: string }
  | { state: 'canceled' };

export async function endPull(sql: Sql, id: string, end: PullEnd): Promise<void> {
  const error = end.state === 'failed' ? end.error : null;
  const baseModelId = end.state === 'succeeded' ? end.baseModelId : null;
  await sql.query(
    `update model_pulls set state = $2, error = $3, base_model_id = $4, bytes_per_second = 0, updated_at = now()
     where id = $1 and state in ('queued', 'running')`,
    [id, end.state, error, baseModelId],
  );
}

/** Asks for the end of a pull; one that waits ends at once. Null: there is no such pull. */
export async function cancelPull(sql: Sql, id: string): Promise<ModelPull | null> {
  const [row] = await sql.query<ModelPull>(
    `update model_pulls set cancel_requested = true, updated_at = now(),
            state = case when state = 'queued' then 'canceled' else state end
     where id = $1 and state in ('queued', 'running') returning ${columns}`,
    [id],
  );
  return row ?? findPull(sql, id);
}
