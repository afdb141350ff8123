import { type Contract, pageSchema } from '#http';
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
  summary: 'List every model that you can call',
  description:
    'The account-wide registry: hosted models of your projects in every state, models that are shared with you or public while they can be called, and base models; newest first. Each says whether you can call it now, and how. A cursor belongs to the account and to all filters.',
  answers: {
    200: {
      description: 'A page of models.',
      schema: pageSchema(registrySchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor'],
};
