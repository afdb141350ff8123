import Type from 'typebox';
import { type Contract, nullable, said } from '#http';

const modelSchema = Type.Object(
  {
    type: Type.Literal('model', said('Kind of object.', '对象类型。')),
    id: Type.String(said('Use it as `model` in calls.', '调用时作为 `model` 使用。')),
    display_name: Type.String(said('Its name for people.', '供人阅读的名称。')),
    created_at: Type.String({ ...said('Since when it is there.', '创建时间。'), format: 'date-time' }),
  },
  { $id: 'MessagesModel' },
);

const example = { type: 'model', id: 'chat', display_name: 'Chat', created_at: '2026-01-02T03:04:05.000Z' };

export const modelsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ ...said('Models on a page.', '每页的模型数。'), minimum: 1, maximum: 1_000, default: 20 }),
  ),
  after_id: Type.Optional(Type.String(said('Only models behind this one.', '仅返回此模型之后的模型。'))),
  before_id: Type.Optional(Type.String(said('Only models in front of this one.', '仅返回此模型之前的模型。'))),
});

const edge = (english: string, chinese: string) =>
  nullable(Type.String(said(english, chinese)), said('Null where there is none.', '没有时为 null。'));

export const listContract: Contract = {
  tag: 'inference',
  summary: said('List the models for messages', '列出可用于消息的模型'),
  description: said(
    'The hosted models that the caller may call here, the newest first, as Anthropic lists them.',
    '调用者在此项目中可调用的托管模型，按时间倒序，采用 Anthropic 的列表格式。',
  ),
  answers: {
    200: {
      description: said('The models.', '模型列表。'),
      schema: Type.Object({
        data: Type.Array(modelSchema, said('The models.', '模型。')),
        has_more: Type.Boolean(said('There are more in this direction.', '此方向上还有更多。')),
        first_id: edge('The first one.', '第一个模型的 ID。'),
        last_id: edge('The last one.', '最后一个模型的 ID。'),
      }),
      example: { data: [example], has_more: false, first_id: 'chat', last_id: 'chat' },
    },
  },
};

export const retrieveContract: Contract = {
  tag: 'inference',
  summary: said('Get a model for messages', '获取可用于消息的模型'),
  description: said('One of the models that the list shows.', '查询模型列表中的一个模型。'),
  answers: { 200: { description: said('The model.', '模型。'), schema: modelSchema, example } },
  faults: ['model_not_found'],
};

export const about = {
  type: 'api',
  name: 'Fanfold',
  description: 'The base URL of clients that speak the Messages API of Anthropic.',
  endpoints: ['POST v1/messages', 'POST v1/messages/count_tokens', 'GET v1/models'],
};

export const aboutContract: Contract = {
  tag: 'inference',
  summary: said('Say what is at this base URL', '说明此基础 URL'),
  description: said(
    'For clients that try their base URL first. It needs no key.',
    '供会先试探基础 URL 的客户端使用，无需密钥。',
  ),
  answers: {
    200: {
      description: said('What is served here.', '此处提供的接口。'),
      schema: Type.Object({
        type: Type.Literal('api', said('Kind of object.', '对象类型。')),
        name: Type.String(said('Who serves it.', '提供者。')),
        description: Type.String(said('What it is.', '说明。')),
        endpoints: Type.Array(Type.String(), said('Paths below the base URL.', '基础 URL 之下的路径。')),
      }),
      example: about,
    },
  },
};
