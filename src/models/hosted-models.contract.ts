import { type Contract, pageSchema, said } from '#http';
import { hostedSchema, revisionSchema } from './hosted-models.schema.ts';

const rate = {
  credits_per_gpu_minute: '0.030000',
  frozen_at: '2026-01-02T03:04:06.012Z',
  price_version: '2026-01',
};

const example = {
  id: 'hm_01KAXR5D6F8H0K2N4Q6S8V0X2Z',
  alias: 'support',
  display_name: 'Support',
  source: 'alias',
  kind: 'text',
  target: { type: 'base_model', id: 'fanfold-tiny-chat' },
  base_model: 'fanfold-tiny-chat',
  revision: 1,
  revision_sha256: '9f1c6a0d2b7e4c83a5f0e1d2c3b4a5968778695a4b3c2d1e0f1a2b3c4d5e6f70',
  enabled: true,
  state: 'active',
  runtime: { status: 'ready', eta_ms: null, loaded_at: '2026-01-02T03:04:05.678Z' },
  visibility: 'shared',
  share_count: 1,
  limits: { max_context_tokens: 4096, max_input_tokens: null, max_inputs: null, request_token_budget: null },
  dimensions: null,
  query_instruction: null,
  rate,
  error: null,
  owner: { id: 'acc_01KAXR0GWE2M5B3H7K9T4Q6V8X', slug: 'ada' },
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:06.012Z',
  last_called_at: null,
};

const warming = {
  ...example,
  revision_sha256: null,
  state: 'warming',
  runtime: { status: 'loading', eta_ms: 1200, loaded_at: null },
};

const target = { type: 'base_model', id: 'fanfold-tiny-chat' };

const tag = 'hosted_models';

const entry = { description: said('The model.', '该模型。'), schema: hostedSchema };

export const listContract: Contract = {
  tag,
  summary: said('List hosted models', '列出托管模型'),
  description: said(
    'The aliases of the project and, with `source` `base`, the base models, which every project has; newest first, for its owner. A cursor belongs to the project and to all filters.',
    '项目的别名，以及每个项目都有的基础模型（`source` 为 `base`），按创建时间倒序排列，仅限所有者。游标只对同一项目和同一组筛选条件有效。',
  ),
  answers: {
    200: {
      description: said('A page of models.', '一页模型。'),
      schema: pageSchema(hostedSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['not_found', 'invalid_cursor'],
};

export const createContract: Contract = {
  tag,
  summary: said('Create a hosted model', '创建托管模型'),
  description: said(
    'Puts a base model or a training job behind an alias. With `activate` it is loaded and tried at once.',
    '为基础模型或训练任务创建别名。设置 `activate` 时立即加载并试运行。',
  ),
  bodyExample: { alias: 'support', target, display_name: 'Support', visibility: 'shared', activate: true },
  answers: { 201: { ...entry, description: said('The new model.', '新建的模型。'), example: warming } },
  faults: ['not_found', 'owner_required', 'model_not_found', 'alias_taken', 'state_conflict', 'kind_mismatch'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: said('Read a hosted model', '查看托管模型'),
  description: said('An alias by its id, or a base model by its name.', '按 ID 查看别名，或按名称查看基础模型。'),
  answers: { 200: { ...entry, example } },
  faults: ['not_found'],
};

export const updateContract: Contract = {
  tag,
  summary: said('Change a hosted model', '修改托管模型'),
  description: said(
    'Changes the given fields. A new target is a new revision at the rate of this moment. Behind an active alias it is loaded first, and calls are switched to it at once: none is lost, and those that run finish on the old one. When it cannot be loaded nothing changes (`state_conflict`); when loading takes long the answer is `model_warming`, and the same request sent again goes on. A base model cannot be changed.',
    '修改给出的字段。更换目标会产生新的修订，费率按此刻冻结。别名处于启用状态时，先加载新目标，再一次性切换：不会丢失任何调用，正在进行的调用在旧目标上完成。新目标无法加载时不做任何更改（`state_conflict`）；加载时间较长时返回 `model_warming`，重发同一请求即可继续。基础模型不能修改。',
  ),
  bodyExample: { target: { type: 'base_model', id: 'qwen3-0.6b' } },
  answers: {
    200: {
      ...entry,
      description: said('The model as it is now.', '修改后的模型。'),
      example: { ...example, revision: 2, base_model: 'qwen3-0.6b', target: { type: 'base_model', id: 'qwen3-0.6b' } },
    },
  },
  faults: ['not_found', 'owner_required', 'model_not_found', 'state_conflict', 'kind_mismatch', 'model_warming'],
};

export const activateContract: Contract = {
  tag,
  summary: said('Activate a hosted model', '启用托管模型'),
  description: said(
    'Freezes the rate and answers at once: `active` when the model is loaded, otherwise `warming` until it has been loaded and tried. An active model stays as it is.',
    '冻结费率并立即返回：模型已加载时为 `active`，否则在加载并试运行之前为 `warming`。已启用的模型保持不变。',
  ),
  answers: { 200: { ...entry, example: warming } },
  faults: ['not_found', 'owner_required', 'model_not_found', 'invalid_request', 'state_conflict'],
};

export const deactivateContract: Contract = {
  tag,
  summary: said('Deactivate a hosted model', '停用托管模型'),
  description: said(
    'The next call gets 404 `model_not_found`; calls that run finish. An inactive model stays as it is.',
    '之后的调用返回 404 `model_not_found`，正在进行的调用会完成。未启用的模型保持不变。',
  ),
  answers: { 200: { ...entry, example: { ...example, enabled: false, state: 'inactive' } } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const revisionsContract: Contract = {
  tag,
  summary: said('List the revisions of a hosted model', '列出托管模型的修订'),
  description: said(
    'Every target that the alias has had, newest first. A cursor belongs to the model.',
    '别名曾经指向的所有目标，按时间倒序排列。游标只对同一模型有效。',
  ),
  answers: {
    200: {
      description: said('A page of revisions.', '一页修订。'),
      schema: pageSchema(revisionSchema),
      example: {
        data: [
          {
            revision: 1,
            current: true,
            target,
            base_model: 'fanfold-tiny-chat',
            revision_sha256: example.revision_sha256,
            rate,
            restored_from: null,
            created_by: { kind: 'account', id: 'acc_01KAXR0GWE2M5B3H7K9T4Q6V8X', label: 'ada' },
            created_at: '2026-01-02T03:04:05.678Z',
          },
        ],
        next_cursor: null,
        total_count: 1,
      },
    },
  },
  faults: ['not_found', 'state_conflict', 'invalid_cursor'],
};

export const rollbackContract: Contract = {
  tag,
  summary: said('Roll a hosted model back', '回退托管模型'),
  description: said(
    'Puts the target of an earlier revision behind the alias again, in the way of a change of the target. Numbers only count up: it becomes a new revision, with `restored_from`.',
    '将较早修订的目标重新设为别名的目标，过程与更换目标相同。修订号只增不减：回退会产生带有 `restored_from` 的新修订。',
  ),
  bodyExample: { revision: 1 },
  answers: {
    200: {
      ...entry,
      description: said('The model as it is now.', '回退后的模型。'),
      example: { ...example, revision: 3 },
    },
  },
  faults: ['not_found', 'owner_required', 'model_not_found', 'state_conflict', 'kind_mismatch', 'model_warming'],
};
