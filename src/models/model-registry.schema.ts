import Type, { type Static } from 'typebox';
import { nullable, pageQuery, projectAddress, said, timestamp } from '#http';
import { inferenceBaseUrl } from '#projects';
import { type BaseModel, isServed } from './base-model.ts';
import { stateOfBase } from './hosted-list.ts';
import { frozenRate, hostedStates, ownerSchema } from './hosted-models.schema.ts';
import type { FinishedJob, TrainedFacts } from './hosted-trained.ts';
import { rateToWire } from './hosted-wire.ts';
import type { RegistryRow } from './model-registry.store.ts';
import type { RegistryEntry } from './model-registry.ts';

export const registryQuery = Type.Object({
  ...pageQuery,
  source: Type.Optional(
    Type.Enum(
      ['hosted', 'training_job', 'base'],
      said('Only hosted models, only training jobs, or only base models.', '只返回托管模型、训练任务或基础模型。'),
    ),
  ),
  kind: Type.Optional(Type.Enum(['text', 'embedding'], said('Only models of this kind.', '只返回此类型的模型。'))),
  state: Type.Optional(Type.Enum([...hostedStates], said('Only models in this state.', '只返回处于此状态的模型。'))),
  project: projectAddress(
    said('Only models of this project, `{owner}/{project}`.', '只返回该项目的模型，格式为 `{owner}/{project}`。'),
  ),
  q: Type.Optional(
    Type.String({
      ...said(
        'Only models with this text in their name; upper and lower case are the same.',
        '只返回名称中包含此文本的模型，不区分大小写。',
      ),
      maxLength: 200,
    }),
  ),
  access: Type.Optional(
    Type.Enum(['owned', 'shared', 'public', 'all'], {
      ...said(
        '`owned`: of your own projects. `shared`: shared with you. `public`: public models of projects of others that you see, and base models.',
        '`owned` 表示自己项目的模型；`shared` 表示共享给你的模型；`public` 表示你能看到的他人项目中的公开模型，以及基础模型。',
      ),
      default: 'all',
    }),
  ),
});

const limit = (english: string, chinese: string) => nullable(Type.Integer({ minimum: 1 }), said(english, chinese));

const reasons = ['inactive', 'warming', 'failed', 'project_archived', 'not_installed', 'no_project'] as const;

export const registrySchema = Type.Object(
  {
    ref: Type.String(said('What calls say as `model`.', '调用时 `model` 使用的值。')),
    source: Type.Enum(['hosted', 'training_job', 'base'], said('What kind of model it is.', '模型来源。')),
    name: Type.String(said('Display name.', '显示名称。')),
    kind: Type.Enum(['text', 'embedding'], said('What it does.', '模型类型。')),
    project: nullable(
      Type.Object({
        owner: Type.String(said("Slug of the project's owner.", '项目所有者的 slug。')),
        slug: Type.String(said('Slug of the project.', '项目的 slug。')),
      }),
      said(
        'Where it is hosted; null: a base model, which is in every project.',
        '所在项目；基础模型属于所有项目，为 null。',
      ),
    ),
    owner: nullable(ownerSchema, said('Whose it is; null: a base model.', '所有者；基础模型为 null。')),
    access: Type.Enum(['owned', 'shared', 'public'], said('Why you may know of it.', '你可以看到它的原因。')),
    state: Type.Enum([...hostedStates], said('As for hosted models.', '含义与托管模型相同。')),
    base_model: Type.String(said('Id of the base model behind it.', '所基于的基础模型的 ID。')),
    revision: nullable(Type.Integer({ minimum: 1 }), said('Revision of a hosted model.', '托管模型的修订号。')),
    dimensions: limit('Vector size; null: a text model.', '向量维度；文本模型为 null。'),
    max_context_tokens: limit(
      'Prompt and answer together; null: an embedding model.',
      '提示词与回答的词元总数上限；嵌入模型为 null。',
    ),
    max_input_tokens: limit('One input; null: a text model.', '单个输入的词元上限；文本模型为 null。'),
    callable: Type.Boolean(said('You can call it now.', '你现在是否可以调用它。')),
    not_callable_reason: nullable(
      Type.Enum([...reasons], { type: 'string' }),
      said(
        'Why not. `no_project`: base models are called in a project of your own, and you have none of this kind.',
        '不可调用的原因。`no_project`：基础模型须在自己的项目中调用，而你没有此类型的项目。',
      ),
    ),
    call: Type.Object(
      {
        base_url: nullable(
          Type.String({ format: 'uri' }),
          said(
            'Base URL for OpenAI clients; null: there is no project to call it in.',
            '供 OpenAI 客户端使用的 base URL；没有可用项目时为 null。',
          ),
        ),
        example_curl: nullable(
          Type.String(),
          said(
            'A call for the shell, with the key in `$FANFOLD_API_KEY`.',
            '可在终端运行的示例，密钥取自 `$FANFOLD_API_KEY`。',
          ),
        ),
      },
      said('How to call it.', '调用方式。'),
    ),
    rate: frozenRate,
    created_at: timestamp(said('When it was made.', '创建时间。')),
    updated_at: timestamp(said('When it was last changed.', '最后修改时间。')),
  },
  { $id: 'CallableModel', ...said('A model that the account can call, or could.', '账户可以调用或可能调用的模型。') },
);

export type RegistryWire = Static<typeof registrySchema>;

/** What an entry is shown with beside its own row. */
export type Viewer = {
  accountSlug: string;
  publicUrl: string;
  findBase: (id: string) => BaseModel | undefined;
  findJob: (id: string) => TrainedFacts | undefined;
};

export function registryToWire(entry: RegistryEntry, viewer: Viewer): RegistryWire {
  if (entry.source === 'base') return baseToWire(entry, viewer);
  return entry.source === 'hosted' ? hostedToWire(entry.model, viewer) : jobToWire(entry.job, viewer);
}

/** A finished job is called in a project of its owner, by its id. */
function jobToWire(job: FinishedJob, { publicUrl, findBase }: Viewer): RegistryWire {
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

function hostedToWire(model: RegistryRow, { publicUrl, findBase, findJob }: Viewer): RegistryWire {
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
  { baseModel, home }: Extract<RegistryEntry, { source: 'base' }>,
  { accountSlug, publicUrl }: Viewer,
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

/** For a POSIX shell. An alias has no character that a shell or JSON would mind. */
function exampleCurl(baseUrl: string, { ref, kind }: { ref: string; kind: BaseModel['kind'] }): string {
  const [path, body] =
    kind === 'text'
      ? ['chat/completions', { model: ref, messages: [{ role: 'user', content: 'Hello!' }] }]
      : ['embeddings', { model: ref, input: 'Hello!' }];
  const headers = `-H "Authorization: Bearer $FANFOLD_API_KEY" -H 'Content-Type: application/json'`;
  return `curl ${baseUrl}/${path} ${headers} -d '${JSON.stringify(body)}'`;
}
