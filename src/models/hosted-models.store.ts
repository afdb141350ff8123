import { constraintOf, type Sql } from '#db';
import { fault, type Micro, newId } from '#kernel';
import { type BaseModel, modelIdPattern } from './base-model.ts';

/** An alias of a project that stands for a base model or a finished training job. */
export type HostedModel = {
  id: string;
  projectId: string;
  alias: string;
  displayName: string;
  targetType: 'base_model' | 'training_job';
  targetId: string;
  /** Counts changes of the target, from 1. */
  revision: number;
  visibility: 'private' | 'shared' | 'public';
  active: boolean;
  /** Frozen when the alias was activated. */
  rateMicroPerMinute: Micro;
  priceVersion: string;
  createdAt: Date;
};

/** What decides about a call by alias; the admission statement reads it with the rest. */
export type AliasRow = Pick<
  HostedModel,
  | 'id'
  | 'alias'
  | 'targetType'
  | 'targetId'
  | 'revision'
  | 'visibility'
  | 'active'
  | 'rateMicroPerMinute'
  | 'priceVersion'
>;

type Row = {
  id: string;
  project_id: string;
  alias: string;
  display_name: string;
  target_type: HostedModel['targetType'];
  target_id: string;
  revision: number;
  visibility: HostedModel['visibility'];
  active: boolean;
  rate_micro_per_minute: bigint;
  price_version: string;
  created_at: Date;
};

export type NewHostedModel = {
  projectId: string;
  alias: string;
  /** Default: the alias. */
  displayName?: string;
  baseModel: BaseModel;
  visibility?: HostedModel['visibility'];
  active: boolean;
};

/**
 * Puts a base model behind an alias, at the rate that the model has now. Faults: `invalid_request` (a name that cannot
 * be an alias), `alias_taken`.
 */
export async function insertHostedModel(sql: Sql, model: NewHostedModel): Promise<HostedModel> {
  const { projectId, alias, baseModel } = model;
  if (!modelIdPattern.test(alias)) {
    throw fault('invalid_request', {
      message:
        'alias: expected lower-case letters, digits, ".", "_" and "-", at most 63, starting with a letter or digit.',
      param: 'alias',
    });
  }
  if (alias === baseModel.id) {
    throw fault('invalid_request', { message: 'alias: this is the id of a base model.', param: 'alias' });
  }
  try {
    const rows = await sql.query<Row>(
      `insert into hosted_models (id, project_id, alias, display_name, target_type, target_id, visibility, active,
                                  rate_micro_per_minute, price_version)
       values ($1, $2, $3, $4, 'base_model', $5, $6, $7, $8, $9) returning *`,
      [
        newId('hm'),
        projectId,
        alias,
        model.displayName ?? alias,
        baseModel.id,
        model.visibility ?? 'private',
        model.active,
        baseModel.rateMicroPerMinute,
        baseModel.priceVersion,
      ],
    );
    const [row] = rows;
    if (!row) throw new Error('An insert returned no row. This is a bug.');
    return fromRow(row);
  } catch (error) {
    if (constraintOf(error) === 'hosted_models_project_id_alias_key') throw fault('alias_taken', { param: 'alias' });
    throw error;
  }
}

export async function findHostedModel(sql: Sql, projectId: string, alias: string): Promise<HostedModel | null> {
  const [row] = await sql.query<Row>('select * from hosted_models where project_id = $1 and alias = $2', [
    projectId,
    alias,
  ]);
  return row ? fromRow(row) : null;
}

/** The active aliases of a project that a caller may call, oldest first. The caller has been found to see the project. */
export async function listCallableHostedModels(
  sql: Sql,
  { projectId, accountId, isOwner }: { projectId: string; accountId: string; isOwner: boolean },
): Promise<HostedModel[]> {
  const rows = await sql.query<Row>(
    `select h.* from hosted_models h
      where h.project_id = $1 and h.active
        and ($2 or h.visibility = 'public'
             or h.visibility = 'shared' and exists (
               select from model_shares s where s.hosted_model_id = h.id and s.account_id = $3
                  and (s.expires_at is null or s.expires_at > now())))
      order by h.created_at, h.id`,
    [projectId, isOwner, accountId],
  );
  return rows.map(fromRow);
}

/** Active aliases of any project that stand on a base model; `models remove` asks. */
export async function listHostedModelsByBase(sql: Sql, baseModelId: string): Promise<HostedModel[]> {
  const rows = await sql.query<Row>(
    `select * from hosted_models where target_type = 'base_model' and target_id = $1 and active order by created_at, id`,
    [baseModelId],
  );
  return rows.map(fromRow);
}

function fromRow(row: Row): HostedModel {
  return {
    id: row.id,
    projectId: row.project_id,
    alias: row.alias,
    displayName: row.display_name,
    targetType: row.target_type,
    targetId: row.target_id,
    revision: row.revision,
    visibility: row.visibility,
    active: row.active,
    rateMicroPerMinute: row.rate_micro_per_minute,
    priceVersion: row.price_version,
    createdAt: row.created_at,
  };
}
