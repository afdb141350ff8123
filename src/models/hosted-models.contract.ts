import { type Contract, pageSchema } from '#http';
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
  runtime: {
    status: 'ready',
    eta_ms: null,
    loaded_at: '2026-01-02T03:04:05.678Z',
    runs_on: 'CUDA 13 (NVIDIA L4, 25 of 25 layers)',
  },
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
  runtime: { status: 'loading', eta_ms: 1200, loaded_at: null, runs_on: null },
};

const target = { type: 'base_model', id: 'fanfold-tiny-chat' };

const tag = 'hosted_models';

const entry = { description: 'The model.', schema: hostedSchema };

export const listContract: Contract = {
  tag,
  summary: 'List hosted models',
  description:
    'The aliases of the project and, with `source` `base`, the base models, which every project has; newest first, for its owner. A cursor belongs to the project and to all filters.',
  answers: {
    200: {
      description: 'A page of models.',
      schema: pageSchema(hostedSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['not_found', 'invalid_cursor'],
};

export const createContract: Contract = {
  tag,
  summary: 'Create a hosted model',
  description: 'Puts a base model or a training job behind an alias. With `activate` it is loaded and tried at once.',
  bodyExample: { alias: 'support', target, display_name: 'Support', visibility: 'shared', activate: true },
  answers: { 201: { ...entry, description: 'The new model.', example: warming } },
  faults: ['not_found', 'owner_required', 'model_not_found', 'alias_taken', 'state_conflict', 'kind_mismatch'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: 'Read a hosted model',
  description: 'An alias by its id, or a base model by its name.',
  answers: { 200: { ...entry, example } },
  faults: ['not_found'],
};

export const updateContract: Contract = {
  tag,
  summary: 'Change a hosted model',
  description:
    'Changes the given fields. A new target is a new revision at the present rate. Behind an active alias it is loaded first, and calls are switched to it at once: none is lost, and those that run finish on the old one. When it cannot be loaded nothing changes (`state_conflict`); when loading takes long the answer is `model_warming`, and the same request sent again goes on. A base model cannot be changed.',
  bodyExample: { target: { type: 'base_model', id: 'qwen3-0.6b' } },
  answers: {
    200: {
      ...entry,
      description: 'The model as it is now.',
      example: { ...example, revision: 2, base_model: 'qwen3-0.6b', target: { type: 'base_model', id: 'qwen3-0.6b' } },
    },
  },
  faults: ['not_found', 'owner_required', 'model_not_found', 'state_conflict', 'kind_mismatch', 'model_warming'],
};

export const activateContract: Contract = {
  tag,
  summary: 'Activate a hosted model',
  description:
    'Freezes the rate and answers at once: `active` when the model is loaded, otherwise `warming` until it has been loaded and tried. An active model stays as it is.',
  answers: { 200: { ...entry, example: warming } },
  faults: ['not_found', 'owner_required', 'model_not_found', 'invalid_request', 'state_conflict'],
};

export const deactivateContract: Contract = {
  tag,
  summary: 'Deactivate a hosted model',
  description: 'The next call gets 404 `model_not_found`; calls that run finish. An inactive model stays as it is.',
  answers: { 200: { ...entry, example: { ...example, enabled: false, state: 'inactive' } } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const revisionsContract: Contract = {
  tag,
  summary: 'List the revisions of a hosted model',
  description: 'Every target that the alias has had, newest first. A cursor belongs to the model.',
  answers: {
    200: {
      description: 'A page of revisions.',
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
  summary: 'Roll a hosted model back',
  description:
    'Puts the target of an earlier revision behind the alias again, in the way of a change of the target. Numbers only count up: it becomes a new revision, with `restored_from`.',
  bodyExample: { revision: 1 },
  answers: {
    200: {
      ...entry,
      description: 'The model as it is now.',
      example: { ...example, revision: 3 },
    },
  },
  faults: ['not_found', 'owner_required', 'model_not_found', 'state_conflict', 'kind_mismatch', 'model_warming'],
};
