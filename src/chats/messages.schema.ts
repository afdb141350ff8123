import Type, { type Static } from 'typebox';
import { creditsText, nullable, timestamp } from '#http';
import { finishReasonSchema, toolCallsSchema, usageSchema } from '#inference';
import { formatCredits } from '#kernel';
import { paramsBody } from './chats.schema.ts';
import { mostImages } from './images.ts';
import type { MessageRow } from './messages.store.ts';

const params = Type.Optional(paramsBody);
const stream = Type.Optional(
  Type.Boolean({
    description: 'Whether the answer comes as events or as JSON.',
    default: true,
  }),
);

export const createMessageBody = Type.Object({
  content: Type.Optional(Type.String({ description: 'What you say; or send `tool_results`.', minLength: 1 })),
  images: Type.Optional(
    Type.Array(Type.String({ maxLength: 1_048_576 }), {
      description:
        'Images for a model with vision, as `data:` URLs of PNG, JPEG, WebP or GIF. With `replace_message_id`: in place of its images; left out, it keeps them.',
      maxItems: mostImages,
    }),
  ),
  tool_results: Type.Optional(
    Type.Array(
      Type.Object({
        tool_call_id: Type.String({ description: 'The call that this answers.', maxLength: 200 }),
        content: Type.String({ description: 'The result of a tool.' }),
      }),
      {
        description: 'Instead of `content`: the result of each tool that the last answer of the chat calls.',
        minItems: 1,
        maxItems: 128,
      },
    ),
  ),
  params,
  stream,
  replace_message_id: Type.Optional(
    Type.String({
      description: 'To edit and send again: one of your messages; it and all after it are dropped.',
      maxLength: 64,
    }),
  ),
});

export const retryBody = Type.Object({ params, stream });

const ratingSchema = Type.Enum(['up', 'down'], { description: 'Good or bad.' });

export const rateBody = Type.Object({
  rating: nullable(ratingSchema, 'What you think of the answer; null takes it back.'),
});

export const messageSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the message.' }),
    seq: Type.Integer({ description: 'Its place in the chat.', minimum: 1 }),
    role: Type.Enum(['user', 'assistant', 'tool'], { description: 'Who speaks.' }),
    content: nullable(Type.String(), 'What is said, as far as it goes; null: nothing yet.'),
    reasoning_content: nullable(Type.String(), 'What the model thought first.'),
    tool_calls: nullable(toolCallsSchema, 'Tools that the model calls.'),
    tool_call_id: nullable(Type.String(), 'The call that a result answers; null: it is no result of a tool.'),
    images: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of the image.' }),
        media_type: Type.String({ description: 'Its type.' }),
        bytes: Type.Integer({ description: 'Its size.', minimum: 1 }),
      }),
      { description: 'Images that were sent with it.' },
    ),
    rating: nullable(ratingSchema, 'What you think of the answer; null: nothing yet.'),
    state: Type.Enum(['queued', 'streaming', 'complete', 'failed', 'stopped'], {
      description:
        '`queued`: the model has not begun, or is starting (then `error` says when to try again); what failed or was stopped keeps what there is of it.',
    }),
    attempt: Type.Integer({ description: 'Which attempt at an answer this is.', minimum: 1 }),
    error: nullable(
      Type.Object({
        code: Type.String({ description: 'Code of the error.' }),
        message: Type.String({ description: 'What is wrong, in English.' }),
        retryable: Type.Boolean({ description: 'Whether the same may succeed later.' }),
        retry_after_s: nullable(Type.Integer(), 'After how many seconds.'),
      }),
      'Why it failed.',
    ),
    finish_reason: nullable(finishReasonSchema, 'Null unless it is complete.'),
    usage: nullable(usageSchema, 'What the model counted.'),
    request: nullable(
      Type.Object({}, { additionalProperties: true }),
      'The body with which `P/chat/completions` makes the same call; a model of another project, `{owner}/{project}/{alias}`, is called there as `{alias}`. `chat-image:{id}` stands for an image of the chat: put a `data:` URL there.',
    ),
    request_id: nullable(Type.String(), 'The request that made it.'),
    model_revision: nullable(Type.Integer(), 'Revision of the hosted model; null for a base model.'),
    active_ms: Type.Integer({ description: 'Active time, ms.', minimum: 0 }),
    credits: creditsText('What it cost.'),
    created_at: timestamp('When it was made.'),
    finished_at: nullable(timestamp('When it ended; null: not yet.')),
  },
  { $id: 'ChatMessage', description: 'A message of a chat.' },
);

export type MessageWire = Static<typeof messageSchema>;

export const answerSchema = Type.Object({
  user_message: nullable(messageSchema, 'What you said, or the last result of a tool.'),
  message: messageSchema,
});

export function messageToWire(message: MessageRow): MessageWire {
  const { seq, id, role, state, attempt } = message;
  return {
    id,
    seq,
    role,
    content: message.content,
    reasoning_content: message.reasoning,
    // as: what is stored was made in these shapes.
    tool_calls: message.toolCalls as MessageWire['tool_calls'],
    tool_call_id: message.toolCallId,
    images: (message.images ?? []).map(({ id, mediaType, bytes }) => ({ id, media_type: mediaType, bytes })),
    rating: message.rating,
    state,
    attempt,
    error: message.error,
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
