/**
 * Request fields that make an answer at least 1,500 characters long, whatever the model would say: its grammar leaves
 * no shorter one. For tests that must catch a stream in the middle.
 */
export const longAnswer = {
  stream: true,
  max_tokens: 3000,
  reasoning_effort: 'none',
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'long',
      schema: {
        type: 'object',
        properties: { text: { type: 'string', minLength: 1500, maxLength: 1600 } },
        required: ['text'],
      },
    },
  },
} as const;
