import type { Sql } from '#db';
import type { CountedRows, Micro } from '#kernel';
import type { TargetType } from './hosted-models.store.ts';

/** One target that an alias has had. */
export type Revision = {
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

/** Revisions of an alias before `before`, newest first, and how many there are in all. */
export async function listRevisions(
  sql: Sql,
  { hostedModelId, before, limit }: { hostedModelId: string; before: number | null; limit: number },
): Promise<CountedRows<Revision>> {
  const [rows, [count]] = await Promise.all([
    sql.query<Revision>(
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

export async function findRevision(sql: Sql, hostedModelId: string, revision: number): Promise<Revision | null> {
  const [row] = await sql.query<Revision>(
    `select ${columns} from hosted_model_revisions where hosted_model_id = $1 and revision = $2`,
    [hostedModelId, revision],
  );
  return row ?? null;
}
