import type { Actor } from '#activity';
import { type Sql, timeText } from '#db';
import { type CountedRows, foldText, type ListPosition, type Micro } from '#kernel';

export type TargetType = 'base_model' | 'training_job';
export type HostedState = 'inactive' | 'warming' | 'active' | 'failed';
export type ModelVisibility = 'private' | 'shared' | 'public';

/** An activation whose load check has not ended, with who requested it. */
export type PendingActivation = {
  /** Distinguishes it from later ones, which an attempt at this one must not end. */
  id: string;
  /** Attempts that ended with their process. */
  tries: number;
  accountId: string;
  project: { ownerSlug: string; slug: string };
  actor: Actor;
  requestId?: string;
};

export type HostedModel = {
  id: string;
  projectId: string;
  alias: string;
  displayName: string;
  targetType: TargetType;
  targetId: string;
  baseModelId: string;
  /** Counts changes of the target, from 1. */
  revision: number;
  /** Digest of the file that the load check of this revision met. */
  revisionSha256: string | null;
  visibility: ModelVisibility;
  state: HostedState;
  error: { code: string; message: string } | null;
  rateMicroPerMinute: Micro;
  priceVersion: string;
  rateFrozenAt: Date;
  lastCalledAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** What decides about a call by alias; the admission statement reads it with the rest. */
export type AliasRow = Pick<
  HostedModel,
  | 'id'
  | 'alias'
  | 'targetType'
  | 'targetId'
  | 'baseModelId'
  | 'revision'
  | 'visibility'
  | 'state'
  | 'rateMicroPerMinute'
  | 'priceVersion'
>;

export const hostedColumns = `h.id, h.project_id as "projectId", h.alias, h.display_name as "displayName",
  h.target_type as "targetType", h.target_id as "targetId", h.base_model_id as "baseModelId", h.revision,
  h.revision_sha256 as "revisionSha256", h.visibility, h.state, h.error,
  h.rate_micro_per_minute as "rateMicroPerMinute", h.price_version as "priceVersion",
  h.rate_frozen_at as "rateFrozenAt", h.last_called_at as "lastCalledAt", h.created_at as "createdAt",
  h.updated_at as "updatedAt"`;

export type HostedRow = Pick<
  HostedModel,
  | 'id'
  | 'projectId'
  | 'alias'
  | 'displayName'
  | 'targetType'
  | 'targetId'
  | 'baseModelId'
  | 'revisionSha256'
  | 'visibility'
  | 'state'
  | 'rateMicroPerMinute'
  | 'priceVersion'
> & { activation: PendingActivation | null; createdBy: object | null };

export async function insertHostedRow(sql: Sql, row: HostedRow): Promise<HostedModel> {
  const [made] = await sql.query<HostedModel>(
    `with h as (
       insert into hosted_models (id, project_id, alias, display_name, target_type, target_id, base_model_id,
         revision_sha256, visibility, state, rate_micro_per_minute, price_version, activation, search_text)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning *
     ), first as (
       insert into hosted_model_revisions (hosted_model_id, revision, target_type, target_id, base_model_id, sha256,
         rate_micro_per_minute, price_version, created_by)
       select id, revision, target_type, target_id, base_model_id, revision_sha256, rate_micro_per_minute,
         price_version, $15 from h
     )
     select ${hostedColumns} from h`,
    [
      ...[row.id, row.projectId, row.alias, row.displayName, row.targetType, row.targetId, row.baseModelId],
      ...[row.revisionSha256, row.visibility, row.state, row.rateMicroPerMinute, row.priceVersion],
      ...[row.activation && JSON.stringify(row.activation), searchTextOf(row)],
      row.createdBy && JSON.stringify(row.createdBy),
    ],
  );
  if (!made) throw new Error('An insert returned no row. This is a bug.');
  return made;
}

export function searchTextOf({ alias, displayName }: Pick<HostedModel, 'alias' | 'displayName'>): string {
  return foldText(`${alias} ${displayName}`);
}

export async function findHostedModel(sql: Sql, projectId: string, alias: string): Promise<HostedModel | null> {
  const [row] = await sql.query<HostedModel>(
    `select ${hostedColumns} from hosted_models h where h.project_id = $1 and h.alias = $2`,
    [projectId, alias],
  );
  return row ?? null;
}

export async function findHostedModelById(
  sql: Sql,
  { id, projectId }: { id: string; projectId: string },
): Promise<HostedModel | null> {
  const [row] = await sql.query<HostedModel>(
    `select ${hostedColumns} from hosted_models h where h.id = $1 and h.project_id = $2`,
    [id, projectId],
  );
  return row ?? null;
}

/** The active aliases of a project that a caller may call, oldest first. The caller has been found to see the project. */
export async function listCallableHostedModels(
  sql: Sql,
  { projectId, accountId, isOwner }: { projectId: string; accountId: string; isOwner: boolean },
): Promise<HostedModel[]> {
  return sql.query<HostedModel>(
    `select ${hostedColumns} from hosted_models h
      where h.project_id = $1 and h.state = 'active'
        and ($2 or h.visibility = 'public'
             or h.visibility = 'shared' and exists (
               select from model_shares s where s.hosted_model_id = h.id and s.account_id = $3
                  and (s.expires_at is null or s.expires_at > now())))
      order by h.created_at, h.id`,
    [projectId, isOwner, accountId],
  );
}

/** Aliases of any project that serve a base model, or are about to; `models remove` asks. */
export async function listHostedModelsByBase(sql: Sql, baseModelId: string): Promise<HostedModel[]> {
  return sql.query<HostedModel>(
    `select ${hostedColumns} from hosted_models h
      where h.base_model_id = $1 and h.state in ('warming', 'active') order by h.created_at, h.id`,
    [baseModelId],
  );
}

export type ListedAlias = HostedModel & { shareCount: number; position: string };

type AliasFilter = { projectId: string; state: HostedState | null; q: string | null };

const shareCount = `(select count(*)::integer from model_shares s
    where s.hosted_model_id = h.id and (s.expires_at is null or s.expires_at > now())) as "shareCount"`;

const matches = `h.project_id = $1 and ($2::text is null or h.state = $2)
        and ($3::text is null or position($3 in h.search_text) > 0)`;

export async function listAliases(
  sql: Sql,
  { projectId, state, q }: AliasFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<CountedRows<ListedAlias>> {
  const filter = [projectId, state, q];
  const [rows, [count]] = await Promise.all([
    sql.query<ListedAlias>(
      `select ${hostedColumns}, ${shareCount},
              ${timeText('h.created_at')} as position
         from hosted_models h
        where ${matches}
          and h.created_at <= $4 and (h.created_at < $4 or h.id collate "C" < $5)
        order by h.created_at desc, h.id desc limit $6`,
      [...filter, after.createdAt, after.id, limit],
    ),
    sql.query<{ total: number }>(`select count(*)::integer as total from hosted_models h where ${matches}`, filter),
  ]);
  return { rows, totalCount: count?.total ?? 0 };
}

export async function countShares(sql: Sql, hostedModelId: string): Promise<number> {
  const [row] = await sql.query<{ shareCount: number }>(`select ${shareCount} from hosted_models h where h.id = $1`, [
    hostedModelId,
  ]);
  return row?.shareCount ?? 0;
}
