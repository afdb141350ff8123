import type { Sql } from '#db';
import type { CountedRows, Micro } from '#kernel';
import {
  type HostedModel,
  hostedColumns,
  type ModelVisibility,
  type PendingActivation,
  type TargetType,
} from './hosted-models.store.ts';

/** The model as it was when the change was decided; nothing happens when its revision or state is another one by now. */
type HostedModelVersion = Pick<HostedModel, 'id' | 'projectId' | 'revision' | 'state'>;

/**
 * Activates: the rate is frozen now, with the revision that it is frozen for. `sha256` is null, and `activation` given,
 * when the load check is still to come.
 */
export async function enableHosted(
  sql: Sql,
  change: {
    seen: HostedModelVersion;
    rateMicroPerMinute: Micro;
    priceVersion: string;
    sha256: string | null;
    activation: PendingActivation | null;
  },
): Promise<HostedModel | null> {
  const { seen, rateMicroPerMinute, priceVersion, sha256, activation } = change;
  const [row] = await sql.query<HostedModel>(
    `with h as (
       update hosted_models
          set state = case when $7::jsonb is null then 'active' else 'warming' end, activation = $7, error = null,
              rate_micro_per_minute = $5, price_version = $6, rate_frozen_at = now(),
              revision_sha256 = coalesce($8, revision_sha256), updated_at = now()
        where id = $1 and project_id = $2 and revision = $3 and state = $4 returning *
     ), frozen as (
       update hosted_model_revisions r
          set rate_micro_per_minute = h.rate_micro_per_minute, price_version = h.price_version,
              rate_frozen_at = h.rate_frozen_at, sha256 = h.revision_sha256
         from h where r.hosted_model_id = h.id and r.revision = h.revision
     )
     select ${hostedColumns} from h`,
    [
      ...[seen.id, seen.projectId, seen.revision, seen.state, rateMicroPerMinute, priceVersion],
      ...[activation && JSON.stringify(activation), sha256],
    ],
  );
  return row ?? null;
}

/** Deactivates whatever state it is in; null when it was inactive, or is not there. */
export async function disableHosted(
  sql: Sql,
  { id, projectId }: Pick<HostedModel, 'id' | 'projectId'>,
): Promise<HostedModel | null> {
  const [row] = await sql.query<HostedModel>(
    `update hosted_models h set state = 'inactive', activation = null, error = null, updated_at = now()
      where id = $1 and project_id = $2 and state <> 'inactive' returning ${hostedColumns}`,
    [id, projectId],
  );
  return row ?? null;
}

/** What people see of an alias; null: stays as it is. */
export type DisplayChange = {
  displayName: string | null;
  visibility: ModelVisibility | null;
  searchText: string | null;
};

type TargetChange = {
  targetType: TargetType;
  targetId: string;
  baseModelId: string;
  sha256: string | null;
  rateMicroPerMinute: Micro;
  priceVersion: string;
  restoredFrom: number | null;
  createdBy: object;
};

/**
 * The switch: one statement, so that every call is served by the old revision or by the new one, whole. An active alias
 * stays active, any other becomes inactive.
 */
export async function switchHosted(
  sql: Sql,
  { seen, display, target }: { seen: HostedModelVersion; display: DisplayChange; target: TargetChange },
): Promise<HostedModel | null> {
  const [row] = await sql.query<HostedModel>(
    `with h as (
       update hosted_models
          set target_type = $5, target_id = $6, base_model_id = $7, revision = revision + 1, revision_sha256 = $8,
              state = case state when 'active' then 'active' else 'inactive' end, error = null,
              rate_micro_per_minute = $9, price_version = $10, rate_frozen_at = now(),
              display_name = coalesce($11, display_name), visibility = coalesce($12, visibility),
              search_text = coalesce($13, search_text), updated_at = now()
        where id = $1 and project_id = $2 and revision = $3 and state = $4 and state <> 'warming' returning *
     ), noted as (
       insert into hosted_model_revisions (hosted_model_id, revision, target_type, target_id, base_model_id, sha256,
         rate_micro_per_minute, price_version, rate_frozen_at, restored_from, created_by)
       select id, revision, target_type, target_id, base_model_id, revision_sha256, rate_micro_per_minute, price_version,
         rate_frozen_at, $14, $15 from h
     )
     select ${hostedColumns} from h`,
    [
      ...[seen.id, seen.projectId, seen.revision, seen.state],
      ...[target.targetType, target.targetId, target.baseModelId, target.sha256],
      ...[target.rateMicroPerMinute, target.priceVersion, display.displayName, display.visibility, display.searchText],
      ...[target.restoredFrom, JSON.stringify(target.createdBy)],
    ],
  );
  return row ?? null;
}

/** Null when nothing is different, or it is not there. */
export async function updateDisplay(
  sql: Sql,
  { id, projectId, display }: Pick<HostedModel, 'id' | 'projectId'> & { display: DisplayChange },
): Promise<HostedModel | null> {
  const [row] = await sql.query<HostedModel>(
    `update hosted_models h
        set display_name = coalesce($3, display_name), visibility = coalesce($4, visibility),
            search_text = coalesce($5, search_text), updated_at = now()
      where id = $1 and project_id = $2
        and (coalesce($3, display_name), coalesce($4, visibility)) is distinct from (display_name, visibility)
      returning ${hostedColumns}`,
    [id, projectId, display.displayName, display.visibility, display.searchText],
  );
  return row ?? null;
}

export type AliasRevision = {
  revision: number;
  targetType: TargetType;
  targetId: string;
  baseModelId: string;
  sha256: string | null;
  rateMicroPerMinute: Micro;
  priceVersion: string;
  rateFrozenAt: Date;
  /** The earlier revision that a rollback went back to. */
  restoredFrom: number | null;
  /** null: the operator. */
  createdBy: { kind: 'account' | 'api_key' | 'system'; id: string | null; label: string } | null;
  createdAt: Date;
};

const columns = `revision, target_type as "targetType", target_id as "targetId", base_model_id as "baseModelId", sha256,
  rate_micro_per_minute as "rateMicroPerMinute", price_version as "priceVersion", rate_frozen_at as "rateFrozenAt",
  restored_from as "restoredFrom", created_by as "createdBy", created_at as "createdAt"`;

export async function listRevisions(
  sql: Sql,
  { hostedModelId, before, limit }: { hostedModelId: string; before: number | null; limit: number },
): Promise<CountedRows<AliasRevision>> {
  const [rows, [count]] = await Promise.all([
    sql.query<AliasRevision>(
      `select ${columns} from hosted_model_revisions
        where hosted_model_id = $1 and ($2::integer is null or revision < $2) order by revision desc limit $3`,
      [hostedModelId, before, limit],
    ),
    sql.query<{ total: number }>(
      'select count(*)::integer as total from hosted_model_revisions where hosted_model_id = $1',
      [hostedModelId],
    ),
  ]);
  return { rows, totalCount: count?.total ?? 0 };
}

export async function findRevision(sql: Sql, hostedModelId: string, revision: number): Promise<AliasRevision | null> {
  const [row] = await sql.query<AliasRevision>(
    `select ${columns} from hosted_model_revisions where hosted_model_id = $1 and revision = $2`,
    [hostedModelId, revision],
  );
  return row ?? null;
}

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
