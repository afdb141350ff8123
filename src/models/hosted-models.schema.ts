import Type from 'typebox';
import { creditsText, nullable, pageQuery, said, timestamp } from '#http';

export const hostedStates = ['inactive', 'warming', 'active', 'failed'] as const;
const visibilities = ['private', 'shared', 'public'] as const;

const stateText = said(
  '`inactive`: refuses calls. `warming`: is loaded and tried once; calls get 503 `model_warming`. `active`: serves. `failed`: the load check failed, `error` says why. A base model is `active` when it is installed, otherwise `inactive`.',
  '`inactive`：拒绝调用。`warming`：正在加载并试运行，调用返回 503 `model_warming`。`active`：可以调用。`failed`：加载检查失败，原因见 `error`。基础模型已安装时为 `active`，否则为 `inactive`。',
);

export const hostedQuery = Type.Object({
  ...pageQuery,
  source: Type.Optional(
    Type.Enum(
      ['alias', 'base'],
      said('Only aliases of the project, or only base models.', '只返回项目的别名，或只返回基础模型。'),
    ),
  ),
  state: Type.Optional(Type.Enum([...hostedStates], said('Only entries in this state.', '只返回处于此状态的条目。'))),
  q: Type.Optional(
    Type.String({
      ...said(
        'Only entries with this text in their alias or display name; upper and lower case are the same.',
        '只返回别名或显示名称中包含此文本的条目，不区分大小写。',
      ),
      maxLength: 200,
    }),
  ),
});

const displayName = Type.String({
  ...said('Display name, on one line.', '显示名称，不能换行。'),
  minLength: 1,
  maxLength: 80,
});

const visibility = (options = {}) =>
  Type.Enum([...visibilities], {
    ...said(
      '`private`: the owner may call it. `shared`: also the accounts that it is shared with. `public`: whoever sees the project. Others pay for their own calls, at the frozen rate.',
      '`private`：仅所有者可调用。`shared`：被共享的账户也可调用。`public`：能看到该项目的账户都可调用。他人的调用由其自己按冻结费率付费。',
    ),
    type: 'string',
    ...options,
  });

const target = Type.Object(
  {
    type: Type.Enum(['base_model', 'training_job'], {
      ...said('What kind of thing it is.', '目标的种类。'),
      type: 'string',
    }),
    id: Type.String({
      ...said(
        'Id of a base model of the catalogue, or of a training job that has succeeded.',
        '目录中基础模型的 ID，或已成功的训练任务的 ID。',
      ),
      minLength: 1,
      maxLength: 128,
    }),
  },
  said(
    'What the alias stands for, of the same kind as the project. Never another alias.',
    '别名指向的目标，类型须与项目一致，不能是另一个别名。',
  ),
);

export const createHostedBody = Type.Object({
  alias: Type.String({
    ...said(
      'The name by which calls say `model`, such as `chat`, `gpt-5.1` or `org/model:tag`: 1 to 63 lower-case letters, digits, `.`, `_`, `-`, `/` and `:`, with a letter or digit first and after each `/` and `:`. Unique in the project, and not the id of a base model. It never changes.',
      '调用时 `model` 使用的名称，例如 `chat`、`gpt-5.1` 或 `org/model:tag`：1 到 63 个小写字母、数字、`.`、`_`、`-`、`/` 或 `:`，开头以及每个 `/` 和 `:` 之后须为字母或数字。在项目内唯一，且不能与基础模型的 ID 相同，创建后不能更改。',
    ),
  }),
  target,
  display_name: Type.Optional(displayName),
  visibility: Type.Optional(visibility({ default: 'private' })),
  activate: Type.Optional(Type.Boolean({ ...said('Activate it at once.', '创建后立即启用。'), default: false })),
});

export const updateHostedBody = Type.Object({
  display_name: Type.Optional(displayName),
  visibility: Type.Optional(visibility()),
  target: Type.Optional(target),
});

export const rollbackBody = Type.Object({
  revision: Type.Integer({
    ...said('The earlier revision to go back to.', '要回退到的较早修订号。'),
    minimum: 1,
    maximum: 2_147_483_647,
  }),
});

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });
const limit = (english: string, chinese: string) => nullable(Type.Integer({ minimum: 1 }), said(english, chinese));

export const frozenRate = Type.Object(
  {
    credits_per_gpu_minute: creditsText(said('Credits for a minute of active time.', '每分钟活跃时间的额度。')),
    frozen_at: nullable(
      timestamp(said('Since when.', '冻结时间。')),
      said('Since when it is frozen; null: it follows the catalogue.', '冻结的时间；为 null 表示随目录变化。'),
    ),
    price_version: Type.String(said('The price list that it is from.', '费率所依据的价目表版本。')),
  },
  {
    $id: 'FrozenRate',
    ...said(
      'What every caller pays. Frozen when the model is activated or its target changes; later changes of the catalogue do not touch it.',
      '所有调用者支付的费率。在启用或更换目标时冻结，之后目录价格变化不影响它。',
    ),
  },
);

export const ownerSchema = Type.Object(
  {
    id: Type.String(said('Id of the account.', '账户的 ID。')),
    slug: Type.String(said('Slug of the account.', '账户的 slug。')),
  },
  { $id: 'AccountName', ...said('The account that owns the project.', '项目所属的账户。') },
);

