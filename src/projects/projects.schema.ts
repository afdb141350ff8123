import Type, { type Static } from 'typebox';
import { nullable, pageQuery, said, timestamp } from '#http';
import type { ShownProject } from './project-list.ts';

const kinds = ['text', 'embedding'] as const;
const visibilities = ['private', 'public'] as const;

export const projectsQuery = Type.Object({
  ...pageQuery,
  q: Type.Optional(
    Type.String({
      ...said(
        'Only projects with this text in their name, slug or description; upper and lower case are the same.',
        '只返回名称、slug 或描述中包含此文本的项目，不区分大小写。',
      ),
      maxLength: 200,
    }),
  ),
  kind: Type.Optional(Type.Enum([...kinds], said('Only projects of this kind.', '只返回此类型的项目。'))),
  archived: Type.Optional(
    Type.Boolean({
      ...said('Archived projects instead of open ones.', '设为 true 时返回已归档的项目，而不是未归档的项目。'),
      default: false,
    }),
  ),
  access: Type.Optional(
    Type.Enum(['owned', 'shared', 'all'], {
      ...said(
        '`owned`: your own projects. `shared`: projects of others in which a model is shared with you. `all`: both. Public projects of others are in no list.',
        '`owned` 表示自己的项目；`shared` 表示他人与你共享了模型的项目；`all` 表示两者。他人的公开项目不会出现在列表中。',
      ),
      default: 'all',
    }),
  ),
});

const name = Type.String({
  ...said('Display name, on one line.', '显示名称，不能换行。'),
  minLength: 1,
  maxLength: 80,
});

/** Not a union: the errors of one would not tell a text that is too long (400) from what is no text (422). */
const description = Type.Unsafe<string | null>({
  ...said('What the project is for; null: nothing is said.', '项目的用途；为 null 表示没有描述。'),
  type: ['string', 'null'],
  maxLength: 500,
});

const kind = Type.Enum([...kinds], {
  ...said('What its models do. It never changes.', '项目中模型的类型，创建后不能更改。'),
  type: 'string',
});

const visibility = (options = {}) =>
  Type.Enum([...visibilities], {
    ...said(
      '`public`: every account may read this record and call the public models of the project.',
      '`public` 表示所有账户都可以查看此项目的基本信息，并调用其中的公开模型。',
    ),
    type: 'string',
    ...options,
  });

const autoSave = (options = {}) =>
  Type.Boolean({
    ...said(
      "The owner's own calls are kept as training data. Text projects only: vectors are never kept.",
      '将所有者自己的调用保存为训练数据。仅适用于文本项目，向量从不保存。',
    ),
    ...options,
  });

const slugRule = said(
  'Its part of addresses: 1 to 64 lower-case letters, digits and hyphens, no hyphen at either end, not `new`, `api` or `settings`. Unique among the projects of its owner; it never changes.',
  '项目在地址中的部分：1 到 64 个小写字母、数字或连字符，首尾不能是连字符，也不能是 `new`、`api`、`settings`。同一所有者的项目之间不能重复，创建后不能更改。',
);

export const createProjectBody = Type.Object({
  name,
  slug: Type.Optional(
    Type.String(
      said(`${slugRule.description} Without it one is made from the name.`, `${slugRule['x-zh']}省略时由名称生成。`),
    ),
  ),
  kind,
  description: Type.Optional(description),
  visibility: Type.Optional(visibility({ default: 'private' })),
  inference_auto_save: Type.Optional(autoSave({ default: false })),
});

export const updateProjectBody = Type.Object({
  name: Type.Optional(name),
  description: Type.Optional(description),
  visibility: Type.Optional(visibility()),
  inference_auto_save: Type.Optional(autoSave()),
  archived: Type.Optional(
    Type.Boolean(
      said(
        'True puts the project into the archive, where it can be read but neither changed nor called; false takes it out.',
        'true 表示归档：归档后只能读取，不能修改或调用；false 表示取消归档。',
      ),
    ),
  ),
  kind: Type.Optional(Type.String(said('Fixed: only the present value is taken.', '不能更改：只接受当前值。'))),
  slug: Type.Optional(Type.String(said('Fixed: only the present value is taken.', '不能更改：只接受当前值。'))),
});

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });

