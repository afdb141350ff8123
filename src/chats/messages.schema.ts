import Type, { type Static } from 'typebox';
import { creditsText, nullable, said, timestamp } from '#http';
import { finishReasonSchema, toolCallsSchema, usageSchema } from '#inference';
import { formatCredits } from '#kernel';
import { paramsBody } from './chats.schema.ts';
import type { MessageRow } from './messages.store.ts';

const params = Type.Optional(paramsBody);
const stream = Type.Optional(
  Type.Boolean({
    ...said('Whether the answer comes as events or as JSON.', '以事件流还是 JSON 返回回答。'),
    default: true,
  }),
);

export const createMessageBody = Type.Object({
  content: Type.String({ ...said('What you say.', '发言内容。'), minLength: 1 }),
  params,
  stream,
  replace_message_id: Type.Optional(
    Type.String({
      ...said(
        'To edit and send again: one of your messages; it and all after it are dropped.',
        '用于编辑重发：您之前的某条消息；该消息及其后的全部消息会被删除。',
      ),
      maxLength: 64,
    }),
  ),
});

export const retryBody = Type.Object({ params, stream });

export const messageSchema = Type.Object(
  {
    id: Type.String(said('Id of the message.', '消息的 ID。')),
    seq: Type.Integer({ ...said('Its place in the chat.', '在对话中的序号。'), minimum: 1 }),
    role: Type.Enum(['user', 'assistant', 'tool'], said('Who speaks.', '消息的角色。')),
    content: nullable(
      Type.String(),
      said('What is said, as far as it goes; null: nothing yet.', '消息内容（可能不完整）；为 null 表示尚无内容。'),
    ),
    reasoning_content: nullable(Type.String(), said('What the model thought first.', '模型回答前的推理内容。')),
    tool_calls: nullable(toolCallsSchema, said('Tools that the model calls.', '模型发起的工具调用。')),
    state: Type.Enum(
      ['queued', 'streaming', 'complete', 'failed', 'stopped'],
      said(
        '`queued`: the model has not begun, or is starting (then `error` says when to try again); what failed or was stopped keeps what there is of it.',
        '`queued`：模型尚未开始，或正在启动（此时 `error` 说明何时重试）；失败或停止的回答保留已生成的部分。',
      ),
    ),
    attempt: Type.Integer({ ...said('Which attempt at an answer this is.', '第几次作答。'), minimum: 1 }),
    error: nullable(
      Type.Object({
        code: Type.String(said('Code of the error.', '错误码。')),
        message: Type.String(said('What is wrong, in English.', '错误说明（英文）。')),
        retryable: Type.Boolean(said('Whether the same may succeed later.', '稍后重试是否可能成功。')),
        retry_after_s: nullable(Type.Integer(), said('After how many seconds.', '建议等待的秒数。')),
      }),
      said('Why it failed.', '失败原因。'),
    ),
    finish_reason: nullable(finishReasonSchema, said('Null unless it is complete.', '未完成时为 null。')),
    usage: nullable(usageSchema, said('What the model counted.', '模型统计的用量。')),
    request: nullable(
      Type.Object({}, { additionalProperties: true }),
      said(
        'The body with which `P/chat/completions` makes the same call.',
        '在 `P/chat/completions` 上发起同一调用的请求体。',
      ),
    ),
    request_id: nullable(Type.String(), said('The request that made it.', '生成该消息的请求 ID。')),
    model_revision: nullable(
      Type.Integer(),
      said('Revision of the hosted model; null for a base model.', '托管模型的修订号；基础模型为 null。'),
    ),
    active_ms: Type.Integer({ ...said('Active time, ms.', '活跃时间（毫秒）。'), minimum: 0 }),
    credits: creditsText(said('What it cost.', '费用（额度）。')),
    created_at: timestamp(said('When it was made.', '创建时间。')),
    finished_at: nullable(timestamp(said('When it ended; null: not yet.', '结束时间；为 null 表示尚未结束。'))),
  },
  { $id: 'ChatMessage', ...said('A message of a chat.', '对话中的一条消息。') },
);

export type MessageWire = Static<typeof messageSchema>;

export const answerSchema = Type.Object({
  user_message: nullable(messageSchema, said('What you said.', '您的消息。')),
  message: messageSchema,
});

export function messageToWire(message: MessageRow): MessageWire {
  const { seq, id, role, state, attempt } = message;
  return {
    ...{ id, seq, role, content: message.content, reasoning_content: message.reasoning },
    // as: what is stored was made in these shapes.
    tool_calls: message.toolCalls as MessageWire['tool_calls'],
    ...{ state, attempt, error: message.error },
    finish_reason: message.finishReason as MessageWire['finish_reason'],
    usage: message.usage as MessageWire['usage'],
    request: message.request,
    request_id: message.requestId,
    model_revision: message.modelRevision,
    active_ms: Math.round(message.activeMs),
    credits: formatCredits(message.creditsMicro),
    created_at: message.createdAt.toISOString(),
    finished_at: message.finishedAt?.toISOString() ?? null,
  };
}
