import Type, { type Static } from 'typebox';
import { nullable, pageQuery, said, timestamp } from '#http';
import { toolsSchema } from '#inference';
import { chatDefaults } from '#models';
import type { ChatRow } from './chats.store.ts';
import { resolveParams } from './params.ts';

const fields = {
  max_tokens: Type.Integer({ ...said('Most tokens of an answer.', '单条回答的最大词元数。'), minimum: 1 }),
  temperature: Type.Number({
    ...said('0: always the likeliest token.', '采样温度；0 表示总取最可能的词元。'),
    minimum: 0,
    maximum: 2,
  }),
  top_p: Type.Number({
    ...said('Share of probability that tokens are taken from.', '核采样的概率阈值。'),
    minimum: 0,
    maximum: 1,
  }),
  effort: Type.Enum(['none', 'low', 'high'], said('`none` turns reasoning off.', '`none` 关闭推理。')),
};

const effortText = said(
  'How much the model reasons; null: nothing is sent, it does as it likes.',
  '推理强度；为 null 表示不发送，由模型自行决定。',
);

/** As it may be sent: null stands for the default. */
export const paramsBody = Type.Object(
  {
    max_tokens: Type.Optional(nullable(fields.max_tokens, { default: chatDefaults.max_tokens })),
    temperature: Type.Optional(nullable(fields.temperature, { default: chatDefaults.temperature })),
    top_p: Type.Optional(nullable(fields.top_p, { default: chatDefaults.top_p })),
    reasoning_effort: Type.Optional(nullable(fields.effort, effortText)),
    tools: Type.Optional(nullable(toolsSchema, said('Tools that the model may call.', '模型可调用的工具。'))),
  },
  said(
    'How answers are made; what is left out or null has the default of the base models.',
    '回答的生成参数；省略或为 null 时取基础模型的默认值。',
  ),
);

const title = Type.String({
  ...said('Name of the chat; without one its first message gives it.', '对话名称；省略时取自首条消息。'),
  minLength: 1,
  maxLength: 80,
});
const model = nullable(
  Type.String({ maxLength: 200, minLength: 1 }),
  said(
    'Who answers: a hosted model or a base model, as in `model` of calls.',
    '作答的模型：托管模型或基础模型，同调用中的 `model`。',
  ),
);
const systemPrompt = nullable(
  Type.String({ maxLength: 8000 }),
  said('Instructions before the conversation.', '对话之前的系统指令。'),
);

const sent = {
  title: Type.Optional(title),
  model: Type.Optional(model),
  system_prompt: Type.Optional(systemPrompt),
  params: Type.Optional(paramsBody),
};

export const createChatBody = Type.Object(sent);

export const updateChatBody = Type.Object({
  ...sent,
  archived: Type.Optional(Type.Boolean(said('Whether it is out of the way.', '是否归档。'))),
});

export const chatsQuery = Type.Object({
  ...pageQuery,
  q: Type.Optional(
    Type.String({ ...said('Only chats whose title holds this.', '只返回标题包含该文字的对话。'), maxLength: 200 }),
  ),
  archived: Type.Optional(
    Type.Boolean({ ...said('Archived ones instead of the others.', '返回已归档的对话。'), default: false }),
  ),
});

export const chatSchema = Type.Object(
  {
    id: Type.String(said('Id of the chat.', '对话的 ID。')),
    title: Type.String(said('Its name; empty until the first message.', '名称；首条消息之前为空。')),
    model: nullable(Type.String(), said('Who answers; null: not chosen yet.', '作答的模型；为 null 表示尚未选择。')),
    system_prompt: nullable(Type.String(), said('Instructions before the conversation.', '对话之前的系统指令。')),
    params: Type.Object(
      {
        max_tokens: fields.max_tokens,
        temperature: fields.temperature,
        top_p: fields.top_p,
        reasoning_effort: nullable(fields.effort, effortText),
        tools: nullable(
          Type.Array(Type.Object({}, { additionalProperties: true })),
          said('Tools that the model may call; null: none.', '模型可调用的工具；为 null 表示没有。'),
        ),
      },
      said('How answers are made, with defaults filled in.', '回答的生成参数，已填入默认值。'),
    ),
    message_count: Type.Integer({ ...said('Messages in it.', '消息数。'), minimum: 0 }),
    last_message_at: nullable(timestamp(said('When something was said last.', '最近一次发言的时间。'))),
    archived_at: nullable(timestamp(said('When it was archived; null: it is open.', '归档时间；为 null 表示未归档。'))),
    created_at: timestamp(said('When it was made.', '创建时间。')),
    updated_at: timestamp(said('When it last changed.', '最近一次更改的时间。')),
  },
  { $id: 'Chat', ...said('A conversation of the playground.', '体验场中的一段对话。') },
);

export function chatToWire(chat: ChatRow): Static<typeof chatSchema> {
  const { tools, ...params } = resolveParams(chat.params);
  return {
    id: chat.id,
    title: chat.title,
    model: chat.model,
    system_prompt: chat.systemPrompt,
    // as: tools were read as a list of objects before they were stored.
    params: { ...params, tools: tools as Record<string, unknown>[] | null },
    message_count: chat.messageCount,
    last_message_at: chat.lastMessageAt?.toISOString() ?? null,
    archived_at: chat.archivedAt?.toISOString() ?? null,
    created_at: chat.createdAt.toISOString(),
    updated_at: chat.updatedAt.toISOString(),
  };
}
