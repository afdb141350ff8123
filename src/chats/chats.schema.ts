import Type, { type Static } from 'typebox';
import { nullable, pageQuery, timestamp } from '#http';
import { responseFormatSchema, samplingFields, toolsSchema } from '#inference';
import { chatDefaults } from '#models';
import type { ChatRow } from './chats.store.ts';
import { resolveParams } from './params.ts';

const fields = {
  max_tokens: Type.Integer({ description: 'Most tokens of an answer.', minimum: 1 }),
  temperature: Type.Number({
    description: '0: always the likeliest token.',
    minimum: 0,
    maximum: 2,
  }),
  top_p: Type.Number({
    description: 'Share of probability that tokens are taken from.',
    minimum: 0,
    maximum: 1,
  }),
  effort: Type.Enum(['none', 'low', 'high'], { description: '`none` turns reasoning off.' }),
};

const effortText = 'How much the model reasons; null: nothing is sent, it does as it likes.';

const formText = 'Form of the answer; the model cannot leave it.';

/** As it may be sent: null stands for the default. */
export const paramsBody = Type.Object(
  {
    max_tokens: Type.Optional(Type.Union([fields.max_tokens, Type.Null()], { default: chatDefaults.max_tokens })),
    temperature: Type.Optional(Type.Union([fields.temperature, Type.Null()], { default: chatDefaults.temperature })),
    top_p: Type.Optional(Type.Union([fields.top_p, Type.Null()], { default: chatDefaults.top_p })),
    reasoning_effort: Type.Optional(nullable(fields.effort, effortText)),
    tools: Type.Optional(nullable(toolsSchema, 'Tools that the model may call.')),
    response_format: Type.Optional(nullable(responseFormatSchema, formText)),
    top_k: samplingFields.top_k,
    seed: samplingFields.seed,
    stop: samplingFields.stop,
    presence_penalty: samplingFields.presence_penalty,
    frequency_penalty: samplingFields.frequency_penalty,
  },
  { description: 'How answers are made; what is left out or null has the default of the base models.' },
);

const title = Type.String({
  description: 'Name of the chat; without one its first message gives it.',
  minLength: 1,
  maxLength: 80,
});
const model = nullable(
  Type.String({ maxLength: 200, minLength: 1 }),
  'Who answers: a hosted model or a base model, as in `model` of calls, or a model of another project that is shared with you, as `{owner}/{project}/{alias}`.',
);
const systemPrompt = nullable(Type.String({ maxLength: 8000 }), 'Instructions before the conversation.');

const sent = {
  title: Type.Optional(title),
  model: Type.Optional(model),
  system_prompt: Type.Optional(systemPrompt),
  params: Type.Optional(paramsBody),
};

export const createChatBody = Type.Object(sent);

export const updateChatBody = Type.Object({
  ...sent,
  archived: Type.Optional(Type.Boolean({ description: 'Whether it is out of the way.' })),
});

export const chatsQuery = Type.Object({
  ...pageQuery,
  q: Type.Optional(
    Type.String({
      description:
        'Only chats whose title holds this, or one of whose messages has these words; the last one may be the beginning of a word.',
      maxLength: 200,
    }),
  ),
  archived: Type.Optional(Type.Boolean({ description: 'Archived ones instead of the others.', default: false })),
});

export const chatSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the chat.' }),
    title: Type.String({ description: 'Its name; empty until the first message.' }),
    model: nullable(Type.String(), 'Who answers; null: not chosen yet.'),
    system_prompt: nullable(Type.String(), 'Instructions before the conversation.'),
    params: Type.Object(
      {
        max_tokens: fields.max_tokens,
        temperature: fields.temperature,
        top_p: fields.top_p,
        reasoning_effort: nullable(fields.effort, effortText),
        tools: nullable(
          Type.Array(Type.Object({}, { additionalProperties: true })),
          'Tools that the model may call; null: none.',
        ),
        response_format: nullable(Type.Object({}, { additionalProperties: true }), formText),
        top_k: nullable(Type.Integer(), 'Tokens are chosen from so many of the likeliest; 0 or -1: from all.'),
        seed: nullable(Type.Integer(), 'Makes the choice of tokens repeatable, as far as possible.'),
        stop: Type.Array(Type.String(), { description: 'Texts that end the answer; they are not returned.' }),
        presence_penalty: Type.Number({ description: 'Lowers the chance of tokens that occurred.' }),
        frequency_penalty: Type.Number({ description: 'Lowers the chance of tokens by how often they occurred.' }),
      },
      { description: 'How answers are made, with defaults filled in.' },
    ),
    message_count: Type.Integer({ description: 'Messages in it.', minimum: 0 }),
    last_message_at: nullable(timestamp('When something was said last.')),
    archived_at: nullable(timestamp('When it was archived; null: it is open.')),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it last changed.'),
  },
  { $id: 'Chat', description: 'A conversation of the playground.' },
);

export const listedChatSchema = Type.Object(
  {
    ...chatSchema.properties,
    match: nullable(
      Type.Object({
        message_id: Type.String({ description: 'Id of the message.' }),
        excerpt: Type.String({ description: 'The part of it around the words.' }),
      }),
      'The latest message that a search found; null: nothing was searched for, or only the title matches.',
    ),
  },
  { $id: 'ListedChat', description: 'A chat in a list.' },
);

type ListedChat = ChatRow & { match: { messageId: string; excerpt: string } | null };

export function listedChatToWire({ match, ...chat }: ListedChat): Static<typeof listedChatSchema> {
  return { ...chatToWire(chat), match: match && { message_id: match.messageId, excerpt: match.excerpt } };
}

export function chatToWire(chat: ChatRow): Static<typeof chatSchema> {
  const { tools, response_format, ...params } = resolveParams(chat.params);
  return {
    id: chat.id,
    title: chat.title,
    model: chat.model,
    system_prompt: chat.systemPrompt,
    // as: they were read as objects before they were stored.
    params: {
      ...params,
      tools: tools as Record<string, unknown>[] | null,
      response_format: response_format as Record<string, unknown> | null,
    },
    message_count: chat.messageCount,
    last_message_at: chat.lastMessageAt?.toISOString() ?? null,
    archived_at: chat.archivedAt?.toISOString() ?? null,
    created_at: chat.createdAt.toISOString(),
    updated_at: chat.updatedAt.toISOString(),
  };
}
