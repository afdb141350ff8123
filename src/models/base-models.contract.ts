import Type from 'typebox';
import { type Contract, creditsText, nullable, pageSchema, type Said, said, timestamp } from '#http';
import { chatDefaults } from './base-model.ts';

const defaultsSchema = Type.Object(
  {
    max_tokens: Type.Integer(said('Most tokens of an answer, reasoning included.', '回答的最大词元数，含推理部分。')),
    temperature: Type.Number(said('Randomness of the choice of tokens.', '采样温度。')),
    top_p: Type.Number(said('Share of probability that tokens are chosen from.', '核采样的概率阈值。')),
    reasoning_effort: Type.Null(
      said("Nothing is sent: the model's own default applies.", '不发送任何值，采用模型自身的默认行为。'),
    ),
    stream: Type.Boolean(said('Whether the answer is streamed.', '是否流式返回。')),
  },
  said(
    'What a chat request means where it is silent; the same for every model.',
    '对话请求省略字段时的默认值；所有模型相同。',
  ),
);

/** Figures of embedding models only. */
const ofEmbedding = (text: Said) => nullable(Type.Integer(text), said('Null for text models.', '文本模型为 null。'));

const capabilitiesSchema = Type.Object(
  {
    streaming: Type.Boolean(said('Answers can be streamed.', '支持流式返回。')),
    tools: Type.Boolean(said('The chat template knows tools.', '对话模板支持工具。')),
    reasoning_effort: Type.Array(
      Type.Enum(['none', 'low', 'high']),
      said(
        'Values that change what the model does; none: it has no reasoning.',
        '对模型有效的取值；为空表示不具备推理能力。',
      ),
    ),
    embeddings: Type.Boolean(said('It makes vectors.', '可生成向量。')),
    max_inputs: ofEmbedding(said('Most inputs of a request.', '单次请求的最大输入数。')),
    max_input_tokens: ofEmbedding(said('Most tokens of an input.', '单个输入的最大词元数。')),
    request_token_budget: ofEmbedding(said('Most tokens of all inputs together.', '单次请求所有输入的词元总数上限。')),
  },
  said('What the model understands.', '模型的能力。'),
);

const trainingSchema = Type.Object(
  {
    supported: Type.Boolean(said('Training jobs may start from it.', '可作为训练任务的起点。')),
    hyperparameters: Type.Object(
      {},
      said('Hyperparameters with their defaults and bounds.', '超参数及其默认值与取值范围。'),
    ),
    max_seq_lengths: Type.Array(Type.Integer(), said('Sequence lengths to choose from.', '可选的序列长度。')),
  },
  said('How it can be trained.', '训练方式。'),
);

const rateSchema = Type.Object(
  {
    credits_per_gpu_minute: creditsText(said('Credits for a minute of active time.', '每分钟有效时间的额度。')),
    price_version: Type.String(said('The price list that it is from.', '所属价目版本。')),
  },
  said('What calls cost.', '调用费率。'),
);

const baseModelSchema = Type.Object(
  {
    id: Type.String(
      said('Use it as `model` in calls inside an own project.', '在自己的项目中调用时作为 `model` 使用。'),
    ),
    name: Type.String(said('Name for people.', '供人阅读的名称。')),
    kind: Type.Enum(['text', 'embedding'], said('What it makes.', '模型类型。')),
    parameters: Type.Integer(said('Number of weights.', '参数量。')),
    license: nullable(
      Type.String(said('SPDX id of the license.', '许可证的 SPDX 标识。')),
      said('Null when unknown.', '未知时为 null。'),
    ),
    max_context_tokens: Type.Integer(
      said(
        'Most tokens of a call: prompt and answer of a text model, one input of an embedding model.',
        '单次调用的最大词元数：文本模型为提示词与回答之和，嵌入模型为单个输入。',
      ),
    ),
    dimensions: ofEmbedding(said('Size of its vectors.', '向量维数。')),
    query_instruction: nullable(
      Type.String(said('Put in front of inputs of type `query`.', '加在 `query` 类输入之前的指令。')),
      said('Null: nothing is.', '为 null 表示不添加。'),
    ),
    inference: Type.Object(
      { defaults: defaultsSchema, capabilities: capabilitiesSchema },
      said('How it is called.', '调用方式。'),
    ),
    training: trainingSchema,
    serving: Type.Object(
      {
        available: Type.Boolean(
          said('Its file is installed, or a remote engine serves it.', '模型文件已安装，或由远程引擎提供服务。'),
        ),
        runtime_status: nullable(
          Type.Enum(['cold', 'loading', 'ready', 'failed'], said('What the engine does with it.', '引擎中的状态。')),
          said('Null while it is not installed.', '未安装时为 null。'),
        ),
      },
      said('Whether it can be called now.', '当前是否可用。'),
    ),
    revision: nullable(
      Type.String(said('SHA-256 of its file.', '模型文件的 SHA-256。')),
      said('Null while it is not installed.', '未安装时为 null。'),
    ),
    rate: rateSchema,
    created_at: timestamp(said('When it was listed.', '收录时间。')),
  },
  { $id: 'BaseModel' },
);

const example = {
  id: 'fanfold-tiny-chat',
  name: 'Fanfold Tiny Chat',
  kind: 'text',
  parameters: 2_755_776,
  license: 'Apache-2.0',
  max_context_tokens: 4096,
  dimensions: null,
  query_instruction: null,
  inference: {
    defaults: chatDefaults,
    capabilities: {
      streaming: true,
      tools: true,
      reasoning_effort: ['none', 'low', 'high'],
      embeddings: false,
      max_inputs: null,
      max_input_tokens: null,
      request_token_budget: null,
    },
  },
  training: { supported: false, hyperparameters: {}, max_seq_lengths: [] },
  serving: { available: true, runtime_status: 'ready' },
  revision: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  rate: { credits_per_gpu_minute: '0.030000', price_version: '2026-11-20' },
  created_at: '2026-11-20T00:00:00.000Z',
};

export const listContract: Contract = {
  tag: 'base_models',
  summary: said('List the base models', '列出基础模型'),
  description: said(
    'The catalogue with the models that were added to this installation, newest first. A base model can be called in your own projects only.',
    '目录中的模型以及本安装中添加的模型，按时间倒序排列。基础模型只能在自己的项目中调用。',
  ),
  answers: {
    200: {
      description: said('A page of base models.', '一页基础模型。'),
      schema: pageSchema(baseModelSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
};
