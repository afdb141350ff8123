import { eventsOf } from './events.ts';
import { outputText } from './output-items.ts';
import type { ResponseBody } from './response-body.ts';

const key = '3Lq9dGhN0bV7xTzKfWm2RcYp';

/** An answer as the published contract shows it. */
export const responseExample: ResponseBody = {
  id: `resp_${key}`,
  object: 'response',
  created_at: 1_767_323_045,
  model: 'chat',
  background: false,
  instructions: null,
  max_output_tokens: 64,
  max_tool_calls: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
  metadata: {},
  store: true,
  status: 'completed',
  output: [
    {
      id: `msg_${key}_0`,
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [outputText('The capital of France is Paris.')],
    },
  ],
  error: null,
  incomplete_details: null,
  usage: {
    input_tokens: 21,
    input_tokens_details: { cached_tokens: 12, cache_write_tokens: 0 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 30,
  },
};

export const streamExample = eventsOf(responseExample).join('');

export const itemExample = {
  id: `msg_${key}_i0`,
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: 'What is the capital of France?' }],
};
