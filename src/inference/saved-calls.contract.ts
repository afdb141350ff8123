import Type from 'typebox';
import { type Contract, pageSchema } from '#http';
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
  summary: 'List saved calls',
  description:
    "Text calls of the owner's own account that the project kept while `inference_auto_save` was on, newest first. For the owner only.",
  answers: {
    200: {
      description: 'A page of saved calls.',
      schema: pageSchema(savedCallSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor'],
};

export const readContract: Contract = {
  tag,
  summary: 'Read a saved call',
  description: 'A saved call with its messages, tools, parameters and answer. The id is that of its request.',
  answers: {
    200: {
      description: 'The call with all that was said.',
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
  summary: 'Delete a saved call',
  description: 'Removes what was said for good. Examples that were made of it stay.',
  answers: { 204: { description: 'It is gone.' } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const deleteManyContract: Contract = {
  tag,
  summary: 'Delete saved calls',
  description:
    'Deletes every saved call that fits all filters given. Without a filter it needs `all=true`; a `q` of spaces alone is refused.',
  answers: {
    200: {
      description: 'How many calls are gone.',
      schema: Type.Object({
        deleted: Type.Integer({ description: 'Calls that were deleted.', minimum: 0 }),
      }),
      example: { deleted: 12 },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
