import type { Contract } from '#http';
import { textCallFaults } from '../shared/call.contract.ts';
import { responseExample, streamExample } from './examples.ts';
import { responsesRequestSchema } from './request.schema.ts';
import { responseEventSchema, responseSchema } from './response.schema.ts';

export const streamOf = (example: string) =>
  ({ type: 'text/event-stream', event: responseEventSchema, example }) as const;

export const responsesContract: Contract = {
  tag: 'inference',
  summary: 'Create a response',
  description: `Answers in the form of OpenAI's Responses API. With \`stream\` the answer comes as server-sent events with gapless \`sequence_number\`; the last one is \`response.completed\`, \`response.incomplete\` or \`response.failed\`. A failure before the first event is an ordinary error.

Responses are kept unless \`store\` is false, so that later ones can follow them by \`previous_response_id\` or name their items.

Functions and custom tools can be called; tools that a provider hosts (such as \`web_search\`) are left out and never an error. Input is text only. Fields that are not listed are ignored. Calls are kept as training data only where the owner of the project turned that on.`,
  body: responsesRequestSchema,
  bodyExamples: [
    {
      title: 'A question',
      value: { model: 'chat', input: 'What is the capital of France?', max_output_tokens: 64 },
    },
    {
      title: 'A stream',
      value: { model: 'chat', input: 'What is the capital of France?', stream: true, store: false },
    },
    {
      title: 'A tool that the model may call',
      value: {
        model: 'chat',
        instructions: 'Answer briefly.',
        input: [{ role: 'user', content: 'How is the weather in Paris?' }],
        tools: [
          {
            type: 'function',
            name: 'get_weather',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        ],
      },
    },
  ],
  answers: {
    200: {
      description: 'The answer; with `stream`, as events.',
      schema: responseSchema,
      example: responseExample,
      also: [streamOf(streamExample)],
    },
  },
  faults: [...textCallFaults, 'context_length_exceeded', 'previous_response_not_found'],
  idempotent: true,
};