export const hostedSchema = Type.Object(
  {
    id: Type.String(
      said('Id of the alias; of a base model, its name in calls.', '别名的 ID；基础模型则为其调用名称。'),
    ),
    alias: Type.String(said('What calls say as `model`.', '调用时 `model` 使用的名称。')),
    display_name: Type.String(said('Display name.', '显示名称。')),
    source: Type.Enum(
      ['alias', 'base'],
      said(
        '`alias`: of this project. `base`: a base model, which every project has and only its owner may call.',
        '`alias`：本项目的别名。`base`：基础模型，每个项目都有，仅项目所有者可调用。',
      ),
    ),
    kind: Type.Enum(['text', 'embedding'], said('What it does.', '模型类型。')),
    target,
    base_model: Type.String(said('Id of the base model behind the target.', '目标所基于的基础模型的 ID。')),
    revision: nullable(
      Type.Integer({ minimum: 1 }),
      said('Counts the targets that the alias has had; null: a base model.', '别名更换目标的计数；基础模型为 null。'),
    ),
    revision_sha256: nullable(
      Type.String(),
      said(
        'SHA-256 of the file that the load check of this revision met; null: not checked yet.',
        '该修订通过加载检查时所用文件的 SHA-256；为 null 表示尚未检查。',
      ),
    ),
    enabled: Type.Boolean(said('The owner wants it to serve.', '所有者是否希望它提供服务。')),
    state: Type.Enum([...hostedStates], stateText),
    runtime: Type.Object(
      {
        status: Type.Enum(
          ['cold', 'loading', 'ready', 'sleeping', 'failed'],
          said(
            'The base model in the engine that answers this request; a cold one loads with the next call.',
            '处理本请求的引擎中基础模型的状态；`cold` 会在下次调用时加载。',
          ),
        ),
        eta_ms: nullable(
          Type.Integer({ minimum: 0 }),
          said('How long it still loads, ms.', '预计剩余加载时间，毫秒。'),
        ),
        loaded_at: nullable(
          timestamp(said('Since when it is loaded.', '加载完成的时间。')),
          said('Since when it is loaded.', '加载完成的时间。'),
        ),
      },
      said('What the engine has of it at present.', '引擎中的当前状态。'),
    ),
    visibility: visibility(),
    share_count: count('Shares that have not expired.', '未过期的共享数量。'),
    limits: Type.Object(
      {
        max_context_tokens: limit('Prompt and answer together.', '提示词与回答的词元总数上限。'),
        max_input_tokens: limit('One input of an embedding model.', '嵌入模型单个输入的词元上限。'),
        max_inputs: limit('Inputs of one embedding request.', '单个嵌入请求的输入数量上限。'),
        request_token_budget: limit('All inputs of one embedding request.', '单个嵌入请求的词元总数上限。'),
      },
      said('Limits of one call; null where one does not apply.', '单次调用的限制；不适用时为 null。'),
    ),
    dimensions: limit('Vector size; null: a text model.', '向量维度；文本模型为 null。'),
    query_instruction: nullable(
      Type.String(),
      said('Put in front of inputs of type `query`.', '加在 `query` 类型输入之前的指令。'),
    ),
    rate: frozenRate,
    error: nullable(
      Type.Object({
        code: Type.String(said('Why it failed, for programs.', '失败原因代码。')),
        message: Type.String(said('Why it failed, for people.', '失败原因说明。')),
      }),
      said('Set while it is `failed`.', '状态为 `failed` 时给出。'),
    ),
    owner: nullable(
      ownerSchema,
      said('The owner of the project; null: a base model.', '项目所有者；基础模型为 null。'),
    ),
    created_at: timestamp(said('When it was made.', '创建时间。')),
    updated_at: timestamp(said('When it was last changed.', '最后修改时间。')),
    last_called_at: nullable(
      timestamp(said('Exact to a minute.', '精确到分钟。')),
      said('When it was last called, exact to a minute.', '最近一次调用的时间，精确到分钟。'),
    ),
  },
  { $id: 'HostedModel', ...said('An alias of the project, or a base model.', '项目的别名，或基础模型。') },
);

export const revisionSchema = Type.Object(
  {
    revision: Type.Integer({ ...said('Its number, from 1.', '修订号，从 1 开始。'), minimum: 1 }),
    current: Type.Boolean(said('This is what the alias stands for.', '是否为当前修订。')),
    target,
    base_model: Type.String(said('Id of the base model behind the target.', '目标所基于的基础模型的 ID。')),
    revision_sha256: nullable(
      Type.String(),
      said('SHA-256 of the file that its load check met.', '通过加载检查时所用文件的 SHA-256。'),
    ),
    rate: frozenRate,
    restored_from: nullable(
      Type.Integer({ minimum: 1 }),
      said('The earlier revision that a rollback went back to.', '由回退产生时，所回退到的较早修订号。'),
    ),
    created_by: nullable(
      Type.Object({
        kind: Type.Enum(['account', 'api_key', 'system'], said('What it is.', '种类。')),
        id: nullable(Type.String(), said('Its id.', '其 ID。')),
        label: Type.String(said('Its name at that time.', '当时的名称。')),
      }),
      said('Who made it; null: the operator.', '创建者；为 null 表示由运维人员创建。'),
    ),
    created_at: timestamp(said('When it was made.', '创建时间。')),
  },
  { $id: 'Revision', ...said('One target that the alias has had.', '别名曾经指向的一个目标。') },
);
