import Type, { type Static } from 'typebox';
import { nullable, pageQuery, projectAddress, timestamp } from '#http';
import { inferenceBaseUrl } from '#projects';
import type { BaseModel } from './base-model.ts';
import { stateOfBase } from './hosted-list.ts';
import { frozenRate, hostedStates, ownerSchema } from './hosted-models.schema.ts';
import type { FinishedJob, TrainedFacts } from './hosted-target.ts';
import { rateToWire } from './hosted-wire.ts';
import { type ModelKind, modelKinds } from './model-kinds.ts';
import type { RegistryRow } from './model-registry.store.ts';
import type { ModelListEntry } from './model-registry.ts';
import { isServed } from './resolve.ts';

export const registryQuery = Type.Object({
  ...pageQuery,
  source: Type.Optional(
    Type.Enum(['hosted', 'training_job', 'base'], {
      description: 'Only hosted models, only training jobs, or only base models.',
    }),
  ),
  kind: Type.Optional(Type.Enum([...modelKinds], { description: 'Only models of this kind.' })),
  state: Type.Optional(Type.Enum([...hostedStates], { description: 'Only models in this state.' })),
  project: projectAddress('Only models of this project, `{owner}/{project}`.'),
  q: Type.Optional(
    Type.String({
      description: 'Only models with this text in their name; upper and lower case are the same.',
      maxLength: 200,
    }),
  ),
  access: Type.Optional(
    Type.Enum(['owned', 'shared', 'public', 'all'], {
      description:
        '`owned`: of your own projects. `shared`: shared with you. `public`: public models of projects of others that you see, and base models.',
      default: 'all',
    }),
  ),
});

const limit = (description: string) => nullable(Type.Integer({ minimum: 1 }), description);

const reasons = ['inactive', 'warming', 'failed', 'project_archived', 'not_installed', 'no_project'] as const;

