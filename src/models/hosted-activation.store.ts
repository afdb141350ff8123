import type { Sql } from '#db';
import { type HostedModel, hostedColumns, type PendingActivation } from './hosted-models.store.ts';

export type WarmingModel = HostedModel & { activation: PendingActivation };

/** Begins an attempt; null when the alias does not warm (any more). */
export async function beginAttempt(sql: Sql, hostedModelId: string): Promise<WarmingModel | null> {
  const [row] = await sql.query<WarmingModel>(
    `update hosted_models h
        set activation = jsonb_set(activation, '{tries}', to_jsonb((activation->>'tries')::integer + 1))
      where id = $1 and state = 'warming' returning ${hostedColumns}, h.activation`,
    [hostedModelId],
  );
  return row ?? null;
}

/** An attempt that its process survived does not count. */
export async function uncountAttempt(sql: Sql, { id, activation }: WarmingModel): Promise<void> {
  await sql.query(
    `update hosted_models
        set activation = jsonb_set(activation, '{tries}', to_jsonb(greatest(0, (activation->>'tries')::integer - 1)))
      where id = $1 and state = 'warming' and activation->>'id' = $2`,
    [id, activation.id],
  );
}

/** The load check has passed; null when the activation has ended otherwise meanwhile. */
export async function endAsActive(
  sql: Sql,
  { id, activation }: WarmingModel,
  sha256: string | null,
): Promise<HostedModel | null> {
  const [row] = await sql.query<HostedModel>(
    `with h as (
       update hosted_models set state = 'active', activation = null, revision_sha256 = $3, updated_at = now()
        where id = $1 and state = 'warming' and activation->>'id' = $2 returning *
     ), noted as (
       update hosted_model_revisions r set sha256 = $3
         from h where r.hosted_model_id = h.id and r.revision = h.revision
     )
     select ${hostedColumns} from h`,
    [id, activation.id, sha256],
  );
  return row ?? null;
}

export async function endAsFailed(
  sql: Sql,
  { id, activation }: WarmingModel,
  error: { code: string; message: string },
): Promise<HostedModel | null> {
  const [row] = await sql.query<HostedModel>(
    `update hosted_models h set state = 'failed', activation = null, error = $3, updated_at = now()
      where id = $1 and state = 'warming' and activation->>'id' = $2 returning ${hostedColumns}`,
    [id, activation.id, JSON.stringify(error)],
  );
  return row ?? null;
}

export async function listWarming(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(`select id from hosted_models where state = 'warming'`);
  return rows.map(({ id }) => id);
}

/** Whose alias it is; null: it does not warm. */
export async function accountOfHosted(sql: Sql, id: string): Promise<string | null> {
  const [row] = await sql.query<{ accountId: string }>(
    `select activation->>'accountId' as "accountId" from hosted_models where id = $1 and state = 'warming'`,
    [id],
  );
  return row?.accountId ?? null;
}
