import type { Sql } from '#db';
import type { Micro } from '#kernel';
import {
  type Activation,
  type HostedModel,
  type HostedState,
  hostedColumns,
  type ModelVisibility,
  type TargetType,
} from './hosted-models.store.ts';

type Address = { id: string; projectId: string };

/** What somebody saw who decided about a change; the change does not happen when it is not so any more. */
export type Seen = { revision: number; state: HostedState };

/**
 * Activates: the rate is frozen now, with the revision that it is frozen for. `sha256` is null, and `activation` given,
 * when the load check is still to come.
 */
export async function enableHosted(
  sql: Sql,
  change: Address & {
    seen: Seen;
    rateMicroPerMinute: Micro;
    priceVersion: string;
    sha256: string | null;
    activation: Activation | null;
  },
): Promise<HostedModel | null> {
  const { id, projectId, seen, rateMicroPerMinute, priceVersion, sha256, activation } = change;
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
      ...[id, projectId, seen.revision, seen.state, rateMicroPerMinute, priceVersion],
      ...[activation && JSON.stringify(activation), sha256],
    ],
  );
  return row ?? null;
}

/** Deactivates whatever state it is in; null when it was inactive, or is not there. */
export async function disableHosted(sql: Sql, { id, projectId }: Address): Promise<HostedModel | null> {
  const [row] = await sql.query<HostedModel>(
    `update hosted_models h set state = 'inactive', activation = null, error = null, updated_at = now()
      where id = $1 and project_id = $2 and state <> 'inactive' returning ${hostedColumns}`,
    [id, projectId],
  );
  return row ?? null;
}

/** What people see of it; null: stays as it is. */
export type Face = { displayName: string | null; visibility: ModelVisibility | null; searchText: string | null };

export type TargetChange = {
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
  change: Address & { seen: Seen; face: Face; target: TargetChange },
): Promise<HostedModel | null> {
  const { id, projectId, seen, face, target } = change;
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
      ...[id, projectId, seen.revision, seen.state],
      ...[target.targetType, target.targetId, target.baseModelId, target.sha256],
      ...[target.rateMicroPerMinute, target.priceVersion, face.displayName, face.visibility, face.searchText],
      ...[target.restoredFrom, JSON.stringify(target.createdBy)],
    ],
  );
  return row ?? null;
}

/** Null when nothing is different, or it is not there. */
export async function updateFace(
  sql: Sql,
  { id, projectId, face }: Address & { face: Face },
): Promise<HostedModel | null> {
  const [row] = await sql.query<HostedModel>(
    `update hosted_models h
        set display_name = coalesce($3, display_name), visibility = coalesce($4, visibility),
            search_text = coalesce($5, search_text), updated_at = now()
      where id = $1 and project_id = $2
        and (coalesce($3, display_name), coalesce($4, visibility)) is distinct from (display_name, visibility)
      returning ${hostedColumns}`,
    [id, projectId, face.displayName, face.visibility, face.searchText],
  );
  return row ?? null;
}
