import { type Contract, pageSchema, said } from '#http';
import { registrySchema } from './model-registry.schema.ts';

const baseUrl = 'https://models.example/api/projects/ada/support/openai/v1';

const example = {
  ref: 'support',
  source: 'hosted',
  name: 'Support',
  kind: 'text',
  project: { owner: 'ada', slug: 'support' },
  owner: { id: 'acc_01KAXR0GWE2M5B3H7K9T4Q6V8X', slug: 'ada' },
  access: 'shared',
  state: 'active',
  base_model: 'fanfold-tiny-chat',
  revision: 1,
  dimensions: null,
  max_context_tokens: 4096,
  max_input_tokens: null,
  callable: true,
  not_callable_reason: null,
  call: {
    base_url: baseUrl,
    example_curl: `curl ${baseUrl}/chat/completions -H "Authorization: Bearer $FANFOLD_API_KEY" -H 'Content-Type: application/json' -d '{"model":"support","messages":[{"role":"user","content":"Hello!"}]}'`,
  },
  rate: { credits_per_gpu_minute: '0.030000', frozen_at: '2026-01-02T03:04:06.012Z', price_version: '2026-01' },
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:06.012Z',
};

export const listRegistryContract: Contract = {
  tag: 'models',
  summary: said('List every model that you can call', '列出可以调用的所有模型'),
  description: said(
    'The account-wide registry: hosted models of your projects in every state, models that are shared with you or public while they can be called, and base models; newest first. Each says whether you can call it now, and how. A cursor belongs to the account and to all filters.',
    '账户级模型目录：自己项目中处于任意状态的托管模型，共享给你的或公开的、可调用的模型，以及基础模型，按创建时间倒序排列。每一项都说明现在能否调用以及如何调用。游标只对同一账户和同一组筛选条件有效。',
  ),
  answers: {
    200: {
      description: said('A page of models.', '一页模型。'),
      schema: pageSchema(registrySchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor'],
};