export const projectSchema = Type.Object(
  {
    id: Type.String(said('Id of the project.', '项目的 ID。')),
    owner: Type.Object(
      {
        id: Type.String(said('Id of the account.', '账户的 ID。')),
        slug: Type.String(said('Slug of the account.', '账户的 slug。')),
      },
      said('The account that it belongs to.', '项目所属的账户。'),
    ),
    slug: Type.String(slugRule),
    name,
    description: nullable(
      Type.String(),
      said(
        'What the project is for; null: nothing is said, or the project is private and somebody else reads it.',
        '项目的用途；为 null 表示没有描述，或者查看者并非该私有项目的所有者。',
      ),
    ),
    kind,
    visibility: visibility(),
    inference_auto_save: autoSave(),
    caller_role: Type.Enum(
      ['owner', 'shared', 'public'],
      said(
        'What the caller is to it: its owner, somebody whom a model is shared with, or anybody, as it is public.',
        '调用者的身份：`owner` 为所有者，`shared` 为被共享了模型的账户，`public` 为可查看公开项目的任意账户。',
      ),
    ),
    inference_base_url: Type.String({
      ...said('Base URL for OpenAI clients.', '供 OpenAI 客户端使用的 base URL。'),
      format: 'uri',
    }),
    counts: nullable(
      Type.Object({
        datasets: count('Datasets.', '数据集的数量。'),
        training_jobs: count('Training jobs.', '训练任务的数量。'),
        hosted_models: count('Hosted model aliases, active or not.', '托管模型别名的数量，包括未启用的。'),
        pending_retrieval_events: count('Retrieval events that wait for a decision.', '待处理的检索事件的数量。'),
      }),
      said('What it holds; null for everybody but the owner.', '项目中各类内容的数量；非所有者为 null。'),
    ),
    archived_at: nullable(
      timestamp(said('When it was archived.', '归档时间。')),
      said('When it was archived; null: it is open.', '归档时间；为 null 表示未归档。'),
    ),
    created_at: timestamp(said('When it was made.', '创建时间。')),
    updated_at: timestamp(said('When it was last changed.', '最后修改时间。')),
  },
  { $id: 'Project', ...said('A project as the caller may see it.', '调用者可见的项目信息。') },
);

export type ProjectWire = Static<typeof projectSchema>;

/** `publicUrl`: where the caller reaches the service. */
export function projectToWire({ project, role, counts }: ShownProject, publicUrl: string): ProjectWire {
  const isOpen = role === 'owner' || project.visibility === 'public';
  return {
    id: project.id,
    owner: { id: project.accountId, slug: project.ownerSlug },
    slug: project.slug,
    name: project.name,
    // A share of a model tells the project's name, not what its owner says of it.
    description: isOpen ? project.description : null,
    kind: project.kind,
    visibility: project.visibility,
    inference_auto_save: project.inferenceAutoSave,
    caller_role: role,
    inference_base_url: inferenceBaseUrl(publicUrl, project),
    counts: counts && {
      datasets: counts.datasets,
      training_jobs: counts.trainingJobs,
      hosted_models: counts.hostedModels,
      pending_retrieval_events: counts.pendingRetrievalEvents,
    },
    archived_at: project.archivedAt?.toISOString() ?? null,
    created_at: project.createdAt.toISOString(),
    updated_at: project.updatedAt.toISOString(),
  };
}

/** Base URL of the compatible routes of a project, for OpenAI clients. */
export function inferenceBaseUrl(publicUrl: string, { ownerSlug, slug }: { ownerSlug: string; slug: string }): string {
  return `${publicUrl}/api/projects/${ownerSlug}/${slug}/openai/v1`;
}
