import { type Contract, pageSchema } from '#http';
import { chatSchema, listedChatSchema } from './chats.schema.ts';

const tag = 'chats';

const chatExample = {
  id: 'cht_01KAXR4T5K7D9E1A3C5F7H9J1M',
  title: 'What is 2 + 3?',
  model: 'chat',
  system_prompt: 'Answer in one word.',
  params: {
    max_tokens: 1024,
    temperature: 1,
    top_p: 1,
    reasoning_effort: null,
    tools: null,
    response_format: null,
    top_k: null,
    seed: null,
    stop: [],
    presence_penalty: 0,
    frequency_penalty: 0,
  },
  message_count: 2,
  last_message_at: '2026-01-02T03:04:05.678Z',
  archived_at: null,
  created_at: '2026-01-02T03:04:01.234Z',
  updated_at: '2026-01-02T03:04:05.678Z',
};

const oneChat = { schema: chatSchema, example: chatExample };

export const listContract: Contract = {
  tag,
  summary: 'List chats',
  description: 'The conversations of the project, newest first, for its owner only.',
  answers: {
    200: {
      description: 'A page of chats.',
      schema: pageSchema(listedChatSchema),
      example: { data: [{ ...chatExample, match: null }], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['not_found', 'invalid_cursor'],
};

export const createContract: Contract = {
  tag,
  summary: 'Create a chat',
  description: 'Begins a conversation with a model of the project. No model is called before the first message.',
  bodyExample: { model: 'chat', system_prompt: 'Answer in one word.' },
  answers: { 201: { description: 'The chat.', ...oneChat } },
  faults: ['not_found', 'owner_required', 'kind_mismatch', 'state_conflict'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: 'Read a chat',
  description: 'The settings of a conversation; its messages have a list of their own.',
  answers: { 200: { description: 'The chat.', ...oneChat } },
  faults: ['not_found'],
};

export const updateContract: Contract = {
  tag,
  summary: 'Change a chat',
  description:
    'Changes what is given, of `params` too. Messages that are there stay as they are; the next answer is made the new way.',
  bodyExample: { model: 'chat', params: { temperature: 0 } },
  answers: { 200: { description: 'The chat.', ...oneChat } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const deleteContract: Contract = {
  tag,
  summary: 'Delete a chat',
  description:
    'Deletes a chat with its messages; an answer that is being made is stopped. What its answers cost stays in the ledger.',
  answers: { 204: { description: 'It is gone.' } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
