import { type Contract, pageSchema, said } from '#http';
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
  summary: said('List projects', '列出项目'),
  description: said(
    'Your own projects and those in which a model is shared with you, newest first. A cursor belongs to the account and to all filters.',
    '自己的项目，以及他人与你共享了模型的项目，按创建时间倒序排列。游标只对同一账户和同一组筛选条件有效。',
  ),
  answers: {
    200: {
      description: said('A page of projects.', '一页项目。'),
      schema: pageSchema(projectSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor'],
};

export const createContract: Contract = {
  tag,
  summary: said('Create a project', '创建项目'),
  description: said(
    'Slug and kind are fixed from then on. An account has a limit of open projects; archived ones do not count.',
    '项目创建后，slug 和类型不能更改。每个账户的未归档项目数量有上限，已归档的不计入。',
  ),
  bodyExample: { name: 'Support', kind: 'text', description: 'Answers to customers' },
  answers: { 201: { description: said('The new project.', '新建的项目。'), schema: projectSchema, example } },
  faults: ['slug_taken', 'kind_mismatch', 'state_conflict'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: said('Read a project', '查看项目'),
  description: said(
    'For the owner, for whoever a model of it is shared with, and for every account when it is public. For all others it does not exist.',
    '所有者、被共享了其中模型的账户可以查看；公开项目所有账户都可以查看。对其他账户而言，该项目不存在。',
  ),
  answers: { 200: { description: said('The project.', '该项目。'), schema: projectSchema, example } },
  faults: ['not_found'],
};

export const updateContract: Contract = {
  tag,
  summary: said('Change a project', '修改项目'),
  description: said(
    'Changes the given fields, archives or unarchives; only the owner may. What already is as asked for stays as it is. An archived project can only be unarchived, together with other changes if you like; running work keeps a project out of the archive.',
    '修改给出的字段，或归档、取消归档，仅限所有者。值未变化的字段保持原样。已归档的项目只能取消归档（可同时修改其他字段）；仍有任务在运行的项目不能归档。',
  ),
  bodyExample: { visibility: 'public' },
  answers: {
    200: {
      description: said('The project as it is now.', '修改后的项目。'),
      schema: projectSchema,
      example: { ...example, visibility: 'public' },
    },
  },
  faults: ['not_found', 'owner_required', 'kind_mismatch', 'state_conflict', 'in_use'],
};
