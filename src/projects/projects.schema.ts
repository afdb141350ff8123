import Type, { type Static } from 'typebox';
import { nullable, pageQuery, timestamp } from '#http';
import type { ShownProject } from './project-list.ts';

const kinds = ['text', 'embedding'] as const;
const visibilities = ['private', 'public'] as const;

export const projectsQuery = Type.Object({
  ...pageQuery,
  q: Type.Optional(
    Type.String({
      description:
        'Only projects with this text in their name, slug or description; upper and lower case are the same.',
      maxLength: 200,
    }),
  ),
  kind: Type.Optional(Type.Enum([...kinds], { description: 'Only projects of this kind.' })),
  archived: Type.Optional(
    Type.Boolean({
      description: 'Archived projects instead of open ones.',
      default: false,
    }),
  ),
  access: Type.Optional(
    Type.Enum(['owned', 'shared', 'all'], {
      description:
        '`owned`: your own projects. `shared`: projects of others in which a model is shared with you. `all`: both. Public projects of others are in no list.',
      default: 'all',
    }),
  ),
});

const name = Type.String({
  description: 'Display name, on one line.',
  minLength: 1,
  maxLength: 80,
});

/** Not a union: the errors of one would not tell a text that is too long (400) from what is no text (422). */
const description = Type.Unsafe<string | null>({
  description: 'What the project is for; null: nothing is said.',
  type: ['string', 'null'],
  maxLength: 500,
});

const kind = Type.Enum([...kinds], {
  description: 'What its models do. It never changes.',
  type: 'string',
});

const visibility = (options = {}) =>
  Type.Enum([...visibilities], {
    description: '`public`: every account may read this record and call the public models of the project.',
    type: 'string',
    ...options,
  });

const autoSave = (options = {}) =>
  Type.Boolean({
    description: "The owner's own calls are kept as training data. Text projects only: vectors are never kept.",
    ...options,
  });

const slugRule =
  'Its part of addresses: 1 to 64 lower-case letters, digits and hyphens, no hyphen at either end, not `new`, `api` or `settings`. Unique among the projects of its owner; it never changes.';

export const createProjectBody = Type.Object({
  name,
  slug: Type.Optional(Type.String({ description: `${slugRule} Without it one is made from the name.` })),
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
    Type.Boolean({
      description:
        'True puts the project into the archive, where it can be read but neither changed nor called; false takes it out.',
    }),
  ),
  kind: Type.Optional(Type.String({ description: 'Fixed: only the present value is taken.' })),
  slug: Type.Optional(Type.String({ description: 'Fixed: only the present value is taken.' })),
});

const count = (description: string) => Type.Integer({ description, minimum: 0 });

export const projectSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the project.' }),
    owner: Type.Object(
      {
        id: Type.String({ description: 'Id of the account.' }),
        slug: Type.String({ description: 'Slug of the account.' }),
      },
      { description: 'The account that it belongs to.' },
    ),
    slug: Type.String({ description: slugRule }),
    name,
    description: nullable(
      Type.String(),
      'What the project is for; null: nothing is said, or the project is private and somebody else reads it.',
    ),
    kind,
    visibility: visibility(),
    inference_auto_save: autoSave(),
    caller_role: Type.Enum(['owner', 'shared', 'public'], {
      description:
        'What the caller is to it: its owner, somebody whom a model is shared with, or anybody, as it is public.',
    }),
    inference_base_url: Type.String({
      description: 'Base URL for OpenAI clients.',
      format: 'uri',
    }),
    counts: nullable(
      Type.Object({
        datasets: count('Datasets.'),
        training_jobs: count('Training jobs.'),
        hosted_models: count('Hosted model aliases, active or not.'),
        pending_retrieval_events: count('Retrieval events that wait for a decision.'),
      }),
      'What it holds; null for everybody but the owner.',
    ),
    archived_at: nullable(timestamp('When it was archived.'), 'When it was archived; null: it is open.'),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { $id: 'Project', description: 'A project as the caller may see it.' },
);

export type ProjectWire = Static<typeof projectSchema>;

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

export function inferenceBaseUrl(publicUrl: string, { ownerSlug, slug }: { ownerSlug: string; slug: string }): string {
  return `${publicUrl}/api/projects/${ownerSlug}/${slug}/openai/v1`;
}
