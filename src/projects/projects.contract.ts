import { type Contract, pageSchema } from '#http';
import { projectSchema } from './projects.schema.ts';

const example = {
  id: 'prj_01KAXR3C5F7H9K1N3Q5S7V9X1Z',
  owner: { id: 'acc_01KAXR0GWE2M5B3H7K9T4Q6V8X', slug: 'ada' },
  slug: 'support',
  name: 'Support',
  description: 'Answers to customers',
  kind: 'text',
  visibility: 'private',
  inference_auto_save: false,
  caller_role: 'owner',
  inference_base_url: 'https://models.example/api/projects/ada/support/openai/v1',
  counts: { datasets: 2, training_jobs: 5, hosted_models: 1, pending_retrieval_events: 0 },
  archived_at: null,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
};

const tag = 'projects';

export const listContract: Contract = {
  tag,
  summary: 'List projects',
  description:
    'Your own projects and those in which a model is shared with you, newest first. A cursor belongs to the account and to all filters.',
  answers: {
    200: {
      description: 'A page of projects.',
      schema: pageSchema(projectSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor'],
};

export const createContract: Contract = {
  tag,
  summary: 'Create a project',
  description:
    'Slug and kind are fixed from then on. An account has a limit of open projects; archived ones do not count.',
  bodyExample: { name: 'Support', kind: 'text', description: 'Answers to customers' },
  answers: { 201: { description: 'The new project.', schema: projectSchema, example } },
  faults: ['slug_taken', 'kind_mismatch', 'state_conflict'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: 'Read a project',
  description:
    'For the owner, for whoever a model of it is shared with, and for every account when it is public. For all others it does not exist.',
  answers: { 200: { description: 'The project.', schema: projectSchema, example } },
  faults: ['not_found'],
};

export const updateContract: Contract = {
  tag,
  summary: 'Change a project',
  description:
    'Changes the given fields, archives or unarchives; only the owner may. What already is as asked for stays as it is. An archived project can only be unarchived, together with other changes if you like; running work keeps a project out of the archive.',
  bodyExample: { visibility: 'public' },
  answers: {
    200: {
      description: 'The project as it is now.',
      schema: projectSchema,
      example: { ...example, visibility: 'public' },
    },
  },
  faults: ['not_found', 'owner_required', 'kind_mismatch', 'state_conflict', 'in_use'],
};

export const deleteContract: Contract = {
  tag,
  summary: 'Delete a project',
  description:
    'With all datasets, chats, saved calls, training jobs and models in it; only the owner may, and nothing brings them back. It is gone for everybody at once, and its address is free. What is stored in it is removed in the background. Ledger, request log and activity stay. Training jobs, imports and index builds that run prevent it: wait for their end or cancel them.',
  answers: { 204: { description: 'It is gone.' } },
  faults: ['not_found', 'owner_required', 'in_use'],
};
