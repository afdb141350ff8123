import Type from 'typebox';
import { type Contract, pageSchema, said } from '#http';
import { savedCallDetailSchema, savedCallSchema } from './saved-calls.schema.ts';

const tag = 'saved_calls';

const example = {
  id: 'req_01KAXR4T5K7D9E1A3C5F7H9J1M',
  key: { id: 'key_01KAXR2N8P4C6S0F1G3J5M7R9T', name: 'CI' },
  model_requested: 'chat',
  model_served: 'fanfold-tiny-chat',
  model_revision: 3,
  finish_reason: 'stop',
  usage: { prompt_tokens: 21, completion_tokens: 4, total_tokens: 25, reasoning_tokens: 0, cached_tokens: 0 },
  active_ms: 41,
  prompt_preview: 'What is 2 + 3?',
  answer_preview: '5',
  created_at: '2026-01-02T03:04:05.678Z',
  expires_at: '2026-02-01T03:04:05.678Z',
};

export const listContract: Contract = {
  tag,
  summary: said('List saved calls', '列出已保存的调用'),
  description: said(
    "Text calls of the owner's own account that the project kept while `inference_auto_save` was on, newest first. For the owner only.",
    '项目在 `inference_auto_save` 开启期间保存的、所有者账户自己的文本调用，按时间倒序排列。仅项目所有者可用。',
  ),
  answers: {
    200: {
      description: said('A page of saved calls.', '一页已保存的调用。'),
      schema: pageSchema(savedCallSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor'],
};

export const readContract: Contract = {
  tag,
  summary: said('Read a saved call', '查看一次已保存的调用'),
  description: said(
    'A saved call with its messages, tools, parameters and answer. The id is that of its request.',
    '已保存的调用及其消息、工具、参数和回答。其 ID 即请求 ID。',
  ),
  answers: {
    200: {
      description: said('The call with all that was said.', '调用及其完整内容。'),
      schema: savedCallDetailSchema,
      example: {
        ...example,
        messages: [{ role: 'user', content: 'What is 2 + 3?' }],
        tools: [],
        params: {
          max_tokens: 1024,
          temperature: 1,
          top_p: 1,
          presence_penalty: 0,
          frequency_penalty: 0,
          seed: null,
          stop: [],
          reasoning_effort: 'none',
          response_format: { type: 'text' },
          tool_choice: 'auto',
          parallel_tool_calls: true,
        },
        answer: { role: 'assistant', content: '5', refusal: null },
      },
    },
  },
  faults: ['not_found'],
};

export const deleteContract: Contract = {
  tag,
  summary: said('Delete a saved call', '删除一次已保存的调用'),
  description: said(
    'Removes what was said for good. Examples that were made of it stay.',
    '永久删除其内容。由其生成的样本保留。',
  ),
  answers: { 204: { description: said('It is gone.', '已删除。') } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const deleteManyContract: Contract = {
  tag,
  summary: said('Delete saved calls', '批量删除已保存的调用'),
  description: said(
    'Deletes every saved call that fits all filters given. Without a filter it needs `all=true`; a `q` of spaces alone is refused.',
    '删除符合全部筛选条件的已保存调用。不带筛选条件时必须传入 `all=true`；仅含空格的 `q` 会被拒绝。',
  ),
  answers: {
    200: {
      description: said('How many calls are gone.', '已删除的调用数。'),
      schema: Type.Object({
        deleted: Type.Integer({ ...said('Calls that were deleted.', '删除的调用数。'), minimum: 0 }),
      }),
      example: { deleted: 12 },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