export const registrySchema = Type.Object(
  {
    ref: Type.String({ description: 'What calls say as `model`.' }),
    source: Type.Enum(['hosted', 'training_job', 'base'], { description: 'What kind of model it is.' }),
    name: Type.String({ description: 'Display name.' }),
    kind: Type.Enum([...modelKinds], { description: 'Kind of model.' }),
    project: nullable(
      Type.Object({
        owner: Type.String({ description: "Slug of the project's owner." }),
        slug: Type.String({ description: 'Slug of the project.' }),
      }),
      'Where it is hosted; null: a base model, which is in every project.',
    ),
    owner: nullable(ownerSchema, 'Whose it is; null: a base model.'),
    access: Type.Enum(['owned', 'shared', 'public'], { description: 'Why you may know of it.' }),
    state: Type.Enum([...hostedStates], { description: 'As for hosted models.' }),
    base_model: Type.String({ description: 'Id of the base model behind it.' }),
    revision: nullable(Type.Integer({ minimum: 1 }), 'Revision of a hosted model.'),
    dimensions: limit('Vector size; null: no embedding model.'),
    max_context_tokens: limit('Prompt and answer together; null: no text model.'),
    max_input_tokens: limit('One input, of a reranker query and document; null: a text model.'),
    callable: Type.Boolean({ description: 'You can call it now.' }),
    not_callable_reason: nullable(
      Type.Enum([...reasons], { type: 'string' }),
      'Why not. `no_project`: base models are called in a project of your own, and you have none of this kind.',
    ),
    call: Type.Object(
      {
        base_url: nullable(
          Type.String({ format: 'uri' }),
          'Base URL for OpenAI clients; null: there is no project to call it in.',
        ),
        example_curl: nullable(Type.String(), 'A call for the shell, with the key in `$FANFOLD_API_KEY`.'),
      },
      { description: 'How to call it.' },
    ),
    rate: frozenRate,
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { $id: 'CallableModel', description: 'A model that the account can call, or could.' },
);

export type RegistryWire = Static<typeof registrySchema>;

type RegistryViewer = {
  accountSlug: string;
  publicUrl: string;
  findBase: (id: string) => BaseModel | undefined;
  findJob: (id: string) => TrainedFacts | undefined;
};

export function registryToWire(entry: ModelListEntry, viewer: RegistryViewer): RegistryWire {
  if (entry.source === 'base') return baseToWire(entry, viewer);
  return entry.source === 'hosted' ? hostedToWire(entry.model, viewer) : jobToWire(entry.job, viewer);
}

function jobToWire(job: FinishedJob, { publicUrl, findBase }: RegistryViewer): RegistryWire {
  const { kind, ownerSlug, projectSlug: slug } = job;
  const baseModel = findBase(job.baseModelId);
  const baseUrl = inferenceBaseUrl(publicUrl, { ownerSlug, slug });
  const ref = `training-job#${job.id}`;
  const reason = job.isArchived ? 'project_archived' : baseModel?.installed ? null : 'not_installed';
  return {
    ref,
    source: 'training_job',
    name: job.name,
    kind,
    project: { owner: ownerSlug, slug },
    owner: { id: job.ownerId, slug: ownerSlug },
    access: 'owned',
    state: 'active',
    base_model: job.baseModelId,
    revision: null,
    ...sizesOf(baseModel, job.maxInputTokens),
    ...callability(reason),
    call: { base_url: baseUrl, example_curl: exampleCurl(baseUrl, { ref, kind }) },
    rate: rateToWire({
      rateMicroPerMinute: baseModel?.rateMicroPerMinute ?? 0n,
      priceVersion: baseModel?.priceVersion ?? '',
    }),
    created_at: job.createdAt.toISOString(),
    updated_at: job.finishedAt.toISOString(),
  };
}

function hostedToWire(model: RegistryRow, { publicUrl, findBase, findJob }: RegistryViewer): RegistryWire {
  const { alias, kind, ownerSlug, projectSlug: slug } = model;
  const baseModel = findBase(model.baseModelId);
  const job = model.targetType === 'training_job' ? findJob(model.targetId) : undefined;
  const baseUrl = inferenceBaseUrl(publicUrl, { ownerSlug, slug });
  return {
    ref: alias,
    source: 'hosted',
    name: model.displayName,
    kind,
    project: { owner: ownerSlug, slug },
    owner: { id: model.ownerId, slug: ownerSlug },
    access: model.access,
    state: model.state,
    base_model: model.baseModelId,
    revision: model.revision,
    ...sizesOf(baseModel, job?.maxInputTokens),
    ...callability(whyNotHosted(model, baseModel)),
    call: { base_url: baseUrl, example_curl: exampleCurl(baseUrl, { ref: alias, kind }) },
    rate: rateToWire(model),
    created_at: model.createdAt.toISOString(),
    updated_at: model.updatedAt.toISOString(),
  };
}

function baseToWire(
  { baseModel, home }: Extract<ModelListEntry, { source: 'base' }>,
  { accountSlug, publicUrl }: RegistryViewer,
): RegistryWire {
  const { id, kind, created } = baseModel;
  const baseUrl = home && inferenceBaseUrl(publicUrl, { ownerSlug: accountSlug, slug: home.slug });
  return {
    ref: id,
    source: 'base',
    name: baseModel.name,
    kind,
    project: null,
    owner: null,
    access: 'public',
    state: stateOfBase(baseModel),
    base_model: id,
    revision: null,
    ...sizesOf(baseModel),
    ...callability(isServed(baseModel) ? (home ? null : 'no_project') : 'not_installed'),
    call: { base_url: baseUrl, example_curl: baseUrl && exampleCurl(baseUrl, { ref: id, kind }) },
    rate: rateToWire(baseModel),
    created_at: created.toISOString(),
    updated_at: created.toISOString(),
  };
}

type Reason = NonNullable<RegistryWire['not_callable_reason']>;

function whyNotHosted({ isArchived, state }: RegistryRow, baseModel: BaseModel | undefined): Reason | null {
  if (isArchived) return 'project_archived';
  if (state !== 'active') return state;
  return baseModel && isServed(baseModel) ? null : 'not_installed';
}

function callability(reason: Reason | null) {
  return { callable: reason === null, not_callable_reason: reason };
}

/** `trainedInputTokens`: what a job was trained for, where it says so. */
function sizesOf(model: BaseModel | undefined, trainedInputTokens: number | null = null) {
  const isText = model?.kind === 'text';
  return {
    dimensions: model?.dimensions ?? null,
    max_context_tokens: isText ? model.maxContextTokens : null,
    max_input_tokens: isText ? null : (trainedInputTokens ?? model?.maxInputTokens ?? null),
  };
}

const exampleCalls: Readonly<Record<ModelKind, { path: string; fields: object }>> = {
  text: { path: 'chat/completions', fields: { messages: [{ role: 'user', content: 'Hello!' }] } },
  embedding: { path: 'embeddings', fields: { input: 'Hello!' } },
  reranker: { path: 'rerank', fields: { query: 'Hello!', documents: ['Good day!', 'Goodbye!'] } },
};

/** For a POSIX shell. An alias has no character that a shell or JSON would mind. */
function exampleCurl(baseUrl: string, { ref, kind }: { ref: string; kind: BaseModel['kind'] }): string {
  const { path, fields } = exampleCalls[kind];
  const body = { model: ref, ...fields };
  const headers = `-H "Authorization: Bearer $FANFOLD_API_KEY" -H 'Content-Type: application/json'`;
  return `curl ${baseUrl}/${path} ${headers} -d '${JSON.stringify(body)}'`;
}
