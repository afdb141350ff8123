import { constraintOf, type Sql } from '#db';
import { checkDisplayName, fault, newId } from '#kernel';
import type { BaseModel } from './base-model.ts';
import { type HostedModel, type HostedRow, insertHostedRow, type ModelVisibility } from './hosted-models.store.ts';

/** As the constraint of the table has it. Names that agents ask for fit: `claude-sonnet-4-5`, `gpt-5.1`, `org/model:tag`. */
const aliasPattern = /^(?=.{1,63}$)[a-z0-9][a-z0-9._-]*([/:][a-z0-9][a-z0-9._-]*)*$/;

/**
 * A name by which calls may say `model`. It must not be that of a base model, which the owner calls by the same string.
 * Throws `invalid_request`.
 */
export function checkAlias(
  alias: string,
  baseModels: { find: (id: string) => BaseModel | undefined },
  param = 'alias',
): string {
  if (!aliasPattern.test(alias)) {
    throw fault('invalid_request', {
      message:
        `${param}: expected 1 to 63 lower-case letters, digits, ".", "_", "-", "/" and ":", ` +
        'with a letter or digit first and after each "/" and ":".',
      param,
    });
  }
  if (baseModels.find(alias)) {
    throw fault('invalid_request', { message: `${param}: this is the id of a base model.`, param });
  }
  return alias;
}

/** Throws `alias_taken`. */
export async function insertAlias(sql: Sql, row: Omit<HostedRow, 'id'>): Promise<HostedModel> {
  try {
    return await insertHostedRow(sql, { id: newId('hm'), ...row });
  } catch (error) {
    if (constraintOf(error) === 'hosted_models_project_id_alias_key')
      throw fault('alias_taken', { param: 'alias', cause: error });
    throw error;
  }
}

export type NewHostedModel = {
  projectId: string;
  alias: string;
  /** Default: the alias. */
  displayName?: string;
  baseModel: BaseModel;
  visibility?: ModelVisibility;
  active: boolean;
};

/**
 * Puts a base model behind an alias, at the rate that the model has now and without a load check: what the operator
 * furnishes. Faults: `invalid_request` (a name that cannot be an alias), `alias_taken`.
 */
export async function insertHostedModel(sql: Sql, model: NewHostedModel): Promise<HostedModel> {
  const { projectId, baseModel, visibility = 'private', active } = model;
  const alias = checkAlias(model.alias, { find: (id) => (id === baseModel.id ? baseModel : undefined) });
  return insertAlias(sql, {
    projectId,
    alias,
    displayName: checkDisplayName(model.displayName ?? alias, 'display_name'),
    targetType: 'base_model',
    targetId: baseModel.id,
    baseModelId: baseModel.id,
    revisionSha256: baseModel.installed?.sha256 ?? null,
    visibility,
    state: active ? 'active' : 'inactive',
    rateMicroPerMinute: baseModel.rateMicroPerMinute,
    priceVersion: baseModel.priceVersion,
    activation: null,
    createdBy: null,
  });
}
