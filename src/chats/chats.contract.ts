import { type Contract, pageSchema, said } from '#http';
import { chatSchema } from './chats.schema.ts';

const tag = 'chats';

const chatExample = {
  id: 'cht_01KAXR4T5K7D9E1A3C5F7H9J1M',
  title: 'What is 2 + 3?',
  model: 'chat',
  system_prompt: 'Answer in one word.',
  params: { max_tokens: 1024, temperature: 1, top_p: 1, reasoning_effort: null, tools: null },
  message_count: 2,
  last_message_at: '2026-01-02T03:04:05.678Z',
  archived_at: null,
  created_at: '2026-01-02T03:04:01.234Z',
  updated_at: '2026-01-02T03:04:05.678Z',
};

const oneChat = { schema: chatSchema, example: chatExample };

export const listContract: Contract = {
  tag,
  summary: said('List chats', '列出对话'),
  description: said(
    'The conversations of the project, newest first, for its owner only.',
    '按创建时间倒序。仅项目所有者可用。',
  ),
  answers: {
    200: {
      description: said('A page of chats.', '一页对话。'),
      schema: pageSchema(chatSchema),
      example: { data: [chatExample], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['not_found', 'invalid_cursor'],
};

export const createContract: Contract = {
  tag,
  summary: said('Create a chat', '创建对话'),
  description: said(
    'Begins a conversation with a model of the project. No model is called before the first message.',
    '开始与项目中的一个模型对话。发送第一条消息之前不会调用模型。',
  ),
  bodyExample: { model: 'chat', system_prompt: 'Answer in one word.' },
  answers: { 201: { description: said('The chat.', '新对话。'), ...oneChat } },
  faults: ['not_found', 'owner_required', 'kind_mismatch', 'state_conflict'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: said('Read a chat', '查看对话'),
  description: said(
    'The settings of a conversation; its messages have a list of their own.',
    '对话的设置；消息另有列表。',
  ),
  answers: { 200: { description: said('The chat.', '对话。'), ...oneChat } },
  faults: ['not_found'],
};

export const updateContract: Contract = {
  tag,
  summary: said('Change a chat', '修改对话'),
  description: said(
    'Changes what is given, of `params` too. Messages that are there stay as they are; the next answer is made the new way.',
    '仅修改传入的字段，`params` 亦然。已有消息不变，之后的回答采用新设置。',
  ),
  bodyExample: { model: 'chat', params: { temperature: 0 } },
  answers: { 200: { description: said('The chat.', '修改后的对话。'), ...oneChat } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const deleteContract: Contract = {
  tag,
  summary: said('Delete a chat', '删除对话'),
  description: said(
    'Deletes a chat with its messages; an answer that is being made is stopped. What its answers cost stays in the ledger.',
    '连同其消息一并删除；正在生成的回答会被停止。已产生的费用仍保留在账目中。',
  ),
  answers: { 204: { description: said('It is gone.', '已删除。') } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
